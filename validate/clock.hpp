// The only clocks of the room. Thread CPU time is what measurements use: on a shared machine wall time also holds what other
// programs did (40 to 56 % of scatter was seen), CPU time only what they did to our caches and clock.
#pragma once

namespace tantalus::validation {

/// CPU time of this thread.
double cpu_seconds();
/// Time on the wall, from some fixed moment; for budgets, never for results.
double wall_seconds();
/// What a pair of cpu_seconds() around nothing shows: to be subtracted from every short interval. Measured once.
double clock_cost();

}  // namespace tantalus::validation
