#include "kernels/cpu/probes.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tantalus::kernels {

namespace {

volatile float kept = 0.0F;

// Vectors by the compilers' own extension: one text for every width. They never cross a function's border.
using V4 = float __attribute__((vector_size(16)));
using V8 = float __attribute__((vector_size(32)));
using V16 = float __attribute__((vector_size(64)));

// Twelve chains: more than latency x ports of any processor (4 x 2 or 5 x 2), and they fit sixteen registers.
constexpr int chains = 12;

// NOLINTBEGIN(bugprone-macro-parentheses): a type and an attribute take no parentheses.
#define TANTALUS_PROBES(NAME, VECTOR, TARGET)                                                     \
  struct NAME {                                                                                   \
    using V = VECTOR;                                                                             \
    static constexpr std::int64_t lanes = sizeof(V) / sizeof(float);                              \
    TARGET static double fma(std::int64_t iterations) {                                           \
      V r0 = V{} + 0.1F, r1 = V{} + 0.2F, r2 = V{} + 0.3F, r3 = V{} + 0.4F, r4 = V{} + 0.5F,      \
        r5 = V{} + 0.6F, r6 = V{} + 0.7F, r7 = V{} + 0.8F, r8 = V{} + 0.9F, r9 = V{} + 1.1F,      \
        r10 = V{} + 1.2F, r11 = V{} + 1.3F;                                                       \
      V m = V{} + 0.999F, a = V{} + 1e-3F;                                                        \
      asm volatile("" : "+m"(m), "+m"(a));                                                        \
      for (std::int64_t i = 0; i < iterations; ++i) {                                             \
        r0 = r0 * m + a, r1 = r1 * m + a, r2 = r2 * m + a, r3 = r3 * m + a, r4 = r4 * m + a;      \
        r5 = r5 * m + a, r6 = r6 * m + a, r7 = r7 * m + a, r8 = r8 * m + a, r9 = r9 * m + a;      \
        r10 = r10 * m + a, r11 = r11 * m + a;                                                     \
      }                                                                                           \
      const V sum = r0 + r1 + r2 + r3 + r4 + r5 + r6 + r7 + r8 + r9 + r10 + r11;                  \
      kept = sum[0];                                                                              \
      return 2.0 * chains * static_cast<double>(lanes * iterations);                              \
    }                                                                                             \
    TARGET static double fma_chain(std::int64_t iterations) {                                     \
      V r = V{} + 0.1F, m = V{} + 0.999F, a = V{} + 1e-3F;                                        \
      asm volatile("" : "+m"(m), "+m"(a));                                                        \
      for (std::int64_t i = 0; i < iterations; ++i) {                                             \
        r = r * m + a, r = r * m + a, r = r * m + a, r = r * m + a;                               \
        r = r * m + a, r = r * m + a, r = r * m + a, r = r * m + a;                               \
      }                                                                                           \
      kept = r[0];                                                                                \
      return 8.0 * static_cast<double>(iterations);                                               \
    }                                                                                             \
    TARGET static void read(const float* x, std::int64_t n) {                                     \
      V s0{}, s1{}, s2{}, s3{};                                                                   \
      const auto* v = reinterpret_cast<const V*>(x);                                              \
      for (std::int64_t i = 0; i < n / lanes; i += 4) {                                           \
        s0 += v[i], s1 += v[i + 1], s2 += v[i + 2], s3 += v[i + 3];                               \
      }                                                                                           \
      const V sum = s0 + s1 + s2 + s3;                                                            \
      kept = sum[0];                                                                              \
    }                                                                                             \
    TARGET static void write(float* x, std::int64_t n) {                                          \
      auto* v = reinterpret_cast<V*>(x);                                                          \
      const V value = V{} + 1.0F;                                                                 \
      for (std::int64_t i = 0; i < n / lanes; ++i) {                                              \
        v[i] = value;                                                                             \
        asm volatile("" : : : "memory");                                                          \
      }                                                                                           \
    }                                                                                             \
    TARGET static void in_place(float* x, std::int64_t n) {                                       \
      auto* v = reinterpret_cast<V*>(x);                                                          \
      const V half = V{} + 0.5F;                                                                  \
      for (std::int64_t i = 0; i < n / lanes; ++i) v[i] = v[i] * half + half;                     \
    }                                                                                             \
    TARGET static void triad(const float* x, const float* y, float* z, std::int64_t n, float s) { \
      const auto* a = reinterpret_cast<const V*>(x);                                              \
      const auto* b = reinterpret_cast<const V*>(y);                                              \
      auto* c = reinterpret_cast<V*>(z);                                                          \
      const V factor = V{} + s;                                                                   \
      for (std::int64_t i = 0; i < n / lanes; ++i) c[i] = a[i] + factor * b[i];                   \
    }                                                                                             \
    TARGET static void add(const float* x, const float* y, float* z, std::int64_t n) {            \
      const auto* a = reinterpret_cast<const V*>(x);                                              \
      const auto* b = reinterpret_cast<const V*>(y);                                              \
      auto* c = reinterpret_cast<V*>(z);                                                          \
      for (std::int64_t i = 0; i < n / lanes; ++i) c[i] = a[i] + b[i];                            \
    }                                                                                             \
    TARGET static void scale(const float* x, float* z, std::int64_t n, float s) {                 \
      const auto* a = reinterpret_cast<const V*>(x);                                              \
      auto* c = reinterpret_cast<V*>(z);                                                          \
      const V factor = V{} + s;                                                                   \
      for (std::int64_t i = 0; i < n / lanes; ++i) c[i] = factor * a[i];                          \
    }                                                                                             \
    TARGET static void copy(const float* x, float* z, std::int64_t n) {                           \
      const auto* a = reinterpret_cast<const V*>(x);                                              \
      auto* c = reinterpret_cast<V*>(z);                                                          \
      for (std::int64_t i = 0; i < n / lanes; ++i) {                                              \
        c[i] = a[i];                                                                              \
        asm volatile("" : : : "memory");                                                          \
      }                                                                                           \
    }                                                                                             \
  }

TANTALUS_PROBES(Sse2, V4, );
TANTALUS_PROBES(Avx2, V8, __attribute__((target("avx2,fma"))));
TANTALUS_PROBES(Avx512, V16, __attribute__((target("avx512f"))));
#undef TANTALUS_PROBES
// NOLINTEND(bugprone-macro-parentheses)

template <class Probes>
void pass(Stream stream, float* a, float* b, float* c, std::int64_t n) {
  constexpr float factor = 0.5F;
  switch (stream) {
    case Stream::read:
      return Probes::read(a, n);
    case Stream::write:
      return Probes::write(a, n);
    case Stream::in_place:
      return Probes::in_place(a, n);
    case Stream::copy:
      return Probes::copy(a, b, n);
    case Stream::scale:
      return Probes::scale(a, b, n, factor);
    case Stream::add:
      return Probes::add(a, b, c, n);
    case Stream::triad:
      return Probes::triad(a, b, c, n, factor);
  }
}

std::uint64_t next_random(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

}  // namespace

void keep(float value) { kept = value; }

std::string_view name_of(Isa isa) {
  return isa == Isa::avx512 ? "AVX-512" : isa == Isa::avx2 ? "AVX2" : "SSE2";
}

Isa widest_isa() {
  if (__builtin_cpu_supports("avx512f") != 0) return Isa::avx512;
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return avx2 ? Isa::avx2 : Isa::sse2;
}

std::int64_t fp32_lanes(Isa isa) { return isa == Isa::avx512 ? 16 : isa == Isa::avx2 ? 8 : 4; }

double run_fma(Isa isa, std::int64_t iterations) {
  if (isa == Isa::avx512) return Avx512::fma(iterations);
  return isa == Isa::avx2 ? Avx2::fma(iterations) : Sse2::fma(iterations);
}

double run_fma_chain(Isa isa, std::int64_t iterations) {
  if (isa == Isa::avx512) return Avx512::fma_chain(iterations);
  return isa == Isa::avx2 ? Avx2::fma_chain(iterations) : Sse2::fma_chain(iterations);
}

double run_add_chain(std::int64_t iterations) {
  std::uint64_t sum = 1, step = 3;
  for (std::int64_t i = 0; i < iterations; ++i) {
    asm volatile(
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
        "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
        : "+r"(sum)
        : "r"(step)
        : "cc");
  }
  keep(static_cast<float>(sum));
  return 16.0 * static_cast<double>(iterations);
}

std::string_view name_of(Stream stream) {
  static constexpr std::string_view names[] = {"read",  "write", "in place", "copy",
                                               "scale", "add",   "triad"};
  return names[static_cast<std::size_t>(stream)];
}

int arrays_of(Stream stream) {
  static constexpr int arrays[] = {1, 1, 1, 2, 2, 3, 3};
  return arrays[static_cast<std::size_t>(stream)];
}

double run_stream(Stream stream, Isa isa, float* a, float* b, float* c, std::int64_t n) {
  if (isa == Isa::avx512) pass<Avx512>(stream, a, b, c, n);
  if (isa == Isa::avx2) pass<Avx2>(stream, a, b, c, n);
  if (isa == Isa::sse2) pass<Sse2>(stream, a, b, c, n);
  return static_cast<double>(arrays_of(stream)) * static_cast<double>(n) * sizeof(float);
}

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20U;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + large_page - 1) / large_page * large_page;
}

}  // namespace

void PointerChase::Free::operator()(Line* lines) const {
  ::operator delete[](lines, std::align_val_t{large_page});
}

// Large pages keep page walks out of the latencies of caches.
PointerChase::PointerChase(std::size_t bytes, std::uint64_t seed) {
  const std::size_t count = std::max<std::size_t>(2, bytes / sizeof(Line));
  const std::size_t size = whole_pages(count * sizeof(Line));
  void* memory = ::operator new[](size, std::align_val_t{large_page});
  madvise(memory, size, MADV_HUGEPAGE);
  lines_.reset(new (memory) Line[count]);
  // Sattolo's shuffle: one cycle through all lines.
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::uint64_t state = seed * 2 + 1;
  for (std::size_t i = count - 1; i > 0; --i) {
    std::swap(order[i], order[next_random(state) % i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    lines_[order[i]].next = &lines_[order[(i + 1) % count]];
  }
  at_ = &lines_[order.front()];
}

double PointerChase::run(std::int64_t steps) {
  const Line* at = at_;
  for (std::int64_t i = 0; i < steps; i += 8) {
    at = at->next->next->next->next->next->next->next->next;
  }
  at_ = const_cast<Line*>(at);
  keep(static_cast<float>(reinterpret_cast<std::uintptr_t>(at) & 1U));
  const std::int64_t rounds = (steps + 7) / 8;
  return static_cast<double>(rounds * 8);
}

// ---------------------------------------------------------------------------------------------------------------- files

namespace {

constexpr std::size_t write_block = std::size_t{1} << 20U;
constexpr std::size_t largest_block = std::size_t{4} << 20U;

void fill_file(int file, std::size_t bytes, const Buffer& block) {
  for (std::size_t done = 0; done < bytes; done += write_block) {
    if (write(file, block.data(), write_block) != static_cast<ssize_t>(write_block)) {
      throw std::runtime_error("a probe file cannot be written: is the disk full?");
    }
  }
  if (fsync(file) != 0) throw std::runtime_error("a probe file cannot be written out");
}

}  // namespace

FileRead::FileRead(const std::string& folder, std::size_t bytes)
    : path_(folder + "/tantalus-probe-" + std::to_string(getpid())),
      bytes_(bytes / write_block * write_block),
      block_(largest_block / sizeof(float) + 1024) {
  const int out = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (out < 0) throw std::runtime_error("no probe file can be made in " + folder);
  try {
    fill_file(out, bytes_, block_);
    posix_fadvise(out, 0, 0, POSIX_FADV_DONTNEED);
  } catch (...) {
    close(out);
    unlink(path_.c_str());
    throw;
  }
  close(out);
#ifdef O_DIRECT
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT);
  direct_ = file_ >= 0;
#endif
  if (file_ < 0) file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
}

FileRead::~FileRead() {
  if (file_ >= 0) close(file_);
  unlink(path_.c_str());
}

double FileRead::read_at(std::size_t place, std::size_t block) {
  // O_DIRECT wants memory on a page boundary.
  void* page = block_.data();
  std::size_t room = block_.size() * sizeof(float);
  std::align(4096, block, page, room);
  const ssize_t got = pread(file_, page, block, static_cast<off_t>(place));
  if (got < 0) throw std::runtime_error("a probe file cannot be read");
  return static_cast<double>(got);
}

double FileRead::read_next(std::size_t block) {
  if (next_ + block > bytes_) next_ = 0;
  const std::size_t place = next_;
  next_ += block;
  return read_at(place, block);
}

double FileRead::read_random(std::size_t block) {
  const std::size_t places = bytes_ / block;
  return read_at(next_random(random_) % places * block, block);
}

}  // namespace tantalus::kernels
