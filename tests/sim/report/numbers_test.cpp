#include "sim/report/numbers.hpp"

#include <doctest/doctest.h>

namespace tantalus::testing {

TEST_CASE("a time has three significant digits and the unit that fits") {
  CHECK(time_text(Duration{0}) == "0 ns");
  CHECK(time_text(Duration{1'500}) == "1.50 ns");
  CHECK(time_text(Duration{35'200'000}) == "35.2 us");
  CHECK(time_text(Duration{999'600}) == "1000 ns");
  CHECK(time_text(Duration{1'000'000}) == "1.00 us");
  CHECK(time_text(Duration{999'600'000}) == "1.00 ms");  // 999.6 us would be four digits
  CHECK(time_text(Duration{7'000'000'000'000}) == "7.00 s");
}

TEST_CASE("sizes are decimal in traffic and binary in capacities") {
  CHECK(bytes_text(Bytes{17'584}) == "17.6 kB");
  CHECK(bytes_text(Bytes{999}) == "999 B");
  CHECK(bytes_text(Bytes{151'100'000}) == "151 MB");
  CHECK(memory_text(Bytes{80LL << 30}) == "80.00 GiB");
  CHECK(memory_text(Bytes{512 << 10}) == "512.00 KiB");
  CHECK(memory_text(Bytes{624}) == "624 B");
}

TEST_CASE("counts group their digits and shorten to three") {
  CHECK(grouped_text(61'100'840) == "61,100,840");
  CHECK(grouped_text(-1000) == "-1,000");
  CHECK(grouped_text(999) == "999");
  CHECK(count_text(714'188'480) == "714 M");
  CHECK(count_text(0) == "-");
  CHECK(rate_text(28'412.7) == "28,410");
  CHECK(rate_text(0.5) == "0.50");
}

TEST_CASE("a rounded double keeps six significant decimal digits") {
  CHECK(rounded(1.0 / 3.0) == 0.333333);
  CHECK(rounded(123456789.0) == 123457000.0);
  CHECK(rounded(0.0) == 0.0);
}

TEST_CASE("nanoseconds keep picoseconds in their decimals") {
  CHECK(nanoseconds(Duration{1'234'567}) == 1234.567);
}

}  // namespace tantalus::testing
