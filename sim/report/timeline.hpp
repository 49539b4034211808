// A run as a picture: the Chrome trace event format, which chrome://tracing and Perfetto open. One row for the host, one for
// tasks, one for kernels, one for copies. It shows what Results recorded and adds nothing.
#pragma once

#include <string>

#include "sim/report/prediction.hpp"

namespace tantalus {

/// JSON with `schema` and `fingerprint` beside `traceEvents`; times in microseconds, as the format wants.
std::string timeline_json(const Prediction& prediction);

}  // namespace tantalus
