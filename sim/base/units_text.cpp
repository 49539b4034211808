#include "sim/base/units_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

// ---------------------------------------------------------------------------------------------------- the unit words

struct Unit {
  std::string_view word;
  std::int64_t factor;  // in the quantity's base unit
};

constexpr std::int64_t kilo = 1'000;
constexpr std::int64_t mega = kilo * kilo;
constexpr std::int64_t giga = kilo * mega;
constexpr std::int64_t tera = kilo * giga;
constexpr std::int64_t peta = kilo * tera;
constexpr std::int64_t kibi = 1'024;
constexpr std::int64_t mebi = kibi * kibi;
constexpr std::int64_t gibi = kibi * mebi;
constexpr std::int64_t tebi = kibi * gibi;

// Smallest first within decimal, then within binary words: the order in which reference pages list them.
constexpr Unit duration_units[] = {
    {"ps", 1}, {"ns", kilo}, {"us", mega}, {"ms", giga}, {"s", tera}};
constexpr Unit byte_units[] = {{"B", 1},      {"kB", kilo}, {"MB", mega},  {"GB", giga},
                               {"TB", tera},  {"PB", peta}, {"KiB", kibi}, {"MiB", mebi},
                               {"GiB", gibi}, {"TiB", tebi}};
constexpr Unit bandwidth_units[] = {
    {"B/s", 1},     {"kB/s", kilo},  {"MB/s", mega},  {"GB/s", giga},  {"TB/s", tera},
    {"PB/s", peta}, {"KiB/s", kibi}, {"MiB/s", mebi}, {"GiB/s", gibi}, {"TiB/s", tebi}};
constexpr Unit frequency_units[] = {{"Hz", 1}, {"kHz", kilo}, {"MHz", mega}, {"GHz", giga}};
constexpr Unit cycle_units[] = {{"clk", 1}};
constexpr Unit flop_units[] = {{"FLOP", 1},     {"kFLOP", kilo}, {"MFLOP", mega},
                               {"GFLOP", giga}, {"TFLOP", tera}, {"PFLOP", peta}};
constexpr Unit flop_rate_units[] = {{"FLOP/s", 1},     {"kFLOP/s", kilo}, {"MFLOP/s", mega},
                                    {"GFLOP/s", giga}, {"TFLOP/s", tera}, {"PFLOP/s", peta}};
constexpr Unit flops_per_cycle_units[] = {{"FLOP/clk", 1}};
constexpr Unit bytes_per_cycle_units[] = {{"B/clk", 1}};
constexpr Unit transfer_units[] = {{"T/s", 1}, {"kT/s", kilo}, {"MT/s", mega}, {"GT/s", giga}};
constexpr Unit bit_units[] = {{"bit", 1}};
constexpr Unit power_units[] = {{"mW", 1}, {"W", kilo}, {"kW", mega}};
constexpr Unit energy_units[] = {{"fJ", 1}, {"pJ", kilo}, {"nJ", mega}};

std::span<const Unit> units_of(Duration) { return duration_units; }
std::span<const Unit> units_of(Bytes) { return byte_units; }
std::span<const Unit> units_of(Bandwidth) { return bandwidth_units; }
std::span<const Unit> units_of(Frequency) { return frequency_units; }
std::span<const Unit> units_of(Cycles) { return cycle_units; }
std::span<const Unit> units_of(Flops) { return flop_units; }
std::span<const Unit> units_of(FlopRate) { return flop_rate_units; }
std::span<const Unit> units_of(FlopsPerCycle) { return flops_per_cycle_units; }
std::span<const Unit> units_of(BytesPerCycle) { return bytes_per_cycle_units; }
std::span<const Unit> units_of(TransferRate) { return transfer_units; }
std::span<const Unit> units_of(BitWidth) { return bit_units; }
std::span<const Unit> units_of(Power) { return power_units; }
std::span<const Unit> units_of(Energy) { return energy_units; }

// The unit that a bare number most likely lacks, from its size; two where both are common.
std::vector<std::string_view> likely_units(Duration, double n) {
  return n >= 10'000 ? std::vector<std::string_view>{"ps"}
                     : std::vector<std::string_view>{"ns", "us"};
}
std::vector<std::string_view> likely_units(Bytes, double n) {
  return n >= 4'096 ? std::vector<std::string_view>{"B"}
                    : std::vector<std::string_view>{"KiB", "GiB"};
}
std::vector<std::string_view> likely_units(Bandwidth, double n) {
  return {n >= 100'000 ? "B/s" : "GB/s"};
}
std::vector<std::string_view> likely_units(Frequency, double n) {
  return {n >= 100'000 ? "Hz" : n > 20 ? "MHz" : "GHz"};
}
std::vector<std::string_view> likely_units(Flops, double) { return {"FLOP"}; }
std::vector<std::string_view> likely_units(FlopRate, double n) {
  return {n >= 1'000'000 ? "FLOP/s" : n > 2'000 ? "GFLOP/s" : "TFLOP/s"};
}
std::vector<std::string_view> likely_units(TransferRate, double n) {
  return {n >= 1'000'000 ? "T/s" : n > 100 ? "MT/s" : "GT/s"};
}
std::vector<std::string_view> likely_units(Cycles, double) { return {"clk"}; }
std::vector<std::string_view> likely_units(FlopsPerCycle, double) { return {"FLOP/clk"}; }
std::vector<std::string_view> likely_units(BytesPerCycle, double) { return {"B/clk"}; }
std::vector<std::string_view> likely_units(BitWidth, double) { return {"bit"}; }
std::vector<std::string_view> likely_units(Power, double) { return {"W"}; }
std::vector<std::string_view> likely_units(Energy, double) { return {"pJ"}; }

// ------------------------------------------------------------------------------------------------- numbers, exactly

/// mantissa x 10^exponent, as written; at most `most_digits` significant digits, so that 128 bits hold it.
struct Decimal {
  bool negative = false;
  Int128 mantissa = 0;
  int exponent = 0;
};

constexpr std::size_t most_digits = 36;
constexpr int largest_exponent = 1'000;  // past it every number is out of range of everything

struct Trouble {
  std::string code;
  std::string message;
  std::string hint;
};

constexpr std::string_view number_hint = "write it like 12, 1_000, 0x10, 0o10, 1.5 or 1e9";

std::string largest_count_hint() { return "the largest is " + std::to_string(INT64_MAX); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  return "'" + std::string(text.substr(0, longest)) + (text.size() > longest ? "...'" : "'");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A number written in one of the forms of the header, read from the front of `text`; what follows stays in `rest`.
class NumberScanner {
 public:
  explicit NumberScanner(std::string_view text) : rest_(text) {}

  std::optional<Decimal> scan() {
    scan_sign();
    if (starts_with_base("0x")) return scan_base(16);
    if (starts_with_base("0o")) return scan_base(8);
    scan_digits();
    if (!trouble_ && digits_ == 0) fail("bad-number", "is not a number", "");
    if (!trouble_) scan_exponent();
    if (trouble_) return std::nullopt;
    return value_;
  }

  std::string_view rest() const { return rest_; }
  const std::optional<Trouble>& trouble() const { return trouble_; }

 private:
  void fail(std::string code, std::string message, std::string hint) {
    trouble_ = Trouble{std::move(code), std::move(message), std::move(hint)};
  }

  void scan_sign() {
    if (rest_.empty() || (rest_.front() != '-' && rest_.front() != '+')) return;
    value_.negative = rest_.front() == '-';
    rest_.remove_prefix(1);
  }

  bool starts_with_base(std::string_view prefix) const { return rest_.substr(0, 2) == prefix; }

  std::optional<Decimal> scan_base(int base) {
    std::size_t length = 2;
    for (; length < rest_.size(); ++length) {
      if (rest_[length] == '_' && digits_ > 0) continue;
      const int digit = digit_value(rest_[length]);
      if (digit >= base) break;
      value_.mantissa = value_.mantissa * base + digit;
      ++digits_;
      if (value_.mantissa > INT64_MAX) {
        fail("out-of-range", "is too large", largest_count_hint());
        return std::nullopt;
      }
    }
    rest_.remove_prefix(length);
    if (digits_ > 0) return value_;
    fail("bad-number", "has no digits after 0x or 0o", "write 0x10 or 0o10");
    return std::nullopt;
  }

  static int digit_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::numeric_limits<int>::max();
  }

  // A leading zero is octal to some readers and decimal to others.
  void refuse_leading_zero() {
    if (rest_.size() < 2 || rest_[0] != '0' || !(is_digit(rest_[1]) || rest_[1] == '_')) return;
    fail("bad-number", "begins with a zero, which some read as octal",
         "write it without leading zeros, or 0o10 for octal and 0x10 for hexadecimal");
  }

  void scan_digits() {
    refuse_leading_zero();
    bool fraction = false;
    char before = ' ';
    std::string written;
    for (; !trouble_ && !rest_.empty(); rest_.remove_prefix(1)) {
      const char c = rest_.front();
      if (is_digit(c)) {
        written += c;
        if (fraction) --value_.exponent;
      } else if (c == '.' && !fraction) {
        fraction = true;
      } else if (c != '_' || !is_digit(before)) {
        break;
      }
      before = c;
    }
    digits_ = written.size();
    keep_significant(written);
  }

  // Zeros in front mean nothing and zeros behind go to the exponent, so that only real digits are counted.
  void keep_significant(std::string_view written) {
    while (!written.empty() && written.front() == '0') written.remove_prefix(1);
    for (; !written.empty() && written.back() == '0'; written.remove_suffix(1)) ++value_.exponent;
    if (written.size() > most_digits)
      return fail("bad-number", "has too many digits",
                  "write at most 36 digits, or an exponent: 1e9");
    for (const char c : written) value_.mantissa = value_.mantissa * 10 + (c - '0');
  }

  void scan_exponent() {
    if (rest_.size() < 2 || (rest_[0] != 'e' && rest_[0] != 'E')) return;
    const std::size_t sign = rest_[1] == '+' || rest_[1] == '-' ? 1 : 0;
    std::size_t end = 1 + sign;
    int exponent = 0;
    for (; end < rest_.size() && is_digit(rest_[end]); ++end) {
      exponent = std::min(exponent * 10 + (rest_[end] - '0'), largest_exponent);
    }
    if (end == 1 + sign) return;  // "1 exa..." is a unit, not an exponent
    value_.exponent += rest_[1] == '-' ? -exponent : exponent;
    rest_.remove_prefix(end);
  }

  std::string_view rest_;
  Decimal value_;
  std::size_t digits_ = 0;
  std::optional<Trouble> trouble_;
};

/// Decimal x factor as an integer count, rounded half away from zero; exact whenever the product is an integer.
struct Scaled {
  std::optional<std::int64_t> count;
  bool vanished = false;  // not zero as written, but rounds to it
};

// Moves powers of ten from the exponent into the integers while nothing is lost.
void cancel_exponent(Decimal& number, std::int64_t& factor) {
  const auto divide = [&](int by_mantissa, int by_factor) {
    if (number.mantissa % by_mantissa != 0 || factor % by_factor != 0) return false;
    number.mantissa /= by_mantissa;
    factor /= by_factor;
    ++number.exponent;
    return true;
  };
  while (number.exponent < 0 && (divide(1, 10) || divide(10, 1) || divide(5, 2) || divide(2, 5))) {
  }
}

std::optional<std::int64_t> with_sign(Int128 magnitude, bool negative) {
  if (magnitude > Int128{INT64_MAX} + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? -magnitude : magnitude);
}

constexpr Int128 largest_product =
    Int128{10'000'000'000'000'000} * 10'000'000'000'000'000 * 100'000;

Scaled scale(Decimal number, std::int64_t factor) {
  if (number.mantissa == 0) return {0, false};
  cancel_exponent(number, factor);
  while (number.exponent < 0 && number.mantissa > largest_product / factor) {
    number.mantissa /= 10;  // a dropped digit lies far below half a count
    ++number.exponent;
  }
  if (number.mantissa > largest_product / factor) return {};
  Int128 product = number.mantissa * factor;
  for (; number.exponent > 0; --number.exponent) {
    if (product > INT64_MAX) return {};
    product *= 10;
  }
  Int128 divisor = 1;
  for (; number.exponent < 0; ++number.exponent) {
    if (divisor > product / 5) return {0, true};  // below half a count
    divisor *= 10;
  }
  const Int128 rounded = product / divisor + (product % divisor * 2 >= divisor ? 1 : 0);
  return {with_sign(rounded, number.negative), rounded == 0};
}

// --------------------------------------------------------------------------------------------- units: words and hints

template <class Q>
std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const Unit& unit : units_of(Q{})) words.emplace_back(unit.word);
  return words;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view word) {
  const auto it = std::find_if(units.begin(), units.end(),
                               [word](const Unit& unit) { return unit.word == word; });
  return it == units.end() ? nullptr : &*it;
}

// Written in more than one way by many: "KB" (decimal here, 1,024 elsewhere) and a bare prefix ("32k").
template <class Q>
std::string_view loose_spelling(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> sizes[] = {
      {"KB", "kB"}, {"k", "kB"}, {"K", "kB"}, {"M", "MB"}, {"G", "GB"}, {"T", "TB"}};
  if constexpr (std::is_same_v<Q, Bytes>) {
    for (const auto& [loose, strict] : sizes) {
      if (word == loose) return strict;
    }
  } else if constexpr (std::is_same_v<Q, Bandwidth>) {
    if (word == "KB/s") return "kB/s";
  } else if constexpr (std::is_same_v<Q, Duration>) {
    if (word == "\u00b5s" || word == "\u03bcs") return "us";
  }
  return {};
}

bool is_micro_sign(std::string_view word) { return !word.empty() && (word.front() & 0x80) != 0; }

// "Gb/s", "Gbit/s", "Gbps", "b". An all-small "gb/s" is more likely a careless GB/s.
bool means_bits(std::string_view word) {
  if (word.find("bit") != std::string_view::npos) return true;
  if (word.find("bps") != std::string_view::npos) return true;
  const std::size_t b = word.find('b');
  return b == 0 || (b == 1 && word.front() >= 'A' && word.front() <= 'Z');
}

// Among words of one or two letters everything is near to everything: there only the case may differ.
std::string likely_word(std::string_view word, const std::vector<std::string>& words) {
  const std::string near = closest_word(word, words);
  const auto same_letter = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  const bool same = std::equal(word.begin(), word.end(), near.begin(), near.end(), same_letter);
  return word.size() > 2 || same ? near : "";
}

template <class Q>
std::string unit_hint(std::string_view word) {
  const std::string all = "units here: " + unit_words<Q>();
  if constexpr (std::is_same_v<Q, Bandwidth> || std::is_same_v<Q, Bytes>) {
    if (means_bits(word)) return "a small b means bits, eight to a byte; " + all;
  }
  const std::string near = likely_word(word, words_of<Q>());
  return near.empty() ? all : "did you mean '" + near + "'? Units here: " + unit_words<Q>();
}

template <class Q>
Parsed<Q> failed(Trouble trouble) {
  return {std::nullopt, std::move(trouble.code), std::move(trouble.message),
          std::move(trouble.hint)};
}

template <class Q>
Parsed<Q> missing_unit(std::string_view number) {
  const double size = parse_number(number).value.value_or(0.0);
  std::string proposals;
  for (const std::string_view unit : likely_units(Q{}, size)) {
    proposals +=
        (proposals.empty() ? "'" : " or '") + std::string(number) + " " + std::string(unit) + "'";
  }
  return failed<Q>({"missing-unit", quoted(number) + " has no unit",
                    "did you mean " + proposals + "? Units here: " + unit_words<Q>()});
}

template <class Q>
Parsed<Q> with_unit(std::string_view text, const Decimal& number, const Unit& unit) {
  const Scaled scaled = scale(number, unit.factor);
  if (!scaled.count) {
    return failed<Q>({"out-of-range", quoted(text) + " is too large",
                      "the largest is " + to_text(Q{INT64_MAX})});
  }
  if (scaled.vanished) {
    return failed<Q>({"out-of-range", quoted(text) + " is too small",
                      "the smallest step is 1 " + std::string(units_of(Q{}).front().word)});
  }
  return {Q{*scaled.count}, {}, {}, {}};
}

template <class Q>
Parsed<Q> with_loose_unit(std::string_view text, const Decimal& number, std::string_view word,
                          std::string_view strict) {
  Parsed<Q> parsed = with_unit<Q>(text, number, *find_unit(units_of(Q{}), strict));
  if (!parsed.value || is_micro_sign(word)) return parsed;
  parsed.code = "ambiguous-unit";
  parsed.message = quoted(text) + " is read as decimal " + std::string(strict);
  parsed.hint =
      "write " + std::string(strict) + " for 1,000s or Ki, Mi, Gi before the B for 1,024s";
  return parsed;
}

// ------------------------------------------------------------------------------------------------ quantities as text

std::string digits_of(Int128 value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return digits;
}

// magnitude / factor as an exact decimal, or "" when that needs more digits than anyone would write.
std::string exact_decimal(Int128 magnitude, std::int64_t factor) {
  constexpr std::size_t most_fraction_digits = 15;
  std::string text = digits_of(magnitude / factor);
  Int128 rest = magnitude % factor;
  if (rest != 0) text += '.';
  for (std::size_t n = 0; rest != 0; ++n) {
    if (n == most_fraction_digits) return {};
    rest *= 10;
    text += static_cast<char>('0' + static_cast<int>(rest / factor));
    rest %= factor;
  }
  return text;
}

// The fewest characters win among the units that leave at least 1; the larger unit wins a tie.
std::string shortest(Int128 magnitude, std::span<const Unit> units) {
  std::string best;
  std::string_view best_word;
  std::int64_t best_factor = 0;
  for (const Unit& unit : units) {
    if (magnitude < unit.factor && unit.factor != 1) continue;
    const std::string text = exact_decimal(magnitude, unit.factor);
    if (text.empty()) continue;
    const bool better = best.empty() || text.size() < best.size() ||
                        (text.size() == best.size() && unit.factor > best_factor);
    if (!better) continue;
    best = text;
    best_word = unit.word;
    best_factor = unit.factor;
  }
  return best + " " + std::string(best_word);
}

}  // namespace

// ------------------------------------------------------------------------------------------------------- public doors

Parsed<std::int64_t> parse_integer(std::string_view text) {
  using Outcome = Parsed<std::int64_t>;
  NumberScanner scanner(trimmed(text));
  const std::optional<Decimal> number = scanner.scan();
  if (!number) {
    Trouble trouble = *scanner.trouble();
    trouble.message = quoted(text) + " " + trouble.message;
    if (trouble.hint.empty()) trouble.hint = number_hint;
    return failed<std::int64_t>(std::move(trouble));
  }
  if (!scanner.rest().empty()) {
    return Outcome{{},
                   "bad-number",
                   quoted(text) + " is not a whole number",
                   "a plain count is written without a unit or other words"};
  }
  Decimal whole = *number;
  std::int64_t one = 1;
  cancel_exponent(whole, one);
  if (whole.exponent < 0 && whole.mantissa != 0) {
    return Outcome{
        {}, "bad-number", quoted(text) + " is not a whole number", "write it without a fraction"};
  }
  const Scaled scaled = scale(*number, 1);
  if (!scaled.count)
    return Outcome{{}, "out-of-range", quoted(text) + " is too large", largest_count_hint()};
  return Outcome{scaled.count, {}, {}, {}};
}

Parsed<double> parse_number(std::string_view text) {
  using Outcome = Parsed<double>;
  const std::string_view whole = trimmed(text);
  NumberScanner scanner(whole);
  const std::optional<Decimal> number = scanner.scan();
  if (!number) {
    Trouble trouble = *scanner.trouble();
    trouble.message = quoted(text) + " " + trouble.message;
    if (trouble.hint.empty()) trouble.hint = number_hint;
    return failed<double>(std::move(trouble));
  }
  if (!scanner.rest().empty()) {
    return Outcome{{},
                   "bad-number",
                   quoted(text) + " is not a number",
                   "a plain number is written without a unit or other words"};
  }
  // from_chars rounds correctly and knows no locale.
  const std::string digits = digits_of(number->mantissa) + "e" + std::to_string(number->exponent);
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{}) {
    return Outcome{{},
                   "out-of-range",
                   quoted(text) + " is too large or too small",
                   "numbers lie between 1e-300 and 1e300"};
  }
  return Outcome{number->negative ? -value : value, {}, {}, {}};
}

template <class Q>
Parsed<Q> parse_quantity(std::string_view text) {
  const std::string_view whole = trimmed(text);
  NumberScanner scanner(whole);
  const std::optional<Decimal> number = scanner.scan();
  if (!number) {
    Trouble trouble = *scanner.trouble();
    trouble.message = quoted(text) + " " + trouble.message;
    if (trouble.hint.empty()) trouble.hint = "write a number and a unit: " + unit_words<Q>();
    return failed<Q>(std::move(trouble));
  }
  const std::string_view word = trimmed(scanner.rest());
  if (word.empty()) return missing_unit<Q>(whole);
  if (const Unit* unit = find_unit(units_of(Q{}), word)) return with_unit<Q>(whole, *number, *unit);
  const std::string_view strict = loose_spelling<Q>(word);
  if (!strict.empty()) return with_loose_unit<Q>(whole, *number, word, strict);
  return failed<Q>(
      {"unknown-unit", quoted(word) + " is not a unit of this field", unit_hint<Q>(word)});
}

template <class Q>
std::string to_text(Q quantity) {
  const Int128 count = quantity.count();
  const bool negative = count < 0;
  return (negative ? "-" : "") + shortest(negative ? -count : count, units_of(quantity));
}

template <class Q>
std::string unit_words() {
  std::string words;
  for (const Unit& unit : units_of(Q{})) {
    words += (words.empty() ? "" : ", ") + std::string(unit.word);
  }
  return words;
}

std::string to_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find('.') != std::string::npos) return text;
  text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

template Parsed<Duration> parse_quantity<Duration>(std::string_view);
template std::string to_text<Duration>(Duration);
template std::string unit_words<Duration>();
template Parsed<Bytes> parse_quantity<Bytes>(std::string_view);
template std::string to_text<Bytes>(Bytes);
template std::string unit_words<Bytes>();
template Parsed<Bandwidth> parse_quantity<Bandwidth>(std::string_view);
template std::string to_text<Bandwidth>(Bandwidth);
template std::string unit_words<Bandwidth>();
template Parsed<Frequency> parse_quantity<Frequency>(std::string_view);
template std::string to_text<Frequency>(Frequency);
template std::string unit_words<Frequency>();
template Parsed<Cycles> parse_quantity<Cycles>(std::string_view);
template std::string to_text<Cycles>(Cycles);
template std::string unit_words<Cycles>();
template Parsed<Flops> parse_quantity<Flops>(std::string_view);
template std::string to_text<Flops>(Flops);
template std::string unit_words<Flops>();
template Parsed<FlopRate> parse_quantity<FlopRate>(std::string_view);
template std::string to_text<FlopRate>(FlopRate);
template std::string unit_words<FlopRate>();
template Parsed<FlopsPerCycle> parse_quantity<FlopsPerCycle>(std::string_view);
template std::string to_text<FlopsPerCycle>(FlopsPerCycle);
template std::string unit_words<FlopsPerCycle>();
template Parsed<BytesPerCycle> parse_quantity<BytesPerCycle>(std::string_view);
template std::string to_text<BytesPerCycle>(BytesPerCycle);
template std::string unit_words<BytesPerCycle>();
template Parsed<TransferRate> parse_quantity<TransferRate>(std::string_view);
template std::string to_text<TransferRate>(TransferRate);
template std::string unit_words<TransferRate>();
template Parsed<BitWidth> parse_quantity<BitWidth>(std::string_view);
template std::string to_text<BitWidth>(BitWidth);
template std::string unit_words<BitWidth>();
template Parsed<Power> parse_quantity<Power>(std::string_view);
template std::string to_text<Power>(Power);
template std::string unit_words<Power>();
template Parsed<Energy> parse_quantity<Energy>(std::string_view);
template std::string to_text<Energy>(Energy);
template std::string unit_words<Energy>();

}  // namespace tantalus
