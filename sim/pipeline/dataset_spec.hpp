// A data set as its file describes it (`tantalus: dataset/1`, models/datasets): how many items, how large, how they lie in
// storage, and what one core spends to make a training sample of one. The work is the data's; what a loader adds to each item
// and batch is the loader's (loader_spec.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

/// files: one file an item, read in any order. shards: items lie one behind the other in large files, read from the front.
/// memory: the program holds them all; nothing is read.
enum class DataLayout : std::uint8_t { files, shards, memory };

struct DatasetSpec {
  std::string name;
  std::int64_t items = 0;
  Bytes item_bytes;
  double spread = 0.0;
  DataLayout layout = DataLayout::files;
  std::int64_t shards = 1;
  std::int64_t pixels = 0;
  Duration decode_per_pixel;
  std::int64_t values = 0;
  std::int64_t bytes_per_value = 4;
  Duration augment_per_value;
  Duration item_time;
};

inline constexpr EnumName<DataLayout> data_layout_names[] = {
    {"files", DataLayout::files}, {"shards", DataLayout::shards}, {"memory", DataLayout::memory}};

template <class Visitor>
void describe(Visitor& v, DatasetSpec& s) {
  v.text("name", s.name, "the data set's full name");
  v.required("items", s.items, within(1, 4'000'000'000.0), "training samples in one epoch");
  v.required("item_bytes", s.item_bytes, positive, "mean bytes of one item as it is stored");
  v.defaulted("spread", s.spread, within(0, 0.57),
              "standard deviation of the stored size over its mean; sizes are spread evenly");
  v.required_choice("layout", s.layout, data_layout_names,
                    "files: one an item, in any order; shards: large files read from the front; "
                    "memory: held by the program, nothing is read");
  v.defaulted("shards", s.shards, within(1, 1'000'000), "files of the layout shards");
  v.defaulted("pixels", s.pixels, within(0, 1e9), "mean pixels of an item that has to be decoded");
  v.defaulted("decode_per_pixel", s.decode_per_pixel, not_negative,
              "time of one core to decode one of them");
  v.required("values", s.values, within(1, 1e9), "numbers in one sample as the network reads it");
  v.defaulted("bytes_per_value", s.bytes_per_value, within(1, 8),
              "of each of them when it leaves the loader");
  v.defaulted("augment_per_value", s.augment_per_value, not_negative,
              "time of one core to crop, scale, flip and normalise, for each value");
  v.defaulted("item_time", s.item_time, not_negative,
              "time of one core for each item besides, such as that of the interpreter");
}
void check(const DatasetSpec& spec, SpecChecker& checker);

/// Reads a data set file's text.
Result<DatasetSpec> load_dataset(std::string_view text, const std::string& file);

/// Stored size of one item: uniform around the mean with the stated spread, the same in every run.
Bytes stored_size(const DatasetSpec& spec, std::uint64_t item);
/// What one core spends on an item of this size: decoding grows with it, the rest does not.
Duration prepare_time(const DatasetSpec& spec, Bytes stored);
/// One sample as it leaves the loader.
Bytes sample_bytes(const DatasetSpec& spec);
/// All items as they are stored.
Bytes stored_bytes(const DatasetSpec& spec);

}  // namespace tantalus
