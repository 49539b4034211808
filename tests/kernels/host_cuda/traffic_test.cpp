#include "kernels/host_cuda/traffic.hpp"

#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "kernels/gpu/cuda_words.cuh"

namespace tantalus::kernels {
namespace {

using emulate::AccessKind;

struct alignas(256) Buffer {
  std::array<float, 4096> values{};
};

void strided_kernel(ConstFloats x, Floats y, int stride, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float value = TANTALUS_LOAD_IF(i < count, x, i * stride);
  TANTALUS_STORE_IF(i < count, y, i, value);
}

emulate::LaunchTraffic traffic_of(int stride, int count) {
  static Buffer x, y;
  emulate::TrafficRecorder recorder;
  emulate::record_into(&recorder);
  launch({}, "strided", {{blocks_for(count, 64)}, {64}}, strided_kernel,
         ConstFloats{x.values.data(), 4096}, Floats{y.values.data(), 4096}, stride, count);
  emulate::record_into(nullptr);
  return recorder.launches().front();
}

TEST_CASE("a warp that reads consecutive words takes four sectors a request") {
  const emulate::LaunchTraffic traffic = traffic_of(1, 128);

  CHECK(traffic.kernel == "strided");
  CHECK(traffic.of(AccessKind::read).requests == 4);
  CHECK(traffic.of(AccessKind::read).bytes == 512);
  CHECK(traffic.of(AccessKind::read).sectors == 16);
  CHECK(traffic.of(AccessKind::read).footprint == 16);
  CHECK(traffic.of(AccessKind::read).sectors_per_request() == 4.0);
  CHECK(traffic.of(AccessKind::write).sectors == 16);
}

TEST_CASE("a stride of eight words takes a sector for each lane") {
  const emulate::LaunchTraffic traffic = traffic_of(8, 128);
  CHECK(traffic.of(AccessKind::read).sectors == 128);
  CHECK(traffic.of(AccessKind::read, "x").sectors_per_request() == 32.0);
  CHECK(traffic.of(AccessKind::write, "y").sectors == 16);
}

TEST_CASE("lanes whose predicate fails ask for nothing, and a warp of them makes no request") {
  const emulate::LaunchTraffic traffic = traffic_of(1, 70);  // two whole warps, six lanes, one idle
  CHECK(traffic.of(AccessKind::read).requests == 3);
  CHECK(traffic.of(AccessKind::read).bytes == 280);
  CHECK(traffic.of(AccessKind::read).sectors == 9);
}

void reread_kernel(ConstFloats x, Floats y) {
  float sum = 0.0F;
  for (int i = 0; i < 3; ++i) sum += TANTALUS_LOAD(x, i);
  TANTALUS_STORE(y, static_cast<int>(threadIdx.x), sum);
}

TEST_CASE("each turn of a loop is a request of its own; the footprint counts a sector once") {
  static Buffer x, y;
  emulate::TrafficRecorder recorder;
  emulate::record_into(&recorder);
  launch({}, "reread", {{1}, {32}}, reread_kernel, ConstFloats{x.values.data(), 3},
         Floats{y.values.data(), 32});
  emulate::record_into(nullptr);

  const emulate::Tally read = recorder.launches().front().of(AccessKind::read);
  CHECK(read.requests == 3);
  CHECK(read.sectors == 3);
  CHECK(read.footprint == 1);
}

}  // namespace
}  // namespace tantalus::kernels
