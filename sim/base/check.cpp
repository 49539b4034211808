#include "sim/base/check.hpp"

#include <string_view>

namespace tantalus {

namespace {

// Build folders must not reach the message: the same bug prints the same text on every machine.
std::string_view file_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  std::string text(file_name(file));
  text += ":" + std::to_string(line) + ": " + message + " (" + condition + " does not hold)";
  throw InvariantError(text);
}

}  // namespace tantalus
