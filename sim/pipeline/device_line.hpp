// One accelerator as the training run sees it: steps in order, each a stretch of known length once its inputs are there and the
// host has begun to issue it, never finished before the host has issued all of it. Its clock books every instant: kernels run,
// or what the device waits for. The gaps between kernels of a step are the host's.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/engine/engine.hpp"
#include "sim/pipeline/host_cores.hpp"
#include "sim/pipeline/stall.hpp"
#include "sim/pipeline/step_profile.hpp"

namespace tantalus {

/// What devices that train together do between a step's gradients and its update.
class Exchange {
 public:
  /// The device begins a step; its gradients will be there as the profile says.
  virtual void step_begun(std::uint32_t line, const StepProfile& step) = 0;
  /// All its gradients are there.
  virtual void gradients_there(std::uint32_t line) = 0;

 protected:
  ~Exchange() = default;
};

/// Who issues steps and copies their inputs.
class StepOwner {
 public:
  /// The step at the head of the line is next, and its inputs are to be copied now.
  virtual void copy_inputs(std::uint32_t line) = 0;
  virtual void step_ended(std::uint32_t line) = 0;

 protected:
  ~StepOwner() = default;
};

class DeviceLine {
 public:
  /// `number` is among the lines of its owner. `exchange`: null when the device trains alone.
  DeviceLine(Engine& engine, StepOwner& owner, std::uint32_t number, Exchange* exchange)
      : engine_(engine), owner_(owner), number_(number), exchange_(exchange) {}

  /// Steps run on these cores of the host, as threads beside the loader's.
  void run_on(HostCores& cores, FlowClassId threads, std::int64_t width);

  /// What the device would wait for, were it idle.
  void wait_for(Cause cause);

  /// The next step joins the line. `copy_in_turn`: the owner copies its inputs when the steps before are over.
  void join(const StepProfile& step, bool copy_in_turn);
  void inputs_there();  // of the oldest step that lacks them
  void begin_issue();   // of the oldest step not yet issued
  void end_issue();
  void exchanged();  // every gradient of the step at the head is the sum

  bool idle() const { return steps_.empty(); }
  std::int64_t joined() const { return joined_; }
  std::int64_t ended() const { return ended_; }
  DeviceClock::Times times() const { return clock_.times(engine_.now()); }

 private:
  enum class State : std::uint8_t {
    waiting,
    copying,
    running,
    exchanging,
    updating
  };  // of the head
  struct Step {
    const StepProfile* profile = nullptr;
    bool copy_in_turn = false, inputs = false, issuing = false, issued = false;
    TimePoint issued_at;
  };

  Step& with(bool Step::*missing);
  void advance();
  void begin();
  void end_when_issued();
  void processor_ended();
  void gradients_ended();
  void begin_update();
  void update_ended();
  void end_step();
  void idle_again();

  Engine& engine_;
  StepOwner& owner_;
  std::uint32_t number_;
  Exchange* exchange_;
  // What it runs on when that is the processor itself.
  HostCores* cores_ = nullptr;
  FlowClassId threads_;
  std::int64_t width_ = 1;
  std::deque<Step> steps_;
  State phase_ = State::waiting;
  TimePoint began_;
  bool exchanged_ = false;
  std::int64_t joined_ = 0, ended_ = 0;
  Cause waiting_for_ = Cause::host;
  DeviceClock clock_{Cause::host};
};

}  // namespace tantalus
