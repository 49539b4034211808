#include "sim/report/csv.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace tantalus::testing {

TEST_CASE("a field is quoted only when it must be") {
  CHECK(csv_field("plain text") == "plain text");
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_line(std::vector<std::string>{"a", "", "c,d"}) == "a,,\"c,d\"\n");
}

}  // namespace tantalus::testing
