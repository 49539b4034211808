// Compares with the occupancy calculator of the CUDA toolkit itself, and proves the golden file fresh. Built only where the
// header is found.
#include <sstream>

#include <cuda_occupancy.h>

#include <doctest/doctest.h>

#include "sim/hardware/occupancy.hpp"
#include "tests/sim/hardware/occupancy_cases.hpp"

namespace tantalus::test {

namespace {

cudaOccDeviceProp properties_of(const OccupancyCase& c) {
  const SmSpec sm = sm_of(c.major, c.minor);
  cudaOccDeviceProp p;
  p.computeMajor = c.major;
  p.computeMinor = c.minor;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = static_cast<int>(sm.max_threads);
  p.regsPerBlock = 65536;
  p.regsPerMultiprocessor = static_cast<int>(sm.registers);
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(sm.shared_memory.count());
  p.numSms = static_cast<int>(sm.count);
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(sm.shared_memory_per_block.count());
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(sm.shared_reserved.count());
  return p;
}

int blocks_by_calculator(const OccupancyCase& c) {
  const cudaOccDeviceProp properties = properties_of(c);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = c.registers;
  attributes.sharedSizeBytes = 0;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(c.shared);
  attributes.numBlockBarriers = 1;
  attributes.virtualResourceCount = 0;
  const cudaOccDeviceState state;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(c.threads),
      static_cast<std::size_t>(c.shared));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

}  // namespace

TEST_CASE("occupancy equals the CUDA toolkit's calculator, and the golden file is what it says") {
  std::istringstream golden(read_text("tests/sim/hardware/occupancy_golden.txt"));
  std::size_t compared = 0, wrong = 0, stale = 0, fitting = 0;
  for (const OccupancyCase& c : occupancy_cases()) {
    KernelLaunch launch;
    launch.grid[0] = 1'000'000;
    launch.block[0] = c.threads;
    launch.registers_per_thread = c.registers;
    launch.shared_bytes = Bytes{c.shared};
    const int theirs = blocks_by_calculator(c);
    REQUIRE(theirs >= 0);
    int recorded = -1;
    golden >> recorded;
    ++compared;
    if (theirs > 0) ++fitting;
    if (occupancy(sm_of(c.major, c.minor), launch).blocks_per_sm != theirs) ++wrong;
    if (recorded != theirs) ++stale;
  }

  CHECK(compared >= 2'000);
  CHECK(fitting >= compared / 3);  // the cases are not all refusals
  CHECK(wrong == 0);
  CHECK(stale == 0);
}

}  // namespace tantalus::test
