// Lets doctest print quantities with their unit in failure messages. Include it before <doctest/doctest.h> is used on them.
#pragma once

#include <ostream>

#include "sim/base/units.hpp"
#include "sim/base/units_text.hpp"

namespace tantalus {

template <class Tag>
std::ostream& operator<<(std::ostream& out, Quantity<Tag> quantity) {
  return out << to_text(quantity);
}

}  // namespace tantalus
