#include "kernels/host_cuda/shared_memory.hpp"

#include <cstring>

namespace tantalus::emulate {

namespace {
constexpr int poison_byte = 0xff;
}

void* SharedMemory::array(const char* name, int line, std::size_t bytes) {
  for (const auto& known : arrays_) {
    if (known->line == line && known->name == name) return known->memory.data();
  }
  bytes_ += bytes;
  if (bytes_ > most_shared_bytes) return nullptr;
  auto made = std::make_unique<Array>();
  made->name = name;
  made->line = line;
  made->memory.resize((bytes + sizeof(Chunk) - 1) / sizeof(Chunk));
  std::memset(made->memory.data(), poison_byte, made->memory.size() * sizeof(Chunk));
  arrays_.push_back(std::move(made));
  return arrays_.back()->memory.data();
}

void SharedMemory::poison() {
  for (const auto& known : arrays_)
    std::memset(known->memory.data(), poison_byte, known->memory.size() * sizeof(Chunk));
}

}  // namespace tantalus::emulate
