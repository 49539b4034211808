#include "sim/base/text.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

const std::vector<std::string> fields = {"capacity", "bandwidth", "ways", "hit_latency"};

TEST_CASE("the closest word is found through a missing, extra, wrong or swapped letter") {
  CHECK(closest_word("bandwith", fields) == "bandwidth");
  CHECK(closest_word("bandwidthh", fields) == "bandwidth");
  CHECK(closest_word("bandwodth", fields) == "bandwidth");
  CHECK(closest_word("bandwidht", fields) == "bandwidth");
}

TEST_CASE("case, dashes and underscores do not make a word distant") {
  CHECK(closest_word("Hit-Latency", fields) == "hit_latency");
}

TEST_CASE("a word that is near to none proposes none") {
  CHECK(closest_word("colour", fields) == "");
  CHECK(closest_word("", fields) == "");
  CHECK(closest_word(std::string(10'000, 'a'), fields) == "");
}

TEST_CASE("of two equally near words the earlier one is proposed") {
  const std::vector<std::string> words = {"l1x", "l2x"};
  CHECK(closest_word("l3x", words) == "l1x");
}

TEST_CASE("a line of a text ends at LF, CRLF or CR") {
  const std::string text = "one\ntwo\r\nthree\rfour";

  CHECK(line_of_text(text, 1) == "one");
  CHECK(line_of_text(text, 2) == "two");
  CHECK(line_of_text(text, 3) == "three");
  CHECK(line_of_text(text, 4) == "four");
  CHECK(line_of_text(text, 5) == "");
  CHECK(line_of_text(text, 0) == "");
}

}  // namespace
}  // namespace tantalus
