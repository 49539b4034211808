#include "validate/clock.hpp"

#include <algorithm>
#include <ctime>

namespace tantalus::validation {

namespace {

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double measure_clock_cost() {
  double least = 1.0;
  for (int i = 0; i < 2000; ++i) {
    const double start = cpu_seconds();
    least = std::min(least, cpu_seconds() - start);
  }
  return least;
}

}  // namespace

double cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

double clock_cost() {
  static const double cost = measure_clock_cost();
  return cost;
}

}  // namespace tantalus::validation
