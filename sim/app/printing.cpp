#include "sim/app/printing.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>

namespace tantalus {

void print(Diagnostics diagnostics, const Files& files, std::ostream& err, bool quiet) {
  sort_by_place(diagnostics);
  for (std::size_t i = 0; i < diagnostics.size(); ++i) {
    const Diagnostic& d = diagnostics[i];
    if (quiet && d.severity != Severity::error) continue;
    const auto seen = diagnostics.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(diagnostics.begin(), seen, d) != seen) continue;
    err << render(d, files.text_of(d.where.file.text()));
  }
}

}  // namespace tantalus
