#include "kernels/cpu/probes.hpp"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include <doctest/doctest.h>

#include "kernels/cpu/topology.hpp"

namespace tantalus::kernels {
namespace {

const Stream streams[] = {Stream::read,  Stream::write, Stream::in_place, Stream::copy,
                          Stream::scale, Stream::add,   Stream::triad};

std::vector<Isa> isas() {
  std::vector<Isa> found{Isa::sse2};
  if (widest_isa() >= Isa::avx2) found.push_back(Isa::avx2);
  if (widest_isa() >= Isa::avx512) found.push_back(Isa::avx512);
  return found;
}

TEST_CASE("a stream counts the bytes of each of its arrays and computes what its name says") {
  constexpr std::int64_t n = 192;
  for (const Isa isa : isas()) {
    Buffer a(n), b(n), c(n);
    std::fill(a.data(), a.data() + n, 3.0F);
    std::fill(b.data(), b.data() + n, 4.0F);

    CHECK(run_stream(Stream::triad, isa, a.data(), b.data(), c.data(), n) == 3.0 * n * 4);
    CHECK(c[n - 1] == 3.0F + 0.5F * 4.0F);
    run_stream(Stream::add, isa, a.data(), b.data(), c.data(), n);
    CHECK(c[n - 1] == 7.0F);
    run_stream(Stream::scale, isa, a.data(), b.data(), c.data(), n);
    CHECK(b[n - 1] == 1.5F);
    run_stream(Stream::copy, isa, a.data(), b.data(), c.data(), n);
    CHECK(b[n - 1] == 3.0F);
    run_stream(Stream::in_place, isa, a.data(), b.data(), c.data(), n);
    CHECK(a[n - 1] == 2.0F);
    run_stream(Stream::write, isa, a.data(), b.data(), c.data(), n);
    CHECK(a[n - 1] == 1.0F);
    for (const Stream stream : streams) {
      CHECK(run_stream(stream, isa, a.data(), b.data(), c.data(), n) ==
            static_cast<double>(arrays_of(stream) * n * 4));
    }
  }
}

TEST_CASE("a multiply-add probe counts two FLOPs a lane") {
  for (const Isa isa : isas()) {
    CHECK(run_fma(isa, 100) == 2.0 * 12 * 100 * static_cast<double>(fp32_lanes(isa)));
    CHECK(run_fma_chain(isa, 10) == 80.0);
  }
  CHECK(run_add_chain(10) == 160.0);
}

TEST_CASE("a pointer chase makes the steps that it was asked for, rounded up to eight") {
  PointerChase chase(64 * 100, 7);

  CHECK(chase.run(1000) == 1000.0);
  CHECK(chase.run(1001) == 1008.0);
}

TEST_CASE("a file probe reads what it says and leaves no file behind") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  std::string left;
  {
    FileRead file(folder, 2 << 20);
    CHECK(file.read_next(1 << 20) == double{1 << 20});
    CHECK(file.read_random(4096) == 4096.0);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "tantalus-probe-" + std::to_string(getpid())) left = name;
  }
  CHECK(left.empty());
}

TEST_CASE("the processor has a name, a core and a first level cache") {
  const Topology t = topology();

  CHECK_FALSE(t.processor.empty());
  CHECK(t.cores >= 1);
  CHECK(t.memory_bytes > 0);
  REQUIRE_FALSE(t.caches.empty());
  CHECK(t.caches.front().level == 1);
}

}  // namespace
}  // namespace tantalus::kernels
