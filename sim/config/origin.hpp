// Where a value of a spec came from. Provenance is data: `tantalus show` prints it beside every value and reports cite it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tantalus {

struct Origin {
  enum class Kind : std::uint8_t {
    unsourced,   // written in the file, which names no source for it
    data_sheet,  // written in the file; `detail` is its `sources:` text
    measured,    // from the `calibration:` block, or a source that says "measured"
    derived,     // computed by derive(); `detail` is the formula
    defaulted,   // the spec's own default
    overridden,  // by `set:` or `--set`
  };
  Kind kind = Kind::defaulted;
  std::string detail;

  bool operator==(const Origin&) const = default;
};

/// By field path relative to the spec ("dram.bandwidth").
using Origins = std::map<std::string, Origin>;

/// "data sheet: vendor data sheet", "measured", "derived (width x data rate)", "default", "override", "no source given".
std::string to_text(const Origin& origin);

}  // namespace tantalus
