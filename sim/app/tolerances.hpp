// The limits of `tantalus validate --device cpu`, from validate/tolerances.yaml (`tantalus: tolerances/1`): mean absolute errors
// by group of rows. The file says them; the values here only stand in for fields that it leaves out.
#pragma once

#include "sim/app/files.hpp"
#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

struct Tolerances {
  Fraction forward{0.10}, backward{0.14}, small{0.25}, whole{0.09};
  Fraction most{0.15};
  Duration small_below{20'000'000};
};

template <class Visitor>
void describe(Visitor& v, Tolerances& s) {
  v.defaulted("forward", s.forward, positive, "forward layers");
  v.defaulted("backward", s.backward, positive, "backward and update layers");
  v.defaulted("small", s.small, positive, "layers measured below small_below, counted apart");
  v.defaulted("whole", s.whole, positive, "whole forward passes and whole training steps");
  v.defaulted("most", s.most, positive, "what 1.5 x repeatability may raise a limit to");
  v.defaulted("small_below", s.small_below, positive, "layers below this are small");
}

/// validate/tolerances.yaml of the first data folder that has it. Codes: env-no-file when none does, and those of any spec.
Result<Tolerances> load_tolerances(Files& files, const std::vector<std::string>& data_folders);

}  // namespace tantalus
