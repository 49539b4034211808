#include "sim/hardware/reuse.hpp"

#include <algorithm>
#include <cstdint>

#include "sim/hardware/device_model.hpp"

namespace tantalus {

namespace {

// No cache holds a petabyte: a larger operand counts as one, and the count starts afresh long before it could overflow.
constexpr Bytes largest_use{std::int64_t{1} << 50};
constexpr Bytes fresh_start{std::int64_t{1} << 62};

}  // namespace

void ReuseTracker::pass_by(Bytes size) { gone_by_ += std::min(size, largest_use); }

std::vector<Bytes> ReuseTracker::use(std::span<const TensorUse> operands) {
  std::vector<Bytes> distances;
  distances.reserve(operands.size());
  if (gone_by_ >= fresh_start) *this = ReuseTracker{};
  const Bytes start = gone_by_;
  for (const TensorUse& operand : operands) {
    const auto seen = last_use_.find(operand.tensor);
    distances.push_back(seen == last_use_.end() ? never_used : start - seen->second);
    pass_by(operand.size);
  }
  for (const TensorUse& operand : operands) last_use_[operand.tensor] = start;
  return distances;
}

std::vector<Duration> ReuseTracker::ages(std::span<const TensorUse> operands, TimePoint now) {
  std::vector<Duration> found;
  found.reserve(operands.size());
  for (const TensorUse& operand : operands) {
    const auto seen = used_at_.find(operand.tensor);
    found.push_back(seen == used_at_.end() ? Duration{0} : now - seen->second);
  }
  for (const TensorUse& operand : operands) used_at_[operand.tensor] = now;
  return found;
}

}  // namespace tantalus
