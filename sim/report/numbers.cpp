#include "sim/report/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <system_error>

namespace tantalus {

namespace {

struct Scale {
  double size;
  std::string_view word;
};

std::string three_digits(double value) {
  // 99.95 and up would print as "100.0": the limits are where rounding to three digits carries.
  const double size = std::fabs(value);
  return fixed_text(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// The largest scale that leaves at least 1 after rounding to three digits; the first one otherwise.
std::string scaled(double value, std::span<const Scale> scales) {
  const Scale* best = &scales.front();
  for (const Scale& scale : scales) {
    if (value >= 0.9995 * scale.size) best = &scale;
  }
  return three_digits(value / best->size) + " " + std::string(best->word);
}

}  // namespace

std::string fixed_text(double value, int digits) {
  std::array<char, 400> buffer{};  // the longest fixed double has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  return std::string(buffer.data(), end.ptr);
}

double rounded(double value, int digits) {
  if (!std::isfinite(value)) return 0.0;
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific, digits - 1);
  double result = 0.0;
  std::from_chars(buffer.data(), end.ptr, result);
  return result;
}

std::string time_text(Duration time) {
  if (time.count() == 0) return "0 ns";
  if (time.count() <
      1'000'000) {  // below a microsecond whole nanoseconds say enough, except the first few
    const double value = nanoseconds(time);
    return (value >= 9.995 ? fixed_text(value, 0) : fixed_text(value, 2)) + " ns";
  }
  static constexpr std::array<Scale, 3> scales{{{1e6, "us"}, {1e9, "ms"}, {1e12, "s"}}};
  return scaled(static_cast<double>(time.count()), scales);
}

std::string bytes_text(Bytes bytes) {
  if (bytes.count() < 1000) return bytes.count() == 0 ? "-" : std::to_string(bytes.count()) + " B";
  static constexpr std::array<Scale, 4> scales{
      {{1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}};
  return scaled(static_cast<double>(bytes.count()), scales);
}

std::string memory_text(Bytes bytes) {
  static constexpr std::array<std::string_view, 5> words{"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes.count());
  std::size_t word = 0;
  while (value >= 1024.0 && word + 1 < words.size()) {
    value /= 1024.0;
    ++word;
  }
  return fixed_text(value, word == 0 ? 0 : 2) + " " + std::string(words[word]);
}

std::string count_text(std::int64_t count) {
  if (count == 0) return "-";
  if (count < 1000) return std::to_string(count);
  static constexpr std::array<Scale, 5> scales{
      {{1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};
  return scaled(static_cast<double>(count), scales);
}

std::string grouped_text(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

std::string rate_text(double per_second) {
  if (per_second < 999.5) return three_digits(per_second);
  if (per_second >= 9e18) return fixed_text(per_second, 0);
  return grouped_text(static_cast<std::int64_t>(rounded(per_second, 4)));
}

std::string percent_text(double share) { return fixed_text(100.0 * share, 1) + " %"; }

double nanoseconds(Duration time) { return static_cast<double>(time.count()) / 1000.0; }

}  // namespace tantalus
