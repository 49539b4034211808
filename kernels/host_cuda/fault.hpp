// What an emulated kernel did wrong: one sentence with the kernel's name, block and thread. It ends the launch.
#pragma once

#include <stdexcept>

namespace tantalus::emulate {

class Fault : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tantalus::emulate
