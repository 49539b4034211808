#include "validate/one_thread.hpp"

#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace tantalus::validation {

namespace {

constexpr const char* openmp =
    "OMP_NUM_THREADS";  // also OpenBLAS's, where it has no number of its own
constexpr const char* openblas = "OPENBLAS_NUM_THREADS";

bool is_one(const char* value) { return value != nullptr && std::string_view(value) == "1"; }

}  // namespace

bool libraries_have_one_thread() {
  const char* blas = std::getenv(openblas);
  return is_one(std::getenv(openmp)) && (blas == nullptr || is_one(blas));
}

void insist_on_one_thread(char** argv) {
  if (libraries_have_one_thread()) return;
  for (const char* name : {openmp, openblas}) setenv(name, "1", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace tantalus::validation
