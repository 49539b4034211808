#include "kernels/host_cuda/fiber.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace tantalus::emulate {
namespace {

struct Work {
  Fiber fiber;
  std::string steps;
};

void work(void* argument) {
  auto& mine = *static_cast<Work*>(argument);
  for (const char step : {'a', 'b', 'c'}) {
    mine.steps += step;
    mine.fiber.suspend();
  }
  try {
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
    mine.steps += '!';
  }
  mine.fiber.suspend();
}

TEST_CASE("fibers take turns, each where it left off, and may throw inside") {
  std::vector<Work> all(3);
  for (Work& one : all) one.fiber.prepare(work, &one);

  for (int turn = 0; turn < 4; ++turn) {
    for (Work& one : all) one.fiber.resume();
  }

  for (const Work& one : all) CHECK(one.steps == "abc!");
}

TEST_CASE("a fiber that is prepared anew forgets what it was doing") {
  Work one;
  one.fiber.prepare(work, &one);
  one.fiber.resume();
  one.fiber.resume();

  one.fiber.prepare(work, &one);
  one.fiber.resume();

  CHECK(one.steps == "aba");
}

}  // namespace
}  // namespace tantalus::emulate
