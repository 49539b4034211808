#include "sim/hardware/cache/access_patterns.hpp"

#include <map>
#include <set>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

template <class Pattern>
Accesses accesses_of(Pattern pattern) {
  Accesses all;
  pattern([&](std::span<const Access> chunk) {
    all.insert(all.end(), chunk.begin(), chunk.end());
    return true;
  });
  return all;
}

std::int64_t stores_of(const Accesses& accesses) {
  std::int64_t n = 0;
  for (const Access& a : accesses) n += a.kind == AccessKind::store ? 1 : 0;
  return n;
}

std::set<std::uint64_t> addresses_of(const Accesses& accesses) {
  std::set<std::uint64_t> all;
  for (const Access& a : accesses) all.insert(a.address);
  return all;
}

TEST_CASE("a stream loads each element once a pass, in order") {
  const auto all = accesses_of([](const AccessSink& s) { stream_pattern(Bytes{4096}, 3, s); });
  CHECK(all.size() == 3 * 1024);
  CHECK(all[1].address == all[0].address + 4);
  CHECK(addresses_of(all).size() == 1024);
}

TEST_CASE("a pointer chase visits every line once a pass") {
  const auto all = accesses_of([](const AccessSink& s) { chase_pattern(Bytes{65536}, 2, 5, s); });
  std::map<std::uint64_t, int> visits;
  for (const Access& a : all) ++visits[a.address / 64];
  CHECK(visits.size() == 1024);
  for (const auto& [line, n] : visits) CHECK(n == 2);
}

TEST_CASE("random draws stay inside and come again with the same seed") {
  const auto draw = [](std::uint64_t seed) {
    return accesses_of([&](const AccessSink& s) { random_pattern(Bytes{4096}, 500, seed, s); });
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
  CHECK(*addresses_of(draw(1)).rbegin() - 4096 < 4096);
}

TEST_CASE("three orders of a matrix product touch the same elements") {
  const std::int64_t n = 12;
  const auto naive = accesses_of([&](const AccessSink& s) { naive_matmul_pattern(n, s); });
  const auto tiled = accesses_of([&](const AccessSink& s) { tiled_matmul_pattern(n, 5, s); });
  const auto halved = accesses_of([&](const AccessSink& s) { recursive_matmul_pattern(n, 3, s); });
  // 2 n^3 loads of A and B, n^2 stores of C.
  CHECK(naive.size() == 2 * 12 * 12 * 12 + 12 * 12);
  CHECK(addresses_of(naive) == addresses_of(tiled));
  CHECK(addresses_of(naive) == addresses_of(halved));
  // C is loaded and stored once for each of the 3 blocks of k (5, 5 and 2 long), of the 4 in halves.
  CHECK(stores_of(tiled) == 3 * n * n);
  CHECK(stores_of(halved) == 4 * n * n);
}

ConvShape grouped() {
  ConvShape s;
  s.batch = 2;
  s.in_ch = 4;
  s.in_h = s.in_w = 5;
  s.out_ch = 6;
  s.kernel_h = 3;
  s.kernel_w = 2;
  s.pad_h = 1;
  s.groups = 2;
  s.out_h = 5;
  s.out_w = 4;
  return s;
}

TEST_CASE("a direct convolution stores each output once and leaves the padding out") {
  const auto all = accesses_of([](const AccessSink& s) { direct_conv_pattern(grouped(), s); });
  CHECK(stores_of(all) == 2 * 6 * 5 * 4);
  // Rows of taps inside: 3 x 5 - 2 in the padding = 13; x 2 columns x 4 x 2 channels x 6 outputs x 2 images, two loads each.
  CHECK(static_cast<std::int64_t>(all.size()) - stores_of(all) == 2 * 13 * 2 * 4 * 2 * 6 * 2);
  // Every element of input, filters and output: 200 + 72 + 240.
  CHECK(addresses_of(all).size() == 512);
}

TEST_CASE("im2col writes each column once and then multiplies") {
  const auto all = accesses_of([](const AccessSink& s) { im2col_conv_pattern(grouped(), 64, s); });
  // Columns: 12 taps x 20 pixels, for 2 groups and 2 images; outputs: one k-block.
  CHECK(stores_of(all) == 12 * 20 * 4 + 240);
  CHECK(addresses_of(all).size() == 512 + 240);
}

TEST_CASE("a sink that wants no more is not asked again") {
  int calls = 0;
  naive_matmul_pattern(64, [&](std::span<const Access>) {
    ++calls;
    return false;
  });
  CHECK(calls == 1);
}

}  // namespace
}  // namespace tantalus
