// What the simulator says of a case that the host program measures: the same lowered step with the changes of layout that the
// library put between its tasks, simulated twice in a row so that the second finds the caches as a repeated step leaves them.
#pragma once

#include <string>
#include <vector>

#include "sim/app/files.hpp"
#include "sim/app/options.hpp"
#include "sim/base/result.hpp"
#include "sim/hardware/system_plan.hpp"
#include "sim/report/accuracy.hpp"

namespace tantalus {

/// One network as it is run here.
struct HostCase {
  std::string network;  // as reports call it
  std::string file;     // where its text lies
  std::int64_t batch = 1;
  Mode mode = Mode::inference;
  std::string library;  // "onednn", "openblas"
};

/// What ran in a pass, in order: a task of the lowered step, or a change of layout in front of one.
struct HostWork {
  std::size_t task = 0;
  bool reorder = false;
  double bytes = 0;        // of a change of layout, in and out together
  bool by_number = false;  // of a change of layout: one number after the other, in place of vectors
};

struct PredictedTime {
  std::string layer, pass, kind;
  Duration time, low, high, roofline;
};

/// One core of the system, at the rates that were probed beside the layers.
struct HostRates {
  double flops = 0;       // a second of one core; 0: as the file says
  double bytes = 0;       // a second filled from memory by one core; 0: as the file says
  double reach = 0;       // bytes of the last cache that one program has; 0: as the file says
  double cache = 0;       // bytes a second read from it by one core
  double neighbours = 0;  // bytes a second that other programs move through it
};

class HostPredictor {
 public:
  /// `system` is the device file; the catalogue of `library` stands beside it.
  HostPredictor(Files& files, const FileText& system, const std::string& library, HostRates rates);

  /// The plan, or what is wrong with it. Everything below needs it to be good.
  const Result<SystemPlan>& plan() const { return plan_; }

  /// One time for each piece of work. A task that is not among them ran inside the one before it (a bias gradient in its weight
  /// gradient) and counts there. `block`: channels of images lie in blocks of so many; 1: as they are.
  Result<std::vector<PredictedTime>> times(const HostCase& of, const std::vector<HostWork>& work,
                                           std::int64_t block = 1) const;

 private:
  Result<SystemPlan> planned(const std::vector<std::string>& overrides) const;

  Files& files_;
  const FileText& system_;
  std::string library_;
  Result<SystemPlan> plan_;
};

}  // namespace tantalus
