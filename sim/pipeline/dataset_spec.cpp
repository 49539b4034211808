#include "sim/pipeline/dataset_spec.hpp"

#include <algorithm>
#include <utility>

#include "sim/config/document_header.hpp"
#include "sim/config/map_reader.hpp"
#include "sim/hardware/storage/place_hash.hpp"

namespace tantalus {

void check(const DatasetSpec& spec, SpecChecker& checker) {
  if (spec.layout != DataLayout::shards && spec.shards != 1) {
    checker.contradictory("shards", "unused-field", "only the layout shards has any",
                          "write layout: shards, or leave the field out");
  }
  if (spec.shards > spec.items) {
    checker.contradictory("shards", "too-many-shards", "there are more shards than items",
                          "use at most one shard an item");
  }
  if (spec.pixels == 0 && spec.decode_per_pixel > Duration{0}) {
    checker.contradictory("decode_per_pixel", "unused-field", "there are no pixels to decode",
                          "write pixels, or leave the field out");
  }
}

Result<DatasetSpec> load_dataset(std::string_view text, const std::string& file) {
  Result<Document> document = read_document(text, file, "dataset");
  if (!document) return document.diagnostics();
  Result<DatasetSpec> spec = read_spec<DatasetSpec>(document->body, reading(*document));
  if (!spec) return spec.diagnostics();
  Diagnostics warnings = document.diagnostics();
  warnings.insert(warnings.end(), spec.diagnostics().begin(), spec.diagnostics().end());
  return {std::move(spec).value(), std::move(warnings)};
}

Bytes stored_size(const DatasetSpec& spec, std::uint64_t item) {
  if (spec.spread == 0.0) return spec.item_bytes;
  constexpr double sides = 1.7320508075688772;  // a uniform distribution reaches sqrt(3) deviations
  const double place = static_cast<double>(place_hash(item) >> 11) * 0x1p-53;
  const double factor = 1.0 + spec.spread * sides * (2.0 * place - 1.0);
  const auto size =
      static_cast<std::int64_t>(static_cast<double>(spec.item_bytes.count()) * factor);
  return Bytes{std::max<std::int64_t>(size, 1)};
}

Duration prepare_time(const DatasetSpec& spec, Bytes stored) {
  const Int128 decode = Int128{spec.pixels} * spec.decode_per_pixel.count() * stored.count();
  return Duration{divide_up(decode, spec.item_bytes.count())} +
         spec.augment_per_value * spec.values + spec.item_time;
}

Bytes sample_bytes(const DatasetSpec& spec) { return Bytes{spec.values * spec.bytes_per_value}; }

Bytes stored_bytes(const DatasetSpec& spec) { return spec.item_bytes * spec.items; }

}  // namespace tantalus
