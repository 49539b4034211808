#include "sim/app/config_reference.hpp"

#include <string_view>

#include "sim/app/tolerances.hpp"
#include "sim/app/written_kinds.hpp"
#include "sim/config/network_spec.hpp"
#include "sim/config/reference_page.hpp"
#include "sim/config/system_spec.hpp"
#include "sim/hardware/cache/cache_shape.hpp"
#include "sim/hardware/stack_spec.hpp"
#include "sim/hardware/system_plan.hpp"
#include "sim/pipeline/dataset_spec.hpp"
#include "sim/pipeline/loader_spec.hpp"

namespace tantalus {

namespace {

std::string layer_tables() {
  std::string text;
  for_each_layer_kind([&](LayerKind kind, auto& layer) {
    ReferencePage page;
    describe(page, layer);
    text += "### `kind: " + std::string(name_of(kind)) + "`\n\n" + page.finish() + "\n";
  });
  return text;
}

template <class Spec>
std::string chapter(std::string_view heading) {
  return std::string(heading) + "\n\n" + reference_table<Spec>() + "\n";
}

}  // namespace

std::string config_reference() {
  std::string page =
      "# Every field of every file\n\n"
      "Generated from the specs themselves (a test fails when this page is stale; "
      "`TANTALUS_UPDATE_GOLDEN=1` rewrites it).\n"
      "Quantities carry their unit; decimal and binary sizes are different words. A field that is "
      "*derived* is computed by the\n"
      "formula shown when the file leaves it out. The paths here are those of `set:`, `--set` and "
      "of every message.\n\n"
      "Every file begins with `tantalus: KIND/1` and may say `hypothetical: true` (impossible "
      "values become warnings),\n"
      "`sources:` (a map from field paths or their prefixes, or `\"*\"`, to where the number comes "
      "from) and, in device files,\n"
      "`calibration:` (a map from field paths to what was measured on a real part).\n\n";
  page += "# Devices: `tantalus: device/1`\n\n";
  for (const WrittenKind& kind : written_devices())
    page += "## `kind: " + std::string(kind.kind) + "`\n\n" + kind.document() + "\n";
  page +=
      "# Systems: `tantalus: system/1`\n\n"
      "`parts:` is a map from ids (or ranges such as `gpu[0-7]`) to `{use: DEVICE, set: {PATH: "
      "VALUE}}` or to a device written\n"
      "in place. `links:` is a list of entries as below; `host:` is optional.\n\n";
  page += chapter<LinkEntrySpec>("## An entry of `links:`") + chapter<HostSpec>("## `host:`");
  page += "# Networks: `tantalus: network/1`\n\n" + chapter<NetworkText>("## The file") +
          chapter<BlockText>("## A block of layers") + "## Layers\n\n" + layer_tables();
  page += "# Libraries: `tantalus: library/1`\n\n";
  for (const WrittenKind& kind : written_libraries())
    page += "## `kind: " + std::string(kind.kind) + "`\n\n" + kind.document() + "\n";
  page += chapter<StackSpec>("# Stacks: `tantalus: stack/1`") +
          "# Caches: `tantalus: cache/1`\n\n" + chapter<HierarchyShape>("## The file") +
          chapter<CacheShape>("## An entry of `levels:`, and `instruction:`") +
          chapter<DatasetSpec>("# Data sets: `tantalus: dataset/1`") +
          chapter<LoaderSpec>("# Loaders: `tantalus: loader/1`") +
          chapter<Tolerances>("# Limits of `validate --device cpu`: `tantalus: tolerances/1`");
  page.pop_back();
  return page;
}

}  // namespace tantalus
