#include "sim/hardware/memory_plan.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

TaskGraph needing(std::int64_t parameters, std::int64_t activations) {
  TaskGraph tasks;
  tasks.add_layer({"conv1", "conv2d", 0, {}, {}, {}});
  tasks.memory.parameters = tasks.memory.gradients = Bytes{parameters};
  tasks.memory.optimizer = Bytes{2 * parameters};
  tasks.memory.activations = Bytes{activations};
  tasks.memory.activations_by_layer = {Bytes{activations}};
  return tasks;
}

TEST_CASE("the peak is everything that must lie in memory at one time") {
  const MemoryResult memory = plan_memory(needing(100, 50), Bytes{7}, {Bytes{1'000}, Bytes{3}});

  CHECK(memory.peak == Bytes{100 + 100 + 200 + 50 + 7 + 3});
  CHECK(memory.largest_layer == "conv1");
}

TEST_CASE("a step that fills the memory to the last byte fits, one byte more does not") {
  CHECK(plan_memory(needing(100, 50), Bytes{0}, {Bytes{450}, Bytes{0}}).fits);
  CHECK_FALSE(plan_memory(needing(100, 50), Bytes{0}, {Bytes{449}, Bytes{0}}).fits);
}

}  // namespace
}  // namespace tantalus
