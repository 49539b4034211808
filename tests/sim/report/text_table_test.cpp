#include "sim/report/text_table.hpp"

#include <doctest/doctest.h>

#include "sim/base/check.hpp"

namespace tantalus::testing {

TEST_CASE("columns are as wide as their widest cell and lines end without spaces") {
  TextTable table({{"layer", Align::left}, {"time"}, {"note", Align::left}});
  table.add_row({"conv1", "1.5 us", "x"});
  table.add_row({"fc", "12.5 us", ""});
  table.add_rule();
  table.add_row({"total", "14.0 us", ""});

  CHECK(table.text() ==
        "layer     time  note\n"
        "conv1   1.5 us  x\n"
        "fc     12.5 us\n"
        "--------------------\n"
        "total  14.0 us\n");
}

TEST_CASE("a column that says nothing is left out") {
  TextTable table({{"layer", Align::left}, {"waves"}, {"time"}});
  table.add_row({"conv1", "-", "1 us"});

  CHECK(table.text() == "layer  time\nconv1  1 us\n");
}

TEST_CASE("widths count characters, not bytes") {
  TextTable table({{"layer", Align::left}, {"t"}});
  table.add_row(
      {"d\xc3\xa9"
       "but",
       "1"});
  table.add_row({"abcde", "2"});

  CHECK(table.text() ==
        "layer  t\nd\xc3\xa9"
        "but  1\nabcde  2\n");
}

TEST_CASE("colour is only there when asked for") {
  CHECK(bold("x", {}) == "x");
  CHECK(bold("x", {true}) == "\x1b[1mx\x1b[0m");
  CHECK(verdict("no", false, {true}) == "\x1b[31mno\x1b[0m");
}

TEST_CASE("a row with a cell too few is a broken invariant") {
  TextTable table({{"a"}, {"b"}});

  CHECK_THROWS_AS(table.add_row({"1"}), InvariantError);
}

}  // namespace tantalus::testing
