#include "sim/hardware/storage/timeline.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

std::int64_t count(TimePoint time) { return time.since_start().count(); }

}  // namespace

TimePoint Timeline::book(TimePoint now, TimePoint ready, Duration length) {
  TANTALUS_CHECK(now <= ready && length >= Duration{0}, "work is not booked in the past");
  forget(count(now));
  busy_ += length;
  std::int64_t begin = count(ready);
  if (length == Duration{0}) return ready;
  const auto kept = spans_.begin() + static_cast<std::ptrdiff_t>(first_);
  auto next = std::lower_bound(kept, spans_.end(), begin,
                               [](const Span& span, std::int64_t time) { return span.end < time; });
  for (; next != spans_.end() && next->begin < begin + length.count(); ++next) {
    begin = std::max(begin, next->end);
  }
  enter(static_cast<std::size_t>(next - spans_.begin()), begin, begin + length.count());
  return TimePoint{Duration{begin}};
}

void Timeline::forget(std::int64_t now) {
  while (first_ < spans_.size() && spans_[first_].end <= now) ++first_;
  if (first_ * 2 < spans_.size()) return;
  spans_.erase(spans_.begin(), spans_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

// `before` is the first entry that begins at or after `end`.
void Timeline::enter(std::size_t before, std::int64_t begin, std::int64_t end) {
  const bool joins_last = before > first_ && spans_[before - 1].end == begin;
  const bool joins_next = before < spans_.size() && spans_[before].begin == end;
  const auto at = spans_.begin() + static_cast<std::ptrdiff_t>(before);
  if (joins_last && joins_next) {
    spans_[before - 1].end = spans_[before].end;
    spans_.erase(at);
  } else if (joins_last) {
    spans_[before - 1].end = end;
  } else if (joins_next) {
    spans_[before].begin = begin;
  } else {
    spans_.insert(at, Span{begin, end});
  }
}

}  // namespace tantalus
