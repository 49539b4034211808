#include "sim/hardware/storage/ssd.hpp"

#include <algorithm>
#include <utility>

#include "sim/hardware/storage/place_hash.hpp"

namespace tantalus {

namespace {

// File systems allocate whole blocks of this size, and controllers map them.
constexpr std::uint64_t sector = 4'096;

}  // namespace

Ssd::Ssd(Engine& engine, DeviceId id, std::string name, SsdSpec spec)
    : StorageDevice(engine, id, std::move(name)),
      spec_(std::move(spec)),
      command_interval_(divide_up(picoseconds_per_second, spec_.commands_per_second)),
      slots_(static_cast<std::size_t>(spec_.queue_depth)),
      dies_(static_cast<std::size_t>(spec_.dies())),
      channels_(static_cast<std::size_t>(spec_.channels)) {}

void Ssd::start() { link_rate_ = link_rate(storage_link_rate(spec_.link)); }

void Ssd::serve(const StorageRequest& request) {
  const TimePoint from = take_command();
  const TimePoint end =
      request.kind == StorageRequest::Kind::read ? read(request, from) : write(request, from);
  slots_.end_at(end);
  finish_at(end, request, engine().now());
}

TimePoint Ssd::take_command() {
  const TimePoint begin = std::max(slots_.take(engine().now()), controller_free_);
  controller_free_ = begin + command_interval_;
  return begin + spec_.command_time;
}

TimePoint Ssd::cross_link(Bytes size, TimePoint from) {
  const Duration length = size / link_rate_;
  count_link(length);
  return link_.book(engine().now(), from, length) + length;
}

// ---- Reading ---------------------------------------------------------------------------------------------------------

// Neighbouring stripes lie on neighbouring channels; where a run of one stripe on every die begins is arbitrary, as in a log.
std::size_t Ssd::die_of(std::uint64_t stripe) const {
  const auto dies = static_cast<std::uint64_t>(dies_.size());
  return static_cast<std::size_t>((place_hash(stripe / dies) % dies + stripe % dies) % dies);
}

TimePoint Ssd::read(const StorageRequest& request, TimePoint from) {
  const auto stripe_bytes = static_cast<std::uint64_t>(spec_.stripe().count());
  std::uint64_t at = request.place - request.place % sector;
  auto left = static_cast<std::uint64_t>(request.size.count());
  TimePoint end = from;
  while (left > 0) {
    const std::uint64_t part = std::min(left, stripe_bytes - at % stripe_bytes);
    end =
        std::max(end, read_stripe(at / stripe_bytes, Bytes{static_cast<std::int64_t>(part)}, from));
    at += part;
    left -= part;
  }
  return end;
}

TimePoint Ssd::read_stripe(std::uint64_t stripe, Bytes size, TimePoint from) {
  const std::size_t die = die_of(stripe);
  const TimePoint ready = read_die(dies_[die], from);
  const Duration length = size / spec_.channel_rate;
  const TimePoint sent =
      channels_[die % channels_.size()].book(engine().now(), ready, length) + length;
  return cross_link(size, sent);
}

// Reads go before programs that wait, and wait for the one that runs.
TimePoint Ssd::read_die(Die& die, TimePoint from) {
  TimePoint begin = std::max(from, die.reads_until);
  const bool programs = die.programs_from < begin && begin < die.programs_until;
  if (programs) {
    const std::int64_t step = die.program_time.count();
    const std::int64_t ran = (begin - die.programs_from).count() % step;
    if (ran > 0) begin = std::min(begin + Duration{step - ran}, die.programs_until);
  }
  const TimePoint end = begin + spec_.read_time;
  if (die.programs_from < begin && begin < die.programs_until) {
    die.programs_from = end;
    die.programs_until = die.programs_until + spec_.read_time;
  }
  die.reads_until = end;
  count_media(Duration{spec_.read_time.count() / spec_.dies()});
  return end;
}

// ---- Writing ---------------------------------------------------------------------------------------------------------

TimePoint Ssd::write(const StorageRequest& request, TimePoint from) {
  Bytes left = request.size;
  TimePoint end = from;
  while (left > Bytes{0}) {
    const Bytes part = std::min(left, spec_.stripe() - open_);
    end = admit(part, cross_link(part, from));
    open_ += part;
    left -= part;
    if (open_ < spec_.stripe()) continue;
    open_ = Bytes{0};
    program(end);
  }
  return end;
}

// When the cache has room for `size` more.
TimePoint Ssd::admit(Bytes size, TimePoint from) {
  admitted_ = std::max(admitted_, from);
  while (!programs_.empty() &&
         (programs_.front().end <= admitted_ || cached_ + size > spec_.write_cache)) {
    const Programmed done = programs_.pop();
    admitted_ = std::max(admitted_, done.end);
    cached_ -= done.size;
  }
  cached_ += size;
  return admitted_;
}

void Ssd::program(TimePoint from) {
  Die& die = dies_[next_die_];
  Timeline& channel = channels_[next_die_ % channels_.size()];
  next_die_ = (next_die_ + 1) % dies_.size();
  const Duration length = spec_.stripe() / spec_.channel_rate;
  const TimePoint arrived = channel.book(engine().now(), from, length) + length;
  const TimePoint begin = std::max({arrived, die.programs_until, die.reads_until});
  if (begin > die.programs_until) die.programs_from = begin;
  die.program_time = program_time(begin);
  die.programs_until = begin + die.program_time;
  count_media(Duration{die.program_time.count() / spec_.dies()});
  programs_end_ = std::max(programs_end_, die.programs_until);
  programs_.push({programs_end_, spec_.stripe()});  // space is given back in order
}

// Cells with one bit are copied to the others while nothing is programmed, as fast as those can be.
Duration Ssd::program_time(TimePoint from) {
  if (!spec_.slc_cache) return spec_.program_time;
  if (from > programs_end_) {
    const std::int64_t stripes =
        (from - programs_end_).count() / spec_.program_time.count() * spec_.dies();
    const std::int64_t used = slc_used_.count() / spec_.stripe().count();
    slc_used_ = spec_.stripe() * std::max<std::int64_t>(0, used - stripes);
  }
  if (slc_used_ + spec_.stripe() > spec_.slc_cache->capacity) return spec_.program_time;
  slc_used_ += spec_.stripe();
  return spec_.slc_cache->program_time;
}

}  // namespace tantalus
