#include "sim/app/written_kinds.hpp"

#include <algorithm>
#include <array>

#include "sim/hardware/cpu_library.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/gpu_library.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/hardware/library_alias.hpp"
#include "sim/hardware/storage/hdd_spec.hpp"
#include "sim/hardware/storage/network_storage_spec.hpp"
#include "sim/hardware/storage/ssd_spec.hpp"

namespace tantalus {

namespace {

std::string spaces(int count) { return std::string(static_cast<std::size_t>(count), ' '); }

// What `sources:` must say so that a second reading knows no less. A derived or default value gets no line: nobody printed it.
std::string source_of(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::data_sheet:
      return origin.detail;
    case Origin::Kind::measured:
      if (origin.detail.empty()) return "measured";
      return origin.detail +
             (origin.detail.find("measured") == std::string::npos ? " (measured)" : "");
    case Origin::Kind::overridden:
      return "override";
    case Origin::Kind::unsourced:
    case Origin::Kind::derived:
    case Origin::Kind::defaulted:
      break;
  }
  return {};
}

constexpr std::array<WrittenKind, 5> device_specs = {
    {{"cpu", &shown_body<CpuSpec>, &reference_table<CpuSpec>},
     {"gpu", &shown_body<GpuSpec>, &reference_table<GpuSpec>},
     {"ssd", &shown_body<SsdSpec>, &reference_table<SsdSpec>},
     {"hdd", &shown_body<HddSpec>, &reference_table<HddSpec>},
     {"network_storage", &shown_body<NetworkStorageSpec>, &reference_table<NetworkStorageSpec>}}};
constexpr std::array<WrittenKind, 3> library_specs = {
    {{"alias", &shown_body<LibraryAlias>, &reference_table<LibraryAlias>},
     {"cpu", &shown_body<CpuLibrary>, &reference_table<CpuLibrary>},
     {"gpu", &shown_body<GpuLibrary>, &reference_table<GpuLibrary>}}};

}  // namespace

std::span<const WrittenKind> written_devices() { return device_specs; }
std::span<const WrittenKind> written_libraries() { return library_specs; }

const WrittenKind* find_kind(std::span<const WrittenKind> kinds, std::string_view kind) {
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const WrittenKind& one) { return one.kind == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

std::string sources_text(const Origins& origins, int indent) {
  std::string lines;
  for (const auto& [path, origin] : origins) {
    const std::string source = source_of(origin);
    if (!source.empty()) lines += spaces(indent + 2) + path + ": " + yaml_text(source) + "\n";
  }
  return lines.empty() ? "" : spaces(indent) + "sources:\n" + lines;
}

}  // namespace tantalus
