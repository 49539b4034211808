// What runs through the caches: a pattern or a trace as the command line names it, with its file or network read.
#pragma once

#include <functional>
#include <string>

#include "sim/app/options.hpp"
#include "sim/app/session.hpp"
#include "sim/base/result.hpp"
#include "sim/hardware/cache/access_patterns.hpp"

namespace tantalus {

struct CacheProgram {
  std::string words;  // "naive matrix product of 256 x 256"
  std::function<void(const AccessSink&)> run;
};

/// The mistakes of a trace's file, or of the network and layer of a convolution.
Result<CacheProgram> cache_program(const CacheCommand& command, Session& session);

}  // namespace tantalus
