#include "sim/report/style.hpp"

namespace tantalus {

namespace {

std::string wrapped(std::string_view code, std::string_view text, const Style& style) {
  if (!style.color) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace

std::string bold(std::string_view text, const Style& style) { return wrapped("1", text, style); }

std::string verdict(std::string_view text, bool good, const Style& style) {
  return wrapped(good ? "32" : "31", text, style);
}

}  // namespace tantalus
