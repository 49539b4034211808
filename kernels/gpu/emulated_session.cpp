// The same for the emulator: every function runs, no time means anything.
#include "kernels/gpu/gpu_session.cuh"

namespace tantalus::kernels {

int gpu_count() { return count_gpus(); }
GpuFacts gpu_facts() { return facts_of_gpu(); }

std::vector<Timing> probe(const Effort& effort) { return probe_with(effort); }
std::vector<Timing> time_layers(const Program& program, const Chooser& choose,
                                const Effort& effort) {
  return time_layers_with(program, choose, effort);
}
Timing time_step(const Program& program, const Chooser& choose, LaunchStyle style,
                 const Effort& effort) {
  return time_step_with(program, choose, style, effort);
}

}  // namespace tantalus::kernels
