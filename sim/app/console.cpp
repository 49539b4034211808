#include "sim/app/console.hpp"

namespace tantalus {

Style style_for(const Console& console, ColorChoice choice) {
  switch (choice) {
    case ColorChoice::always:
      return {true};
    case ColorChoice::never:
      return {false};
    case ColorChoice::automatic:
      break;
  }
  return {console.out_is_terminal && console.environment_allows_color};
}

}  // namespace tantalus
