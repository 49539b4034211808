#include "sim/base/check.hpp"

#include <string>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

std::string message_of_failed_check() {
  try {
    TANTALUS_CHECK(1 + 1 == 3, "sums are wrong");
  } catch (const InvariantError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE("a broken invariant names its file, line, meaning and condition, but no folder") {
  const std::string message = message_of_failed_check();

  CHECK(message.rfind("check_test.cpp:", 0) == 0);
  CHECK(message.find("sums are wrong (1 + 1 == 3 does not hold)") != std::string::npos);
}

TEST_CASE("a kept invariant costs nothing but its condition") {
  int evaluated = 0;

  TANTALUS_CHECK(++evaluated == 1, "evaluated once");

  CHECK(evaluated == 1);
}

}  // namespace
}  // namespace tantalus
