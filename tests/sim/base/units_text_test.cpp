#include "sim/base/units_text.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "tests/quantity_text.hpp"

namespace tantalus {
namespace {

template <class Q>
std::int64_t count_of(const std::string& text) {
  const Parsed<Q> parsed = parse_quantity<Q>(text);
  REQUIRE_MESSAGE(parsed.value, text << ": " << parsed.message);
  return parsed.value->count();
}

template <class Q>
std::string code_of(const std::string& text) {
  const Parsed<Q> parsed = parse_quantity<Q>(text);
  REQUIRE_FALSE(parsed.value);
  REQUIRE_FALSE(parsed.message.empty());
  return parsed.code;
}

TEST_CASE("every unit word has its factor") {
  CHECK(count_of<Duration>("1 ps") == 1);
  CHECK(count_of<Duration>("1 ns") == 1'000);
  CHECK(count_of<Duration>("1 us") == 1'000'000);
  CHECK(count_of<Duration>("1 ms") == 1'000'000'000);
  CHECK(count_of<Duration>("1 s") == 1'000'000'000'000);
  CHECK(count_of<Bytes>("80 GB") == 80'000'000'000);
  CHECK(count_of<Bytes>("80 GiB") == 85'899'345'920);
  CHECK(count_of<Bytes>("1 PB") == 1'000'000'000'000'000);
  CHECK(count_of<Bandwidth>("3.35 TB/s") == 3'350'000'000'000);
  CHECK(count_of<Bandwidth>("1 KiB/s") == 1'024);
  CHECK(count_of<Frequency>("1.98 GHz") == 1'980'000'000);
  CHECK(count_of<Frequency>("1980 MHz") == 1'980'000'000);
  CHECK(count_of<Cycles>("28 clk") == 28);
  CHECK(count_of<Flops>("2 GFLOP") == 2'000'000'000);
  CHECK(count_of<FlopRate>("989 TFLOP/s") == 989'000'000'000'000);
  CHECK(count_of<FlopsPerCycle>("4096 FLOP/clk") == 4'096);
  CHECK(count_of<BytesPerCycle>("5120 B/clk") == 5'120);
  CHECK(count_of<TransferRate>("3200 MT/s") == 3'200'000'000);
  CHECK(count_of<BitWidth>("5120 bit") == 5'120);
  CHECK(count_of<Power>("700 W") == 700'000);
  CHECK(count_of<Energy>("1.5 pJ") == 1'500);
}

TEST_CASE("numbers may be written with an exponent, underscores, hexadecimal or octal digits") {
  CHECK(count_of<Frequency>("1e9 Hz") == 1'000'000'000);
  CHECK(count_of<Frequency>("1E+09 Hz") == 1'000'000'000);
  CHECK(count_of<Frequency>("1.e9 Hz") == 1'000'000'000);
  CHECK(count_of<Bytes>("65_536 B") == 65'536);
  CHECK(count_of<Bytes>("0x10 B") == 16);
  CHECK(count_of<Bytes>("0o10 B") == 8);
  CHECK(count_of<Bytes>("+2 B") == 2);
  CHECK(count_of<Bytes>("-2 kB") == -2'000);
  CHECK(count_of<Bytes>("64KiB") == 65'536);
}

TEST_CASE("a value that is a whole count is exact, however it is written") {
  CHECK(count_of<Bytes>("0.0000000000009094947017729282379150390625 TiB") == 1);
  CHECK(count_of<Bytes>("9223372036.854775807 GB") == INT64_MAX);
  CHECK(count_of<Bytes>("1000000000000000000000000000000e-30 B") == 1);
  CHECK(count_of<Bytes>("-9223372036854775808 B") == INT64_MIN);
}

TEST_CASE("any other value goes to the nearest count, and half goes away from zero") {
  CHECK(count_of<Bytes>("1.4 B") == 1);
  CHECK(count_of<Bytes>("1.5 B") == 2);
  CHECK(count_of<Bytes>("-1.5 B") == -2);
  CHECK(count_of<Bytes>("1.49999999999999999999999999999999999 B") == 1);
  CHECK(count_of<Bytes>("3.33333333333333333333333333333333333 TiB") == 3'665'038'759'253);
}

TEST_CASE("a value past the type or lost by rounding is out of range") {
  CHECK(code_of<Bytes>("9223372036854775808 B") == "out-of-range");
  CHECK(code_of<Bytes>("1e999999999 B") == "out-of-range");
  CHECK(code_of<Bytes>("10000 PB") == "out-of-range");
  CHECK(code_of<Duration>("0.1 ps") == "out-of-range");
  CHECK(code_of<Duration>("1e-999999999 s") == "out-of-range");
  CHECK(count_of<Duration>("0 ps") == 0);
  CHECK(count_of<Duration>("0.000 s") == 0);
}

TEST_CASE("a leading zero is refused: some read 010 as eight") {
  CHECK(code_of<Bytes>("010 B") == "bad-number");
  CHECK(code_of<Bytes>("08 B") == "bad-number");
  CHECK(parse_integer("010").code == "bad-number");
  CHECK(parse_integer("08").code == "bad-number");
  CHECK(parse_integer("0").value == 0);
  CHECK(parse_integer("0x10").value == 16);
  CHECK(parse_integer("0o10").value == 8);
  CHECK(parse_number("0.5").value == 0.5);
}

TEST_CASE("a bare number where a unit belongs is an error that proposes the likely unit") {
  CHECK(code_of<Bytes>("64") == "missing-unit");
  CHECK(parse_quantity<Bytes>("64").hint.find("'64 KiB' or '64 GiB'") != std::string::npos);
  CHECK(parse_quantity<Frequency>("1980").hint.find("'1980 MHz'") != std::string::npos);
  CHECK(parse_quantity<Frequency>("1.98").hint.find("'1.98 GHz'") != std::string::npos);
  CHECK(parse_quantity<Frequency>("1e9").hint.find("'1e9 Hz'") != std::string::npos);
  CHECK(parse_quantity<Bandwidth>("900").hint.find("'900 GB/s'") != std::string::npos);
  CHECK(parse_quantity<Power>("700").hint.find("'700 W'") != std::string::npos);
}

TEST_CASE("a wrong unit is an error with the nearest right one") {
  CHECK(code_of<Bytes>("32 XB") == "unknown-unit");
  CHECK(parse_quantity<Bytes>("32 XB").hint.rfind("units here: B, kB", 0) == 0);
  CHECK(parse_quantity<Bytes>("32 gB").hint.find("'GB'") != std::string::npos);
  CHECK(parse_quantity<Bandwidth>("3 gb/s").hint.find("'GB/s'") != std::string::npos);
  CHECK(parse_quantity<FlopRate>("19.5 TFLOPS").hint.find("'TFLOP/s'") != std::string::npos);
  CHECK(code_of<Bandwidth>("80 GB") == "unknown-unit");
  CHECK(code_of<Duration>("5 GHz") == "unknown-unit");
}

TEST_CASE("bits are not mistaken for bytes") {
  CHECK(code_of<Bandwidth>("100 Gb/s") == "unknown-unit");
  CHECK(parse_quantity<Bandwidth>("100 Gb/s").hint.find("eight to a byte") != std::string::npos);
}

TEST_CASE("KB and bare prefixes are decimal, with a warning that says so") {
  const Parsed<Bytes> loose = parse_quantity<Bytes>("32KB");

  REQUIRE(loose.value);
  CHECK(loose.value->count() == 32'000);
  CHECK(loose.code == "ambiguous-unit");
  CHECK(loose.message.find("decimal kB") != std::string::npos);
  CHECK(parse_quantity<Bytes>("32k").value == Bytes{32'000});
  CHECK(parse_quantity<Bytes>("1M").value == Bytes{1'000'000});
}

TEST_CASE("the micro sign is the u of us") {
  CHECK(count_of<Duration>("1.9 \u00b5s") == 1'900'000);
  CHECK(parse_quantity<Duration>("1.9 \u00b5s").code.empty());
}

TEST_CASE("what is no number is a bad number, never zero") {
  for (const char* text :
       {"", " ", "-", "abc", ".", "e9", "0x", "0xg", "_1", "--1", ".inf", "nan"}) {
    CAPTURE(std::string(text));
    CHECK(code_of<Bytes>(text) == "bad-number");
    CHECK(parse_integer(text).code == "bad-number");
    CHECK(parse_number(text).code == "bad-number");
  }
}

TEST_CASE("an integer may have an exponent but no fraction and no unit") {
  CHECK(parse_integer("1e9").value == 1'000'000'000);
  CHECK(parse_integer("1.0e9").value == 1'000'000'000);
  CHECK(parse_integer("1.5").code == "bad-number");
  CHECK(parse_integer("1e-3").code == "bad-number");
  CHECK(parse_integer("16 KiB").code == "bad-number");
  CHECK(parse_integer("1e19").code == "out-of-range");
  CHECK(parse_integer("-12").value == -12);
}

TEST_CASE("a number reads to the nearest double") {
  CHECK(parse_number("0.1").value == 0.1);
  CHECK(parse_number("1e-3").value == 1e-3);
  CHECK(parse_number("1.7976931348623157e308").value == 1.7976931348623157e308);
  CHECK(parse_number("-2.5").value == -2.5);
  CHECK(parse_number("1e999").code == "out-of-range");
  CHECK(parse_number("1e-999").code == "out-of-range");
}

TEST_CASE("a quantity prints in the unit that needs the fewest characters") {
  CHECK(to_text(Bandwidth{3'350'000'000'000}) == "3.35 TB/s");
  CHECK(to_text(Bytes{52'428'800}) == "50 MiB");
  CHECK(to_text(Bytes{50'000'000}) == "50 MB");
  CHECK(to_text(Frequency{1'980'000'000}) == "1.98 GHz");
  CHECK(to_text(Bytes{0}) == "0 B");
  CHECK(to_text(Bytes{512}) == "512 B");
  CHECK(to_text(Bytes{-2'048}) == "-2 KiB");
  CHECK(to_text(Duration{1'900'000}) == "1.9 us");
  CHECK(to_text(Power{700'000}) == "700 W");
  CHECK(to_text(BytesPerCycle{5'120}) == "5120 B/clk");
}

TEST_CASE("a double prints as the shortest text that reads back, always with a dot") {
  CHECK(to_text(3.0) == "3.0");
  CHECK(to_text(1e9) == "1.0e+09");
  CHECK(to_text(0.92) == "0.92");
  CHECK(to_text(-1.5e-7) == "-1.5e-07");
  CHECK(to_text(std::numeric_limits<double>::infinity()) == ".inf");
}

TEST_CASE("unit words are listed for reference pages") {
  CHECK(unit_words<Power>() == "mW, W, kW");
  CHECK(unit_words<Bytes>() == "B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB");
}

// ------------------------------------------------------------------------------------------------------------- laws

/// A fixed sequence of numbers of every size: deterministic, so that a failure can be met again.
class Numbers {
 public:
  std::int64_t next() {
    state_ = state_ * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    const std::uint64_t mixed = state_ ^ (state_ >> 29);
    const auto value = static_cast<std::int64_t>(mixed >> (mixed % 63));
    return round_ % 3 == 0 ? rounded(value) : (++round_, value);
  }

 private:
  // Many real figures end in zeros, decimal or binary.
  std::int64_t rounded(std::int64_t value) {
    ++round_;
    const std::int64_t step = round_ % 2 == 0 ? 1'000'000 : 1'048'576;
    return value / step * step;
  }

  std::uint64_t state_ = 1;
  std::int64_t round_ = 0;
};

template <class Q>
void check_round_trip() {
  Numbers numbers;
  for (int i = 0; i < 20'000; ++i) {
    const Q quantity{numbers.next()};
    const Parsed<Q> back = parse_quantity<Q>(to_text(quantity));
    REQUIRE_MESSAGE(back.value == quantity, to_text(quantity) << " of " << quantity.count());
  }
  CHECK(parse_quantity<Q>(to_text(Q{INT64_MAX})).value == Q{INT64_MAX});
  CHECK(parse_quantity<Q>(to_text(Q{INT64_MIN})).value == Q{INT64_MIN});
}

TEST_CASE("law: what to_text prints, parse_quantity reads back as the same value") {
  check_round_trip<Duration>();
  check_round_trip<Bytes>();
  check_round_trip<Bandwidth>();
  check_round_trip<Frequency>();
  check_round_trip<Cycles>();
  check_round_trip<Flops>();
  check_round_trip<FlopRate>();
  check_round_trip<FlopsPerCycle>();
  check_round_trip<BytesPerCycle>();
  check_round_trip<TransferRate>();
  check_round_trip<BitWidth>();
  check_round_trip<Power>();
  check_round_trip<Energy>();
}

TEST_CASE("law: a double printed and read back is the same double") {
  Numbers numbers;
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<std::uint64_t>(numbers.next()) * 0x9E3779B97F4A7C15ULL;
    double value = 0.0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    REQUIRE_MESSAGE(parse_number(to_text(value)).value == value, to_text(value));
  }
}

}  // namespace
}  // namespace tantalus
