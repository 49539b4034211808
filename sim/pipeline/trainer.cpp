#include "sim/pipeline/trainer.hpp"

#include <algorithm>

namespace tantalus {

Trainer::Trainer(const Parts& parts, const LoaderSpec& spec, const StepProfile& step,
                 std::int64_t batch, Bytes sample)
    : engine_(parts.engine),
      flows_(parts.flows),
      cores_(parts.cores),
      spec_(spec),
      whole_(step),
      batch_(batch),
      sample_(sample),
      thread_(cores_.open(1, parts.memory, Bandwidth{0})) {}

DeviceLine& Trainer::add_device(CopyWay way, Exchange* exchange) {
  const auto number = static_cast<std::uint32_t>(lines_.size());
  lines_.push_back(std::make_unique<DeviceLine>(engine_, *this, number, exchange));
  ways_.push_back(way);
  inputs_.emplace_back();
  asked_copies_.push_back(0);
  return *lines_.back();
}

// ---- One iteration ---------------------------------------------------------------------------------------------------

void Trainer::begin_epoch(Action done) {
  done_ = done;
  asked_ = 0;
  loader_->begin_epoch();
  next();
}

void Trainer::next() {
  if (asked_ == loader_->batches()) return wait(Waiting::for_end);
  ++asked_;
  clock_.set(StageState::starved, engine_.now());
  loader_->ask();
}

void Trainer::wait_for_batch(Cause cause) { blame(cause); }

void Trainer::take_batch(std::int64_t samples) {
  in_hand_ = samples;
  blame(Cause::host);
  const Duration once = first_use_;
  first_use_ = Duration{0};
  think(once + spec_.take_time + spec_.iteration_time, {on<&Trainer::received>, this});
}

void Trainer::received() {
  // The shares of a batch differ by a sample at most; the largest decides.
  const auto count = static_cast<std::int64_t>(lines_.size());
  for (std::deque<Bytes>& line : inputs_)
    line.push_back(sample_ * ((in_hand_ + count - 1) / count));
  if (spec_.copy == BatchCopy::pageable) return wait(Waiting::to_copy);
  join_lines();
  if (spec_.copy == BatchCopy::overlapped) {
    for (std::uint32_t line = 0; line < lines_.size(); ++line) copy_inputs(line);
  }
  issue(0);
}

void Trainer::join_lines() {
  if (in_hand_ < batch_) last_ = shortened(whole_, in_hand_, batch_);
  const StepProfile& step = in_hand_ < batch_ ? last_ : whole_;
  for (const auto& line : lines_) line->join(step, spec_.copy == BatchCopy::pinned);
}

// ---- Copies ----------------------------------------------------------------------------------------------------------
// One at a time for each device, in the order of the steps.

void Trainer::copy_inputs(std::uint32_t line) {
  if (++asked_copies_[line] == 1) start_copy(line);
}

void Trainer::start_copy(std::uint32_t line) {
  if (++copying_ == 1) copy_clock_.set(StageState::busy, engine_.now());
  const Duration latency = ways_[line].needed ? spec_.copy_time : Duration{0};
  engine_.after(latency, {on<&Trainer::move_bytes>, this, line});
}

void Trainer::move_bytes(std::uint32_t line) {
  if (!ways_[line].needed) return copy_ended(line);
  copied_ += inputs_[line].front();
  flows_.start(ways_[line].flow, inputs_[line].front(), {on<&Trainer::copy_ended>, this, line});
}

void Trainer::copy_ended(std::uint32_t line) {
  inputs_[line].pop_front();
  if (--copying_ == 0) copy_clock_.set(StageState::starved, engine_.now());
  if (--asked_copies_[line] > 0) start_copy(line);
  if (spec_.copy != BatchCopy::pageable) return lines_[line]->inputs_there();
  if (line + 1 < lines_.size()) return copy_inputs(line + 1);
  loader_->release();
  join_lines();
  for (const auto& each : lines_) each->inputs_there();
  issue(0);
}

// ---- Issuing ---------------------------------------------------------------------------------------------------------

void Trainer::issue(std::uint32_t line) {
  lines_[line]->begin_issue();
  think(whole_.host, {on<&Trainer::issue_ended>, this, line});
}

void Trainer::issue_ended(std::uint32_t line) {
  lines_[line]->end_issue();
  if (line + 1 < lines_.size()) return issue(line + 1);
  step_issued();
}

void Trainer::step_issued() {
  ++steps_;
  samples_ += in_hand_;
  const bool reads_a_value = spec_.wait_every > 0 && asked_ % spec_.wait_every == 0;
  wait(reads_a_value ? Waiting::for_device : Waiting::for_room);
}

void Trainer::step_ended(std::uint32_t) {
  if (waiting_ != Waiting::no && may_go_on()) go_on();
}

// ---- Waiting for devices ---------------------------------------------------------------------------------------------

bool Trainer::may_go_on() const {
  const auto ready = [&](const auto& line) {
    return waiting_ == Waiting::for_room ? line->joined() - line->ended() < spec_.steps_ahead
                                         : line->idle();
  };
  return std::all_of(lines_.begin(), lines_.end(), ready);
}

void Trainer::wait(Waiting what) {
  waiting_ = what;
  blame(Cause::host);
  clock_.set(StageState::blocked, engine_.now());
  if (may_go_on()) go_on();
}

void Trainer::go_on() {
  const Waiting was = waiting_;
  waiting_ = Waiting::no;
  if (was == Waiting::for_end) return engine_.at(engine_.now(), Phase::act, done_), void();
  if (was != Waiting::to_copy) return next();
  blame(Cause::copy);
  copy_inputs(0);
}

void Trainer::think(Duration time, Action then) {
  clock_.set(StageState::busy, engine_.now());
  cores_.run(thread_, 1, time, then);
}

void Trainer::blame(Cause cause) {
  for (const auto& line : lines_) line->wait_for(cause);
}

}  // namespace tantalus
