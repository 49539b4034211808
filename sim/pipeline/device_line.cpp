#include "sim/pipeline/device_line.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace tantalus {

void DeviceLine::run_on(HostCores& cores, FlowClassId threads, std::int64_t width) {
  cores_ = &cores;
  threads_ = threads;
  width_ = width;
}

void DeviceLine::wait_for(Cause cause) {
  waiting_for_ = cause;
  if (phase_ == State::waiting) idle_again();
}

// ---- What the owner says ---------------------------------------------------------------------------------------------

void DeviceLine::join(const StepProfile& step, bool copy_in_turn) {
  Step next;
  next.profile = &step;
  next.copy_in_turn = copy_in_turn;
  steps_.push_back(next);
  ++joined_;
  advance();
}

/// The oldest step of which this is not yet true.
DeviceLine::Step& DeviceLine::with(bool Step::*missing) {
  const auto step =
      std::find_if(steps_.begin(), steps_.end(), [&](const Step& one) { return !(one.*missing); });
  TANTALUS_CHECK(step != steps_.end(), "only a step in the line is issued or fed");
  return *step;
}

void DeviceLine::inputs_there() {
  with(&Step::inputs).inputs = true;
  if (phase_ == State::copying) phase_ = State::waiting;
  advance();
}

void DeviceLine::begin_issue() {
  with(&Step::issuing).issuing = true;
  advance();
}

void DeviceLine::end_issue() {
  Step& step = with(&Step::issued);
  step.issued = true;
  step.issued_at = engine_.now();
  if (&step == &steps_.front() && phase_ == State::running) end_when_issued();
}

void DeviceLine::exchanged() {
  exchanged_ = true;
  if (phase_ == State::exchanging) begin_update();
}

// ---- The step at the head --------------------------------------------------------------------------------------------

void DeviceLine::advance() {
  if (phase_ != State::waiting || steps_.empty()) return;
  const Step& head = steps_.front();
  if (head.copy_in_turn && !head.inputs) {
    phase_ = State::copying;
    clock_.set(Cause::copy, engine_.now());
    owner_.copy_inputs(number_);
  } else if (head.inputs && head.issuing) {
    begin();
  } else {
    idle_again();
  }
}

/// A step in the line whose inputs lack waits for its copy, whatever the host does by now.
void DeviceLine::idle_again() {
  Cause cause = waiting_for_;
  if (!steps_.empty()) cause = steps_.front().inputs ? Cause::host : Cause::copy;
  clock_.set(cause, engine_.now());
}

void DeviceLine::begin() {
  const Step& head = steps_.front();
  phase_ = State::running;
  began_ = engine_.now();
  if (cores_ != nullptr) {
    clock_.set(Cause::compute, began_);
    return cores_->run(threads_, width_, head.profile->device,
                       {on<&DeviceLine::processor_ended>, this});
  }
  clock_.set(Cause::host, began_);
  if (exchange_ != nullptr) exchange_->step_begun(number_, *head.profile);
  if (head.issued) end_when_issued();
}

void DeviceLine::end_when_issued() {
  if (cores_ != nullptr) return;
  const Step& head = steps_.front();
  const StepProfile& step = *head.profile;
  const Duration own = exchange_ == nullptr ? step.device : step.device - step.update;
  engine_.at(std::max(began_ + own, head.issued_at + step.tail), Phase::act,
             {on<&DeviceLine::gradients_ended>, this});
}

void DeviceLine::processor_ended() { end_step(); }

void DeviceLine::gradients_ended() {
  const StepProfile& step = *steps_.front().profile;
  if (exchange_ == nullptr) {
    clock_.split(Cause::compute, step.busy, engine_.now());
    return end_step();
  }
  clock_.split(Cause::compute, step.busy - step.update_busy, engine_.now());
  phase_ = State::exchanging;
  clock_.set(Cause::communicate, engine_.now());
  exchange_->gradients_there(number_);
  if (exchanged_ && phase_ == State::exchanging) begin_update();
}

void DeviceLine::begin_update() {
  phase_ = State::updating;
  clock_.set(Cause::host, engine_.now());
  engine_.after(steps_.front().profile->update, {on<&DeviceLine::update_ended>, this});
}

void DeviceLine::update_ended() {
  clock_.split(Cause::compute, steps_.front().profile->update_busy, engine_.now());
  end_step();
}

void DeviceLine::end_step() {
  steps_.pop_front();
  ++ended_;
  exchanged_ = false;
  phase_ = State::waiting;
  idle_again();
  owner_.step_ended(number_);
  advance();
}

}  // namespace tantalus
