#include "sim/results/pipeline_results.hpp"

namespace tantalus {

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::fetch:
      return "fetch";
    case Cause::prepare:
      return "prepare";
    case Cause::copy:
      return "copy";
    case Cause::host:
      return "host";
    case Cause::communicate:
      return "communicate";
    case Cause::compute:
      break;
  }
  return "compute";
}

Duration PipelineResults::total() const {
  Duration sum;
  for (const EpochResult& epoch : epochs) sum += epoch.time;
  return sum + last().time * (epochs_asked - static_cast<std::int64_t>(epochs.size()));
}

double rate_of(const EpochResult& epoch) {
  return epoch.time > Duration{0} ? static_cast<double>(epoch.samples) / seconds(epoch.time) : 0.0;
}

double share_of(const EpochResult& epoch, Cause cause) {
  if (epoch.time <= Duration{0}) return 0.0;
  return seconds(epoch.causes[static_cast<std::size_t>(cause)]) / seconds(epoch.time);
}

Cause longest_wait(const EpochResult& epoch) {
  constexpr double fed = 0.9;
  if (share_of(epoch, Cause::compute) >= fed) return Cause::compute;
  Cause longest = Cause::fetch;
  for (const Cause cause : {Cause::prepare, Cause::copy, Cause::host, Cause::communicate}) {
    if (share_of(epoch, cause) > share_of(epoch, longest)) longest = cause;
  }
  return longest;
}

}  // namespace tantalus
