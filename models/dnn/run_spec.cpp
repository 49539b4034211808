#include "models/dnn/run_spec.hpp"

namespace tantalus {

std::string_view name_of(Mode mode) { return mode == Mode::training ? "training" : "inference"; }

std::string_view name_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return "sgd";
    case Optimizer::adam:
      return "adam";
    case Optimizer::sgd_momentum:
      return "sgd_momentum";
  }
  return "sgd_momentum";
}

}  // namespace tantalus
