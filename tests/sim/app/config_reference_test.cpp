#include "sim/app/config_reference.hpp"

#include <doctest/doctest.h>

#include "tests/golden.hpp"

TEST_CASE("docs/config-reference.md says what the readers do") {
  tantalus::testing::check_golden("docs/config-reference.md", tantalus::config_reference());
}
