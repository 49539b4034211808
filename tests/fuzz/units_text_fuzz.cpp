// Any text as a number and as every quantity: no crash, an answer or a message but never neither, and what is printed reads
// back as the same value. Of a text with several lines, each line's value is tried (what stands behind its last ": "), so
// that hardware files are good seeds.
#include <sstream>
#include <string>

#include "sim/base/units_text.hpp"
#include "tests/fuzz/laws.hpp"

namespace {

template <class Q>
void try_quantity(std::string_view text) {
  const tantalus::Parsed<Q> parsed = tantalus::parse_quantity<Q>(text);
  tantalus::fuzz::require(parsed.value.has_value() || !parsed.message.empty(),
                          "a refused quantity says why");
  if (!parsed.value) {
    return;
  }
  const tantalus::Parsed<Q> again = tantalus::parse_quantity<Q>(tantalus::to_text(*parsed.value));
  tantalus::fuzz::require(again.value == parsed.value, "a printed quantity reads back the same");
}

void try_numbers(std::string_view text) {
  const auto integer = tantalus::parse_integer(text);
  tantalus::fuzz::require(integer.value.has_value() || !integer.message.empty(),
                          "a refused integer says why");
  const auto number = tantalus::parse_number(text);
  tantalus::fuzz::require(number.value.has_value() || !number.message.empty(),
                          "a refused number says why");
  if (number.value) {
    const auto again = tantalus::parse_number(tantalus::to_text(*number.value));
    tantalus::fuzz::require(again.value == number.value, "a printed number reads back the same");
  }
}

void try_all(std::string_view text) {
  try_numbers(text);
  try_quantity<tantalus::Duration>(text);
  try_quantity<tantalus::Bytes>(text);
  try_quantity<tantalus::Frequency>(text);
  try_quantity<tantalus::Bandwidth>(text);
  try_quantity<tantalus::FlopRate>(text);
  try_quantity<tantalus::FlopsPerCycle>(text);
  try_quantity<tantalus::BytesPerCycle>(text);
  try_quantity<tantalus::TransferRate>(text);
  try_quantity<tantalus::BitWidth>(text);
  try_quantity<tantalus::Power>(text);
  try_quantity<tantalus::Energy>(text);
  try_quantity<tantalus::Cycles>(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::istringstream lines{std::string(tantalus::fuzz::text_of(data, size))};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.rfind(": ");
    try_all(colon == std::string::npos ? line : std::string_view(line).substr(colon + 2));
  }
  return 0;
}
