// The training loop of one process: it takes a batch, copies it to its devices, issues a step to each, and at times waits for
// them. One thread of the host; with several devices (data parallel in one process) it feeds them one after the other.
//
//   take batch -> copy or queue its copy -> issue the step -> (wait for the device) -> take the next
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/engine/shared_capacity.hpp"
#include "sim/pipeline/device_line.hpp"
#include "sim/pipeline/host_cores.hpp"
#include "sim/pipeline/loader.hpp"
#include "sim/pipeline/loader_spec.hpp"

namespace tantalus {

/// The way of a batch to one device: from pageable memory through the driver's buffers, or straight.
struct CopyWay {
  FlowClassId flow;
  bool needed = true;  // false: the device reads the host's memory
};

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): it is final
class Trainer final : public BatchTaker, public StepOwner {
 public:
  struct Parts {
    Engine& engine;
    SharedCapacity& flows;
    HostCores& cores;
    CapacityId memory;
  };
  Trainer(const Parts& parts, const LoaderSpec& spec, const StepProfile& step, std::int64_t batch,
          Bytes sample);

  /// To be called once each before the first epoch.
  void set_loader(Loader& loader) { loader_ = &loader; }
  DeviceLine& add_device(CopyWay way, Exchange* exchange);

  /// `done` is called when the last step of the epoch is over.
  void begin_epoch(Action done);
  /// What the thread has done to be ready for the first batch of all.
  void be_busy_first(Duration once) { first_use_ = once; }

  const std::vector<std::unique_ptr<DeviceLine>>& lines() const { return lines_; }
  const StageClock& clock() const { return clock_; }
  const StageClock& copy_clock() const { return copy_clock_; }
  Bytes copied() const { return copied_; }
  std::int64_t steps() const { return steps_; }
  std::int64_t samples() const { return samples_; }

  void take_batch(std::int64_t samples) override;
  void wait_for_batch(Cause cause) override;
  void copy_inputs(std::uint32_t line) override;
  void step_ended(std::uint32_t line) override;

 private:
  enum class Waiting : std::uint8_t { no, for_room, to_copy, for_device, for_end };

  void next();
  void received();
  void join_lines();
  void start_copy(std::uint32_t line);
  void move_bytes(std::uint32_t line);
  void copy_ended(std::uint32_t line);
  void issue(std::uint32_t line);
  void issue_ended(std::uint32_t line);
  void step_issued();
  bool may_go_on() const;
  void wait(Waiting what);
  void go_on();
  void think(Duration time, Action then);
  void blame(Cause cause);

  Engine& engine_;
  SharedCapacity& flows_;
  HostCores& cores_;
  const LoaderSpec& spec_;
  const StepProfile& whole_;
  StepProfile last_;  // of the epoch's last batch, when that is shorter
  std::int64_t batch_;
  Bytes sample_;
  FlowClassId thread_;
  Loader* loader_ = nullptr;
  std::vector<std::unique_ptr<DeviceLine>> lines_;
  std::vector<CopyWay> ways_;               // by line
  std::vector<std::deque<Bytes>> inputs_;   // by line: of the steps whose copies are not over
  std::vector<std::int64_t> asked_copies_;  // by line: to be made now, the one under way included
  std::int64_t copying_ = 0;                // lines with a copy under way
  Duration first_use_;
  Action done_{on<&Trainer::go_on>, this};
  std::int64_t asked_ = 0;    // batches of this epoch
  std::int64_t in_hand_ = 0;  // samples of the batch that was taken last
  std::int64_t steps_ = 0, samples_ = 0;
  Bytes copied_;
  Waiting waiting_ = Waiting::no;
  StageClock clock_{StageState::starved}, copy_clock_{StageState::starved};
};

}  // namespace tantalus
