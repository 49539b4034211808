// An alias: a catalogue file without kernels that says which real catalogue answers to its name, by kind of device and by
// generation (`tantalus: library/1`, `kind: alias`). Tables of operators name the library that was measured ("deepbench");
// which constants that means on a part is said here, once, and nothing is copied. Pure.
//
// Errors: a target that is not there (the look-up's own diagnostic, at the target's place), aliases that lead back to
// themselves (alias-cycle), no target at all (empty-list). Reading a device also knows "no target for this part"
// (library_reader.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/describe.hpp"
#include "sim/config/document_header.hpp"
#include "sim/hardware/device_kind.hpp"

namespace tantalus {

enum class AliasDevice : std::uint8_t { any, cpu, gpu };
inline constexpr EnumName<AliasDevice> alias_device_names[] = {
    {"any", AliasDevice::any}, {"cpu", AliasDevice::cpu}, {"gpu", AliasDevice::gpu}};

/// One line: the first that is for the part answers.
struct AliasAnswerSpec {
  std::string library;
  bool by_columns = false;   // tables under this name give products as BLAS stores them
  std::string stack;         // software that calls it; empty: what the user says
  double host_factor = 1.0;  // its host's times over those of the stack's file
  AliasDevice device = AliasDevice::any;
  std::vector<std::string>
      architectures;  // of GPUs sm_80, gfx90a; of CPUs avx, avx2, avx512, neon; empty: all
};

struct LibraryAlias {
  std::string name;
  std::vector<AliasAnswerSpec> answers;
};

template <class Visitor>
void describe(Visitor& v, AliasAnswerSpec& s) {
  v.required("library", s.library, any_value, "the catalogue that answers, or another alias");
  v.defaulted("by_columns", s.by_columns, any_value,
              "tables under this name give m, n and transposes of products as stored by columns");
  v.defaulted("stack", s.stack, any_value,
              "the software whose host times single calls have; absent: that of --stack");
  v.defaulted("host_factor", s.host_factor, within(0.1, 10),
              "host times of single calls over those of the stack: a slower or faster host");
  v.choice("device", s.device, alias_device_names, "kind of device that the line is for");
  v.list("architectures", s.architectures, any_value,
         "generations that the line is for, such as sm_70 or avx2; empty: all");
}

template <class Visitor>
void describe(Visitor& v, LibraryAlias& s) {
  v.text("name", s.name, "what the name stands for");
  v.sections("answers", s.answers, "catalogues that answer, the first that is for the part");
}

void check(const LibraryAlias& alias, SpecChecker& checker);

/// The part for which a catalogue is wanted.
struct LibraryUser {
  std::string_view kind;          // "gpu", "cpu"
  std::string_view architecture;  // empty: matches only lines for all
};

/// Index of the first line for the part; `answers.size()` when there is none.
std::size_t answer_for(const LibraryAlias& alias, const LibraryUser& user);

/// Everything that is wrong with where an alias leads, whatever the part: targets are read one after the other.
Diagnostics mistakes_of_alias(const Document& document, const std::string& name,
                              const LibraryLookup& libraries);

/// The place of a line's target in the alias's file.
const YamlNode& place_of_answer(const YamlNode& body, std::size_t index);
Diagnostic alias_cycle(const YamlNode& place, std::size_t index,
                       const std::vector<std::string>& chain, const std::string& again);

}  // namespace tantalus
