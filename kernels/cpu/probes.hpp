// The micro-benchmarks that a machine is described by: one call does a known amount of work and says how much; the caller times
// it. Kernels exist for each instruction set and are chosen by value, so that one program measures them all. No allocation
// inside a call, no clock, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/cpu/buffer.hpp"

namespace tantalus::kernels {

enum class Isa : std::uint8_t { sse2, avx2, avx512 };
std::string_view name_of(Isa isa);  // "SSE2", "AVX2", "AVX-512"
/// The widest that this processor and system can run.
Isa widest_isa();
std::int64_t fp32_lanes(Isa isa);

/// Independent multiply-adds in registers, enough of them in flight for any latency. Returns FLOPs (two each); SSE2 multiplies
/// and adds apart.
double run_fma(Isa isa, std::int64_t iterations);
/// One chain of multiply-adds. Returns their number.
double run_fma_chain(Isa isa, std::int64_t iterations);
/// One chain of integer additions, one clock each on every x86-64 processor. Returns their number.
double run_add_chain(std::int64_t iterations);

enum class Stream : std::uint8_t { read, write, in_place, copy, scale, add, triad };
std::string_view name_of(Stream stream);
/// Arrays that a stream passes over.
int arrays_of(Stream stream);
/// One pass over arrays of n floats (n a multiple of 64). Returns bytes counted as STREAM does, each array read or written once.
double run_stream(Stream stream, Isa isa, float* a, float* b, float* c, std::int64_t n);

/// A random cycle through all lines of a buffer: every load waits for the one before.
class PointerChase {
 public:
  PointerChase(std::size_t bytes, std::uint64_t seed);
  /// Follows `steps` links from where it stopped; returns the steps.
  double run(std::int64_t steps);

 private:
  struct Line {
    Line* next = nullptr;
    char rest[56] = {};
  };
  struct Free {
    void operator()(Line* lines) const;
  };
  std::unique_ptr<Line[], Free> lines_;  // on large pages where the system has some
  Line* at_ = nullptr;
};

/// A file of our own in a folder, read past the page cache where the file system allows it. Removed with the object.
class FileRead {
 public:
  /// Throws std::runtime_error when the file cannot be written.
  FileRead(const std::string& folder, std::size_t bytes);
  ~FileRead();
  FileRead(const FileRead&) = delete;
  FileRead& operator=(const FileRead&) = delete;
  FileRead(FileRead&&) = delete;
  FileRead& operator=(FileRead&&) = delete;

  /// Reads `block` bytes at the next place in order, or at a random one. Returns the bytes.
  double read_next(std::size_t block);
  double read_random(std::size_t block);
  /// False: the reads went through the page cache, emptied of this file as far as the system agrees.
  bool direct() const { return direct_; }

 private:
  double read_at(std::size_t place, std::size_t block);

  std::string path_;
  int file_ = -1;
  bool direct_ = false;
  std::size_t bytes_ = 0, next_ = 0;
  std::uint64_t random_ = 88172645463325252ULL;
  Buffer block_;
};

/// Results of every probe end here, so that no compiler leaves the work out.
void keep(float value);

}  // namespace tantalus::kernels
