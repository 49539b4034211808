#include "models/dnn/run_spec.hpp"

namespace tantalus {

std::string_view name_of(Mode mode) { return mode == Mode::training ? "training" : "inference"; }

}  // namespace tantalus
