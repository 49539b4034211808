#include "kernels/host_cuda/shared_memory.hpp"

#include <doctest/doctest.h>

namespace tantalus::emulate {
namespace {

TEST_CASE("an array is the same memory at each use and starts poisoned") {
  SharedMemory shared;
  auto* const bytes = static_cast<unsigned char*>(shared.array("tile", 7, 100));
  CHECK(bytes[99] == 0xff);
  bytes[99] = 1;

  CHECK(shared.array("tile", 7, 100) == bytes);
  CHECK(bytes[99] == 1);
  shared.poison();
  CHECK(bytes[99] == 0xff);
}

TEST_CASE("arrays of one line are told apart by name, and all of them count") {
  SharedMemory shared;
  CHECK(shared.array("a", 7, 1000) != shared.array("b", 7, 24));
  CHECK(shared.bytes() == 1024);
}

TEST_CASE("an array that no block has room for is refused") {
  SharedMemory shared;
  CHECK(shared.array("all", 1, most_shared_bytes) != nullptr);
  CHECK(shared.array("more", 2, 1) == nullptr);
}

}  // namespace
}  // namespace tantalus::emulate
