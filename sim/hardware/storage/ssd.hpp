// A solid state drive in motion. A command passes the controller, which takes so many a second; every page that it touches
// keeps a die busy, then a channel, then the drive's link; each serves one at a time. When a command arrives its pages are
// booked ahead, and it is answered when the last has crossed the link: the queue-depth curve follows from that alone. Writes
// are answered when the cache has them and are programmed from there, die after die, in the order of arrival.
//
// Not modelled: garbage collection beyond the share of erasing in `program_time` (random overwriting of a full drive writes
// more than it was asked to), the map's own reads, errors and retries, read-ahead inside the drive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engine/ring.hpp"
#include "sim/hardware/storage/command_slots.hpp"
#include "sim/hardware/storage/ssd_spec.hpp"
#include "sim/hardware/storage/storage_device.hpp"
#include "sim/hardware/storage/timeline.hpp"

namespace tantalus {

class Ssd final : public StorageDevice {
 public:
  Ssd(Engine& engine, DeviceId id, std::string name, SsdSpec spec);

  void start() override;

 private:
  struct Die {
    TimePoint reads_until;                    // free for the next read
    TimePoint programs_from, programs_until;  // one run of programs without a gap
    Duration program_time;                    // of each of that run
  };
  struct Programmed {
    TimePoint end;
    Bytes size;
  };

  void serve(const StorageRequest& request) override;
  TimePoint take_command();
  TimePoint read(const StorageRequest& request, TimePoint from);
  TimePoint read_stripe(std::uint64_t stripe, Bytes size, TimePoint from);
  TimePoint read_die(Die& die, TimePoint from);
  TimePoint write(const StorageRequest& request, TimePoint from);
  TimePoint admit(Bytes size, TimePoint from);
  void program(TimePoint from);
  Duration program_time(TimePoint from);
  TimePoint cross_link(Bytes size, TimePoint from);
  std::size_t die_of(std::uint64_t stripe) const;

  SsdSpec spec_;
  Bandwidth link_rate_;
  Duration command_interval_;
  TimePoint controller_free_;
  CommandSlots slots_;
  std::vector<Die> dies_;
  std::vector<Timeline> channels_;  // of die d: d modulo their number
  Timeline link_;
  Ring<Programmed> programs_;  // in flight, in order
  Bytes cached_;               // accepted and not yet programmed
  Bytes open_;                 // of those, not yet a whole stripe
  TimePoint admitted_;
  std::size_t next_die_ = 0;  // to program
  Bytes slc_used_;
  TimePoint programs_end_;
};

}  // namespace tantalus
