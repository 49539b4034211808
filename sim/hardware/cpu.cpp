#include "sim/hardware/cpu.hpp"

namespace tantalus {

void Cpu::task_ready(TaskId id) {
  take_from_queue(id);
  const std::size_t kernels = begin_task(id);
  if (is_copy(id)) {
    start_copy(id);
  } else if (kernels == 0) {
    end_task(id);  // the device refused the operation
  } else {
    start_kernel(id, 0);
  }
}

void Cpu::kernel_ended(TaskId id, bool more) {
  if (more) {
    start_kernel(id, run(id).kernels.size());
  } else {
    end_task(id);
  }
}

}  // namespace tantalus
