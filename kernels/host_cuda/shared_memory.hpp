// The shared memory of one block: arrays that are known by name and line. Every byte is 0xff (a NaN in floats) when a block
// begins, and no block gets more than a device gives without being asked.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tantalus::emulate {

/// The largest shared memory of a block, as on every CUDA device without opting in.
inline constexpr std::size_t most_shared_bytes = std::size_t{48} * 1024;

class SharedMemory {
 public:
  /// The block's copy of an array, made at its first use; nullptr when the block has no room for it.
  void* array(const char* name, int line, std::size_t bytes);

  /// Of all arrays that were used so far.
  std::size_t bytes() const { return bytes_; }

  /// A new block begins: nothing of the last one is left.
  void poison();

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  struct Array {
    std::string name;
    int line = 0;
    std::vector<Chunk> memory;
  };

  std::vector<std::unique_ptr<Array>> arrays_;
  std::size_t bytes_ = 0;
};

}  // namespace tantalus::emulate
