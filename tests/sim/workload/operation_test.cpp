#include "sim/workload/operation.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

template <class E>
std::set<std::string> names_up_to(E last) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    names.emplace(name_of(static_cast<E>(i)));
  }
  return names;
}

TEST_CASE("every value of an enumeration has a word of its own") {
  CHECK(names_up_to(Pass::update).size() == 5);
  CHECK(names_up_to(ElementFn::adam).size() == 14);
  CHECK(names_up_to(RowFn::reduce).size() == 5);
  CHECK(names_up_to(Algorithm::direct).size() == 7);
  CHECK(names_up_to(DType::int64).size() == 7);
}

TEST_CASE("words are those of the command line") {
  CHECK(name_of(Pass::weight_gradient) == "weight_gradient");
  CHECK(name_of(Algorithm::automatic) == "auto");
  CHECK(name_of(Algorithm::gemm) == "gemm");
  CHECK(name_of(DType::bf16) == "bf16");
}

TEST_CASE("tf32 is a way to multiply: it lies in memory as fp32") {
  CHECK(element_size(DType::tf32) == element_size(DType::fp32));
  CHECK(element_size(DType::fp16) == 2);
  CHECK(element_size(DType::fp8) == 1);
}

TEST_CASE("operand bytes are the sum over all tensors that are read or written") {
  Operation operation;
  operation.operands = {{TensorId{0}, Bytes{100}, false}, {TensorId{1}, Bytes{28}, true}};

  CHECK(operand_bytes(operation) == Bytes{128});
}

}  // namespace
}  // namespace tantalus
