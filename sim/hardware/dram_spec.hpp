// A device's main memory as its file describes it: channels x width x data rate give the peak, `efficiency` the share of it
// that streams reach. The bank-level model that explains the share is a later room; here it is a measured number with a source.
#pragma once

#include <optional>
#include <string>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

struct DramSpec {
  std::string kind;  // "HBM2e": words for people
  Bytes capacity;
  std::int64_t channels = 1;
  BitWidth channel_width;
  TransferRate data_rate;              // per pin; MT/s counts both clock edges already
  std::optional<Bandwidth> bandwidth;  // peak; derived unless written
  Fraction efficiency{0.85};           // share of the peak that large streams reach

  /// Peak x efficiency: what the events share out.
  Bandwidth achievable() const;
};

template <class Visitor>
void describe(Visitor& v, DramSpec& s) {
  v.text("kind", s.kind, "memory technology, such as HBM2e or DDR4-2133");
  v.required("capacity", s.capacity, positive, "memory that programs can allocate");
  v.required("channels", s.channels, positive, "independent channels");
  v.required("channel_width", s.channel_width, positive, "data bits of one channel");
  v.required("data_rate", s.data_rate, positive,
             "transfers a second on each pin, both clock edges counted");
  v.derived("bandwidth", s.bandwidth, positive, "channels x channel_width x data_rate / 8",
            "peak rate");
  v.defaulted("efficiency", s.efficiency, positive, "share of the peak that large streams reach");
}

void derive(DramSpec& spec);
void check(const DramSpec& spec, SpecChecker& checker);

}  // namespace tantalus
