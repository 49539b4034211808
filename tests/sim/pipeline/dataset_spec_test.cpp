#include "sim/pipeline/dataset_spec.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

constexpr const char* images = R"(tantalus: dataset/1
name: Images
sources: {"*": test}
items: 1000
item_bytes: 110 kB
spread: 0.5
layout: files
pixels: 200000
decode_per_pixel: 8 ns
values: 150528
augment_per_value: 5 ns
item_time: 45 us
)";

TEST_CASE("a data set's file says what an item costs a core") {
  const Result<DatasetSpec> spec = load_dataset(images, "images.yaml");
  REQUIRE(spec.ok());
  // 200,000 x 8 ns + 150,528 x 5 ns + 45 us
  CHECK(prepare_time(*spec, Bytes{110'000}) == Duration{2'397'640'000});
  CHECK(prepare_time(*spec, Bytes{220'000}) == Duration{3'997'640'000});
  CHECK(sample_bytes(*spec) == Bytes{602'112});
  CHECK(stored_bytes(*spec) == Bytes{110'000'000});
}

TEST_CASE("stored sizes have the mean and the spread of the file, and no item has two") {
  const Result<DatasetSpec> spec = load_dataset(images, "images.yaml");
  REQUIRE(spec.ok());
  double sum = 0, squares = 0;
  constexpr int items = 100'000;
  for (std::uint64_t i = 0; i < items; ++i) {
    const Bytes size = stored_size(*spec, i);
    CHECK(size == stored_size(*spec, i));
    const double relative = static_cast<double>(size.count()) / 110'000.0;
    sum += relative, squares += relative * relative;
  }
  const double mean = sum / items;
  CHECK(mean == doctest::Approx(1.0).epsilon(0.01));
  CHECK(std::sqrt(squares / items - mean * mean) == doctest::Approx(0.5).epsilon(0.01));
}

TEST_CASE("a field that would do nothing is refused by name") {
  const auto code = [](std::string text) {
    const Result<DatasetSpec> spec = load_dataset(text, "x.yaml");
    REQUIRE_FALSE(spec.ok());
    return spec.diagnostics().front().code + " " + spec.diagnostics().front().path;
  };
  const std::string head =
      "tantalus: dataset/1\nsources: {\"*\": test}\nitems: 10\nitem_bytes: 1 kB\nvalues: 784\n";
  CHECK(code(head + "layout: files\nshards: 4\n") == "unused-field shards");
  CHECK(code(head + "layout: shards\nshards: 11\n") == "too-many-shards shards");
  CHECK(code(head + "layout: files\ndecode_per_pixel: 8 ns\n") == "unused-field decode_per_pixel");
  CHECK(code(head + "layout: tape\n") == "unknown-word layout");
}

}  // namespace
}  // namespace tantalus
