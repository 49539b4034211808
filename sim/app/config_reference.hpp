// The page docs/config-reference.md: every field of every kind of file, from the same describe() that reads them. A test fails
// when the page in the tree says anything else.
#pragma once

#include <string>

namespace tantalus {

std::string config_reference();

}  // namespace tantalus
