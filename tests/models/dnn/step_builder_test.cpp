#include "models/dnn/step_builder.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

Operation using_tensors(std::vector<TensorUse> operands) {
  Operation operation;
  operation.operands = std::move(operands);
  return operation;
}

const std::vector<TaskId>& waits(const StepBuilder& builder, std::size_t task) {
  return builder.graph.tasks()[task].after;
}

TEST_CASE("a reader waits for the last writer, a writer for the readers before it") {
  StepBuilder builder;
  builder.graph.add_layer({});
  const TensorId a = builder.add_tensor(Bytes{8}, TensorRole::transient);
  const TensorId b = builder.add_tensor(Bytes{8}, TensorRole::transient);
  builder.emit(using_tensors({{a, Bytes{8}, true}}));                 // 0 writes a
  builder.emit(using_tensors({{a, Bytes{8}}, {b, Bytes{8}, true}}));  // 1 reads a, writes b
  builder.emit(using_tensors({{a, Bytes{8}}}));                       // 2 reads a
  builder.emit(using_tensors({{a, Bytes{8}, true}}));                 // 3 writes a again

  CHECK(waits(builder, 0).empty());
  CHECK(waits(builder, 1) == std::vector<TaskId>{TaskId{0}});
  CHECK(waits(builder, 2) == std::vector<TaskId>{TaskId{0}});
  CHECK(waits(builder, 3) == std::vector<TaskId>{TaskId{0}, TaskId{1}, TaskId{2}});
}

TEST_CASE("what is updated in place waits for its own last writer and does not wait for itself") {
  StepBuilder builder;
  builder.graph.add_layer({});
  const TensorId a = builder.add_tensor(Bytes{8}, TensorRole::transient);
  builder.emit(using_tensors({{a, Bytes{8}}, {a, Bytes{8}, true}}));
  builder.emit(using_tensors({{a, Bytes{8}}, {a, Bytes{8}, true}}));
  CHECK(waits(builder, 0).empty());
  CHECK(waits(builder, 1) == std::vector<TaskId>{TaskId{0}});
}

TEST_CASE("the peak is the largest sum of what lives at one time") {
  StepBuilder builder;
  builder.graph.add_layer({});
  const TensorId a = builder.add_tensor(Bytes{100}, TensorRole::transient);
  const TensorId b = builder.add_tensor(Bytes{30}, TensorRole::transient);
  const TensorId c = builder.add_tensor(Bytes{5}, TensorRole::transient);
  builder.emit(using_tensors({{a, Bytes{100}}, {b, Bytes{30}, true}}));  // a + b = 130
  builder.emit(using_tensors({{b, Bytes{30}}, {c, Bytes{5}, true}}));    // b + c: a is dead
  builder.plan_memory();
  CHECK(builder.graph.memory.activations == Bytes{130});
}

TEST_CASE("a result lives to the end, and unused tensors never live") {
  StepBuilder builder;
  builder.graph.add_layer({});
  builder.graph.add_layer({});
  const TensorId a = builder.add_tensor(Bytes{100}, TensorRole::transient);
  const TensorId b = builder.add_tensor(Bytes{30}, TensorRole::transient);
  builder.add_tensor(Bytes{1'000}, TensorRole::transient);
  builder.mark_result(a);
  builder.emit(using_tensors({{a, Bytes{100}, true}}));
  Operation later = using_tensors({{b, Bytes{30}, true}});
  later.layer = LayerId{1};
  builder.emit(std::move(later));
  builder.plan_memory();
  CHECK(builder.graph.memory.activations == Bytes{130});
  CHECK(builder.graph.memory.activations_by_layer == std::vector<Bytes>{Bytes{100}, Bytes{130}});
}

TEST_CASE("parameters, gradients and optimizer state count whole, used or not") {
  StepBuilder builder;
  builder.add_tensor(Bytes{7}, TensorRole::parameter);
  builder.add_tensor(Bytes{11}, TensorRole::gradient);
  builder.add_tensor(Bytes{13}, TensorRole::optimizer);
  builder.plan_memory();
  CHECK(builder.graph.memory.parameters == Bytes{7});
  CHECK(builder.graph.memory.gradients == Bytes{11});
  CHECK(builder.graph.memory.optimizer == Bytes{13});
}

}  // namespace
}  // namespace tantalus
