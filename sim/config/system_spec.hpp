// A machine as text: `tantalus: system/1` names parts and the links between them. This module resolves ranges, `use:`,
// `set:`, `calibration:` and `--set` into one YAML body a part; what a body means is the business of its kind
// (sim/hardware). It reads no files: a look-up callback brings the text of a device by its stem.
//
//   parts:
//     cpu:      {use: xeon-e5-2650-v3}
//     gpu[0-7]: {use: h200-sxm, set: {clock.boost: 1.9 GHz}}
//   links:
//     - {join: [cpu, "gpu[0-7]"], pcie: {generation: 5, lanes: 16}}
//     - {join: ["gpu[0-7]", "gpu[0-7]"], nvlink: {links: 18, per_link: 25 GB/s}}
//
// In a link a range against one part fans out; two different ranges of equal length pair up in order; a range against
// itself joins every pair once. (Inside [brackets] a range needs quotes: YAML gives [ a meaning there.)
// A device file alone is a system of one part, called by its kind: gpu0, cpu0.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/config/document_header.hpp"
#include "sim/config/map_reader.hpp"
#include "sim/config/overrides.hpp"
#include "sim/config/sources.hpp"
#include "sim/config/yaml_node.hpp"

namespace tantalus {

struct PcieLinkSpec {
  int generation = 0;
  int lanes = 0;
};

struct NvlinkLinkSpec {
  std::optional<int> generation;  // the parts' own when absent
  int links = 0;
  std::optional<Bandwidth> per_link;  // each direction; the parts' own when absent
};

/// One entry of `links:` as written.
struct LinkEntrySpec {
  std::vector<std::string> join;
  std::optional<PcieLinkSpec> pcie;
  std::optional<NvlinkLinkSpec> nvlink;
};

/// Two parts and the wire between them; exactly one of `pcie` and `nvlink` is there.
struct LinkPlan {
  std::size_t a = 0;  // indices of SystemSpec::parts
  std::size_t b = 0;
  std::optional<PcieLinkSpec> pcie;
  std::optional<NvlinkLinkSpec> nvlink;
  SourcePos where;   // of the entry that made it
  std::string path;  // "links.0"
};

struct PartSpec {
  std::string id;    // "gpu0"
  std::string kind;  // "gpu"; whether there is such a kind is for the hardware to say
  SourcePos kind_where;
  SourcePos where;     // of its entry in a system file
  std::string device;  // the stem of its file; empty for an inline part
  YamlNode body;       // its fields, calibration and overrides applied, without header and kind
  bool calibrated = false;  // a `calibration:` block was applied
  bool hypothetical = false;
  Sources sources;
};

struct SystemSpec {
  std::string name;
  bool lone = false;  // a device file alone: there is no host
  bool hypothetical = false;
  std::vector<PartSpec> parts;  // in the order of the file
  std::vector<LinkPlan> links;
  YamlNode host;  // the `host:` section as written, or absent
  Sources host_sources;

  /// The index of a part, or nothing.
  std::optional<std::size_t> find_part(std::string_view id) const;
};

struct DeviceText {
  std::string file;  // for positions
  std::string text;
};
/// From a stem to the device file's text, or a Diagnostic (its place is filled in with that of the `use:`).
using DeviceLookUp = std::function<Result<DeviceText>(const std::string& stem)>;

/// What a look-up says of a stem that it does not find; `known` are the stems to propose from. Code "unknown-device".
Diagnostic unknown_device(const std::string& stem, const std::vector<std::string>& known = {});

/// What to call and how to load.
struct SystemLoad {
  DeviceLookUp look_up;
  std::vector<Override> sets;   // `--set`, in order
  bool use_calibration = true;  // false for `--knowledge datasheet`
};

/// What could be read of a file, with everything that is wrong: parts that are in order can be checked by their devices even
/// when others, or the links, are not.
struct SystemReading {
  SystemSpec spec;
  Diagnostics found;
};
SystemReading read_system_text(std::string_view text, const std::string& file,
                               const SystemLoad& load);

/// The same when only a file without mistakes will do.
Result<SystemSpec> load_system_text(std::string_view text, const std::string& file,
                                    const SystemLoad& load);

/// How to read a part's body: its path is the part's id.
ReadContext reading(const PartSpec& part);

/// The ids that "gpu[0-7]" stands for, in order; a plain id stands for itself. Code "bad-range".
Result<std::vector<std::string>> expand_range(const std::string& id, const YamlNode& at);

template <class Visitor>
void describe(Visitor& v, PcieLinkSpec& s) {
  v.required("generation", s.generation, within(1, 7), "PCI Express generation");
  v.required("lanes", s.lanes, within(1, 32), "lanes in use: 1, 2, 4, 8, 16 or 32");
}
void check(const PcieLinkSpec& spec, SpecChecker& checker);

template <class Visitor>
void describe(Visitor& v, NvlinkLinkSpec& s) {
  v.optional("generation", s.generation, within(1, 6),
             "NVLink generation; the parts' own when absent");
  v.required("links", s.links, within(1, 36), "links between the two parts");
  v.optional("per_link", s.per_link, positive,
             "rate of one link in one direction; the parts' own when absent");
}

template <class Visitor>
void describe(Visitor& v, LinkEntrySpec& s) {
  v.list("join", s.join, any_value, "the two parts, or ranges of parts, that the link joins");
  v.optional_section("pcie", s.pcie, "a PCI Express link");
  v.optional_section("nvlink", s.nvlink, "an NVLink connection");
}
void check(const LinkEntrySpec& spec, SpecChecker& checker);

}  // namespace tantalus
