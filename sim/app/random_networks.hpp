// Networks that nobody has seen before: drawn from a seed when the program runs, so that no constant can have been chosen with
// them in view. Small convolutional networks of the kinds that the harness runs; equal seeds give equal texts everywhere.
#pragma once

#include <cstdint>
#include <string>

namespace tantalus {

struct RandomNetwork {
  std::string name;  // "random-7-3"
  std::string text;  // a network file
  std::int64_t batch = 1;
};

RandomNetwork random_network(std::int64_t seed, std::int64_t index);

}  // namespace tantalus
