// Threads that wait for the next parallel region by spinning. A BLAS that starts a thread on every hardware thread leaves the core
// that runs the serial loops in between with a busy sibling, until the waiting threads give up and sleep. Pure; cpu.hpp knows when.
//
// Source: OpenBLAS, driver/others/blas_server.c: THREAD_TIMEOUT 28, 2^28 ticks of the time-stamp counter. docs/modelling.md,
// "Threads".
#pragma once

#include "sim/hardware/cpu_library.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/kernel_cost.hpp"

namespace tantalus {

/// How long threads spin after a parallel region, and how much longer a serial loop takes meanwhile (1: not at all).
struct SpinRule {
  Duration lasts;
  double slower = 1.0;
};

/// No spinning on cores without siblings or with a library whose threads sleep at once.
SpinRule spin_rule_of(const CpuSpec& spec, const CpuLibrary& library);

/// The same serial kernel when the spinners stop `left` after its start: what of each phase falls before runs at the slower rate.
KernelCost beside_spinners(const KernelCost& kernel, const SpinRule& rule, Duration left,
                           const DeviceRates& rates);

}  // namespace tantalus
