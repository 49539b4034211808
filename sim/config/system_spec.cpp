#include "sim/config/system_spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "sim/base/text.hpp"

namespace tantalus {

namespace {

constexpr std::size_t most_in_range = 1'024;

void append(Diagnostics& all, Diagnostics more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool is_id(std::string_view id) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !id.empty() && std::all_of(id.begin(), id.end(), allowed);
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> ids_of(const SystemSpec& system) {
  std::vector<std::string> ids;
  for (const PartSpec& part : system.parts) ids.push_back(part.id);
  return ids;
}

std::string did_you_mean(const std::string& word, std::span<const std::string> words) {
  const std::string near = closest_word(word, words);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

// ------------------------------------------------------------------------------------------------- overrides by part

bool is_root_path(std::string_view first) {
  return first == "host" || first == "links" || first == "name" || first == "hypothetical";
}

std::string_view first_step(std::string_view path) { return path.substr(0, path.find('.')); }

/// A --set path split into the parts it names and the path inside them.
struct Address {
  std::vector<std::string> ids;
  std::string rest;
};

YamlNode as_node(const Override& set) {
  YamlNode node = set.value;
  node.text = set.path;
  return node;
}

// "gpu0.sm.count", "gpu[0-7].sm.count"; with a lone part also "sm.count".
std::optional<Address> address_of(const SystemSpec& system, const Override& set, bool lone,
                                  Diagnostics& errors) {
  const std::string first(first_step(set.path));
  Result<std::vector<std::string>> ids = expand_range(first, as_node(set));
  if (!ids.ok()) {
    append(errors, ids.diagnostics());
    return std::nullopt;
  }
  const bool known = std::all_of(ids->begin(), ids->end(), [&](const std::string& id) {
    return system.find_part(id).has_value();
  });
  const std::string rest = first.size() < set.path.size() ? set.path.substr(first.size() + 1) : "";
  if (known) return Address{*ids, rest};
  if (lone) return Address{{system.parts.front().id}, set.path};
  errors.push_back(error_at(set.value, "unknown-part", set.path, "there is no part '" + first + "'",
                            did_you_mean(first, ids_of(system))));
  return std::nullopt;
}

void apply_sets(SystemSpec& system, const std::vector<Override>& sets, bool lone,
                Diagnostics& errors) {
  for (const Override& set : sets) {
    const std::string_view first = first_step(set.path);
    if (is_root_path(first) && !system.find_part(first) && (!lone || first == "hypothetical"))
      continue;
    const auto address = address_of(system, set, lone, errors);
    if (!address) continue;
    for (const std::string& id : address->ids) {
      PartSpec& part = system.parts[*system.find_part(id)];
      part.hypothetical =
          true;  // asking what if is what --set is for: the implausible is a warning
      append(errors, apply(part.body, {{address->rest, set.value}}, id + "."));
    }
  }
}

// Before the header is read: what belongs to the file as a whole.
Diagnostics apply_root_sets(YamlNode& root, const std::vector<Override>& sets, bool device) {
  Diagnostics errors;
  if (!root.is_map()) return errors;
  const YamlNode* parts = root.find("parts");
  for (const Override& set : sets) {
    const std::string_view first = first_step(set.path);
    const bool is_part = parts != nullptr && parts->find(first) != nullptr;
    if (!is_root_path(first) || is_part || (device && first != "hypothetical")) continue;
    append(errors, apply(root, {set}, ""));
  }
  return errors;
}

// --------------------------------------------------------------------------------------------------------- the parts

/// Reads parts one by one; each device text is looked up and parsed once.
class PartReader {
 public:
  PartReader(const SystemLoad& load, const Document& system, Diagnostics& errors)
      : load_(load), system_(system), errors_(errors) {}

  /// One entry of `parts:`: as many parts as its range holds, equal but for the id.
  std::vector<PartSpec> read(const YamlEntry& entry) {
    const std::string path = "parts." + entry.key;
    YamlNode key = key_node(entry);
    Result<std::vector<std::string>> ids = expand_range(entry.key, key);
    if (!ids.ok()) {
      append(errors_, ids.diagnostics());
      return {};
    }
    if (!entry.value.is_map()) {
      errors_.push_back(error_at(entry.value, "bad-type", path,
                                 "expected a map, not " + describe_node(entry.value),
                                 "write {use: NAME} with the stem of a device file"));
      return {};
    }
    std::optional<PartSpec> part = entry.value.find("use") != nullptr
                                       ? read_used(entry.value, path)
                                       : read_inline(entry.value, path, entry.key);
    if (!part) return {};
    part->where = entry.where;
    std::vector<PartSpec> parts(ids->size(), *part);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].id = (*ids)[i];
    return parts;
  }

  /// A device document as a part, without an id yet.
  std::optional<PartSpec> from_document(const Document& device, const std::string& shown) {
    PartSpec part;
    part.body = device.body;
    part.hypothetical = device.hypothetical || system_.hypothetical;
    part.sources = device.sources;
    if (!take_kind(part, shown)) return std::nullopt;
    calibrate(part, device.calibration, shown);
    return part;
  }

 private:
  static YamlNode key_node(const YamlEntry& entry) {
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = entry.key;
    node.where = entry.where;
    node.width = entry.width;
    return node;
  }

  static std::string below(const std::string& shown, const std::string& key) {
    return shown.empty() ? key : shown + "." + key;
  }

  bool take_kind(PartSpec& part, const std::string& shown) {
    const YamlNode kind = take(part.body, "kind");
    if (is_absent(kind)) {
      errors_.push_back(error_at(part.body, "missing-field", below(shown, "kind"),
                                 "must be written", "write 'kind: gpu' or 'kind: cpu'"));
      return false;
    }
    if (!kind.is_scalar()) {
      errors_.push_back(error_at(kind, "bad-type", below(shown, "kind"),
                                 "expected a word, not " + describe_node(kind),
                                 "write 'kind: gpu' or 'kind: cpu'"));
      return false;
    }
    part.kind = kind.text;
    part.kind_where = kind.where;
    return true;
  }

  void calibrate(PartSpec& part, const YamlNode& block, const std::string& shown) {
    const std::string path = below(shown, "calibration");
    auto values = overrides_of(block, YamlNode::Writer::calibration, path);
    if (!values.ok()) return append(errors_, values.diagnostics());
    if (!load_.use_calibration || values->empty()) return;
    append(errors_, apply(part.body, *values, path + "."));
    part.calibrated = true;
  }

  void set(PartSpec& part, const YamlNode& block, const std::string& path) {
    auto values = overrides_of(block, YamlNode::Writer::override, path);
    if (!values.ok()) return append(errors_, values.diagnostics());
    append(errors_, apply(part.body, *values, path + "."));
  }

  // {use: stem, set: {path: value}}; other keys are fields of the device, as in `set:`.
  std::optional<PartSpec> read_used(YamlNode map, const std::string& path) {
    const YamlNode use = take(map, "use");
    const YamlNode block = take(map, "set");
    if (!use.is_scalar()) {
      errors_.push_back(error_at(use, "bad-type", path + ".use",
                                 "expected the stem of a device file, not " + describe_node(use),
                                 "write one word, such as use: a100-80gb-pcie"));
      return std::nullopt;
    }
    const Document* device = find_device(use, path + ".use");
    if (device == nullptr) return std::nullopt;
    std::optional<PartSpec> part = from_document(*device, use.text);
    if (!part) return std::nullopt;
    part->device = use.text;
    set(*part, block, path + ".set");
    set(*part, map, path);
    return part;
  }

  // The device written in place. Its sources may stand in it or, below its id, in the system's.
  std::optional<PartSpec> read_inline(YamlNode map, const std::string& path,
                                      const std::string& id) {
    Document device;
    device.hypothetical = system_.hypothetical;
    device.sources = system_.sources.below(id);
    const YamlNode own = take(map, "sources");
    if (!is_absent(own)) {
      Result<Sources> sources = Sources::from_yaml(own);
      if (sources.ok()) {
        device.sources = *sources;
      } else {
        append(errors_, sources.diagnostics());
      }
    }
    device.calibration = take(map, "calibration");
    const YamlNode block = take(map, "set");
    device.body = std::move(map);
    std::optional<PartSpec> part = from_document(device, path);
    if (part) set(*part, block, path + ".set");
    return part;
  }

  const Document* find_device(const YamlNode& use, const std::string& path) {
    const auto known = devices_.find(use.text);
    if (known != devices_.end()) return known->second ? &*known->second : nullptr;
    std::optional<Document>& device = devices_[use.text];
    Result<DeviceText> found = load_.look_up ? load_.look_up(use.text) : unknown_device(use.text);
    if (!found.ok()) {
      for (const Diagnostic& error : found.diagnostics()) {
        errors_.push_back(error_at(use, error.code, path, error.message, error.hint));
      }
      return nullptr;
    }
    Result<Document> document = read_document(found->text, found->file, "device");
    if (!document.ok()) {
      append(errors_, document.diagnostics());
      return nullptr;
    }
    device = std::move(document).value();
    return &*device;
  }

  const SystemLoad& load_;
  const Document& system_;
  Diagnostics& errors_;
  std::map<std::string, std::optional<Document>> devices_;
};

void add_parts(SystemSpec& system, const YamlNode& parts, PartReader& reader, Diagnostics& errors) {
  for (const YamlEntry& entry : parts.entries) {
    for (PartSpec& part : reader.read(entry)) {
      if (system.find_part(part.id)) {
        Diagnostic twice = error_at(entry.value, "duplicate-part", "parts." + entry.key,
                                    "the part '" + part.id + "' is there already",
                                    "give it another id, or a range that leaves it out");
        twice.where = entry.where;
        twice.width = entry.width;
        errors.push_back(std::move(twice));
        continue;
      }
      system.parts.push_back(std::move(part));
    }
  }
}

// --------------------------------------------------------------------------------------------------------- the links

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Turns the entries of `links:` into joined pairs of parts.
class LinkReader {
 public:
  LinkReader(SystemSpec& system, Diagnostics& errors) : system_(system), errors_(errors) {}

  void read(const YamlNode& list) {
    if (!list.is_list()) {
      errors_.push_back(error_at(list, "bad-type", "links",
                                 "expected a list, not " + describe_node(list),
                                 "write one '- {join: [a, b], pcie: {...}}' line a link"));
      return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      read_entry(list.items[i], "links." + std::to_string(i));
    }
  }

 private:
  void read_entry(const YamlNode& node, const std::string& path) {
    ReadContext context;
    context.path = path;
    context.hypothetical = system_.hypothetical;
    Result<LinkEntrySpec> entry = read_spec<LinkEntrySpec>(node, context);
    append(errors_, entry.diagnostics());
    if (!entry.ok()) return;
    const YamlNode& join = *node.find("join");
    const auto a = parts_of(join.items[0], path + ".join.0");
    const auto b = parts_of(join.items[1], path + ".join.1");
    if (!a || !b) return;
    const auto pairs = pair_up(*a, *b, join, path);
    if (!pairs) return;
    for (const auto& [left, right] : *pairs)
      add({left, right, entry->pcie, entry->nvlink, node.where, path}, join);
  }

  std::optional<std::vector<std::size_t>> parts_of(const YamlNode& node, const std::string& path) {
    Result<std::vector<std::string>> ids = expand_range(node.text, node);
    if (!ids.ok()) {
      append(errors_, ids.diagnostics());
      return std::nullopt;
    }
    std::vector<std::size_t> parts;
    for (const std::string& id : *ids) {
      const auto part = system_.find_part(id);
      if (!part) {
        errors_.push_back(error_at(node, "unknown-part", path, "there is no part '" + id + "'",
                                   did_you_mean(id, ids_of(system_))));
        return std::nullopt;
      }
      parts.push_back(*part);
    }
    return parts;
  }

  std::optional<Pairs> pair_up(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b,
                               const YamlNode& join, const std::string& path) {
    Pairs pairs;
    if (a == b && a.size() > 1) {
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = i + 1; k < a.size(); ++k) pairs.emplace_back(a[i], a[k]);
      }
    } else if (a.size() == 1 || b.size() == 1) {
      for (const std::size_t left : a) {
        for (const std::size_t right : b) pairs.emplace_back(left, right);
      }
    } else if (a.size() == b.size()) {
      for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(a[i], b[i]);
    } else {
      errors_.push_back(error_at(join, "bad-link", path + ".join",
                                 "ranges of " + std::to_string(a.size()) + " and " +
                                     std::to_string(b.size()) + " parts do not pair up",
                                 "join one part with a range, or two ranges of equal length"));
      return std::nullopt;
    }
    return pairs;
  }

  void add(LinkPlan link, const YamlNode& join) {
    const std::string& a = system_.parts[link.a].id;
    const std::string& b = system_.parts[link.b].id;
    if (link.a == link.b) {
      errors_.push_back(error_at(join, "bad-link", link.path + ".join",
                                 "'" + a + "' cannot be joined with itself", "name two parts"));
      return;
    }
    const auto ends = std::minmax(link.a, link.b);
    const bool is_new = joined_.insert({ends.first, ends.second, link.pcie.has_value()}).second;
    if (!is_new) {
      errors_.push_back(error_at(join, "bad-link", link.path + ".join",
                                 "'" + a + "' and '" + b + "' are joined in this way already",
                                 "write the link once, with all its lanes or links"));
      return;
    }
    system_.links.push_back(std::move(link));
  }

  SystemSpec& system_;
  Diagnostics& errors_;
  std::set<std::tuple<std::size_t, std::size_t, bool>> joined_;
};

// ------------------------------------------------------------------------------------------------ the file as a whole

void check_keys(const YamlNode& body, Diagnostics& errors) {
  static const std::vector<std::string> known = {"tantalus", "name",  "hypothetical", "sources",
                                                 "parts",    "links", "host"};
  for (const YamlEntry& entry : body.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    Diagnostic d = error_at(entry.value, "unknown-key", entry.key, "no such field",
                            did_you_mean(entry.key, known));
    if (d.hint.empty())
      d.hint = "the fields here are name, hypothetical, sources, parts, links, host";
    d.where = entry.where;
    d.width = entry.width;
    errors.push_back(std::move(d));
  }
}

void read_name(SystemSpec& system, const YamlNode& body, Diagnostics& errors) {
  const YamlNode* name = body.find("name");
  if (name == nullptr) return;
  if (name->is_scalar()) {
    system.name = name->text;
  } else {
    errors.push_back(error_at(*name, "bad-type", "name",
                              "expected text, not " + describe_node(*name),
                              "write one value, without brackets or braces"));
  }
}

// A source of a system names a part, `links` or `host`, or a field of an inline part or of the host.
void check_sources(const SystemSpec& system, const Document& document, Diagnostics& errors) {
  std::vector<std::string> paths = ids_of(system);
  paths.insert(paths.end(), {"links", "host"});
  append(errors, document.sources.unknown_first_steps(paths));
}

SystemReading read_system(const Document& document, const SystemLoad& load) {
  Diagnostics errors;
  SystemSpec system;
  system.hypothetical = document.hypothetical;
  check_keys(document.body, errors);
  read_name(system, document.body, errors);
  PartReader reader(load, document, errors);
  const YamlNode* parts = document.body.find("parts");
  if (parts == nullptr) {
    errors.push_back(error_at(document.body, "missing-field", "parts", "must be written",
                              "it is the map of the machine's parts"));
  } else if (!parts->is_map()) {
    errors.push_back(error_at(*parts, "bad-type", "parts",
                              "expected a map, not " + describe_node(*parts),
                              "write one 'id: {use: NAME}' line a part"));
  } else {
    add_parts(system, *parts, reader, errors);
  }
  apply_sets(system, load.sets, false, errors);
  if (const YamlNode* links = document.body.find("links")) LinkReader(system, errors).read(*links);
  if (const YamlNode* host = document.body.find("host")) system.host = *host;
  system.host_sources = document.sources.below("host");
  check_sources(system, document, errors);
  return {std::move(system), std::move(errors)};
}

SystemReading read_lone_device(const Document& document, const SystemLoad& load) {
  Diagnostics errors;
  SystemSpec system;
  system.lone = true;
  system.hypothetical = document.hypothetical;
  PartReader reader(load, document, errors);
  std::optional<PartSpec> part = reader.from_document(document, "");
  if (!part) return {std::move(system), std::move(errors)};
  part->id = part->kind + "0";
  if (const YamlNode* name = part->body.find("name")) system.name = name->text;
  system.parts.push_back(std::move(*part));
  apply_sets(system, load.sets, true, errors);
  return {std::move(system), std::move(errors)};
}

bool says_device(const YamlNode& root) {
  const YamlNode* schema = root.find("tantalus");
  return schema != nullptr && first_step(schema->text).substr(0, 6) == "device";
}

}  // namespace

std::optional<std::size_t> SystemSpec::find_part(std::string_view id) const {
  const auto it = std::find_if(parts.begin(), parts.end(),
                               [id](const PartSpec& part) { return part.id == id; });
  if (it == parts.end()) return std::nullopt;
  return static_cast<std::size_t>(it - parts.begin());
}

Result<std::vector<std::string>> expand_range(const std::string& id, const YamlNode& at) {
  const auto fail = [&](std::string message) {
    return error_at(
        at, "bad-range", "", "'" + id + "' " + std::move(message),
        "write an id such as gpu0 (letters, digits, - and _) or a range such as gpu[0-7]");
  };
  const std::size_t open = id.find('[');
  const std::string stem = id.substr(0, open);
  if (!is_id(stem)) return fail("is not a part's id");
  if (open == std::string::npos) return std::vector<std::string>{id};
  const std::size_t dash = id.find('-', open);
  if (dash == std::string::npos || id.back() != ']') return fail("is not a range");
  const auto first = whole_number(std::string_view(id).substr(open + 1, dash - open - 1));
  const auto last = whole_number(std::string_view(id).substr(dash + 1, id.size() - dash - 2));
  if (!first || !last || *last < *first) return fail("is not a range");
  if (*last - *first >= most_in_range) return fail("holds more than 1024 parts");
  std::vector<std::string> ids;
  for (std::size_t i = *first; i <= *last; ++i) ids.push_back(stem + std::to_string(i));
  return ids;
}

SystemReading read_system_text(std::string_view text, const std::string& file,
                               const SystemLoad& load) {
  static constexpr std::array<std::string_view, 2> schemas = {"system", "device"};
  Result<YamlDocument> yaml = parse_yaml(text, file);
  if (!yaml.ok()) return {{}, yaml.diagnostics()};
  YamlDocument parsed = std::move(yaml).value();
  Diagnostics errors = apply_root_sets(parsed.root, load.sets, says_device(parsed.root));
  Result<Document> header = read_header(std::move(parsed.root), std::move(parsed.text), schemas);
  append(errors, header.diagnostics());
  if (has_errors(errors)) return {{}, std::move(errors)};
  SystemReading reading =
      header->schema == "device" ? read_lone_device(*header, load) : read_system(*header, load);
  sort_by_place(reading.found);
  return reading;
}

Result<SystemSpec> load_system_text(std::string_view text, const std::string& file,
                                    const SystemLoad& load) {
  SystemReading reading = read_system_text(text, file, load);
  if (has_errors(reading.found)) return reading.found;
  return {std::move(reading.spec), std::move(reading.found)};
}

Diagnostic unknown_device(const std::string& stem, const std::vector<std::string>& known) {
  Diagnostic diagnostic;
  diagnostic.code = "unknown-device";
  diagnostic.message = "there is no device file '" + stem + "'";
  diagnostic.hint = did_you_mean(stem, known);
  if (diagnostic.hint.empty()) {
    diagnostic.hint = "name a file beside this one or in hw_configs/devices, without .yaml";
  }
  return diagnostic;
}

ReadContext reading(const PartSpec& part) {
  ReadContext context;
  context.path = part.id;
  context.hypothetical = part.hypothetical;
  context.sources = &part.sources;
  return context;
}

void check(const PcieLinkSpec& spec, SpecChecker& checker) {
  const bool usual = spec.lanes > 0 && (spec.lanes & (spec.lanes - 1)) == 0;
  if (!usual) {
    checker.impossible("lanes", "bad-lanes",
                       std::to_string(spec.lanes) + " lanes are not a PCI Express width",
                       "widths are 1, 2, 4, 8, 16 and 32");
  }
}

void check(const LinkEntrySpec& spec, SpecChecker& checker) {
  if (spec.join.size() != 2) {
    checker.contradictory("join", "bad-link",
                          "a link joins two parts, not " + std::to_string(spec.join.size()),
                          "write join: [a, b]");
  }
  if (spec.pcie.has_value() == spec.nvlink.has_value()) {
    checker.contradictory("", "bad-link", "a link is either pcie or nvlink",
                          "write pcie: {generation: 4, lanes: 16} or nvlink: {links: 4}");
  }
}

}  // namespace tantalus
