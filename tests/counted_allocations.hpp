// Counts every allocation of a program, to show that none is made in steady state. It replaces operator new and delete, so that
// exactly one file of a program includes it.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// Not inlined: g++ would see the free() of one and the operator new of the other, and call them mismatched.
#define NOT_INLINED __attribute__((noinline))
NOT_INLINED void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
NOT_INLINED void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
NOT_INLINED void operator delete(void* block) noexcept { std::free(block); }
NOT_INLINED void operator delete(void* block, std::size_t) noexcept { std::free(block); }
NOT_INLINED void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
NOT_INLINED void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}
