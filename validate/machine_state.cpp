#include "validate/machine_state.hpp"

#include <array>
#include <cstdlib>
#include <fstream>

#include <sys/utsname.h>

#include "kernels/cpu/libraries.hpp"
#include "kernels/cpu/probes.hpp"
#include "kernels/cpu/topology.hpp"

namespace tantalus::validation {

namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && !line.empty() ? line : "unknown";
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "not set" : value;
}

std::string load() {
  std::array<double, 1> average{};
  if (getloadavg(average.data(), 1) != 1) return "unknown";
  const std::string text = std::to_string(average[0]);
  return text.substr(0, text.find('.') + 3);
}

std::string kernel() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "unknown";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_state() {
  const kernels::Topology t = kernels::topology();
  return {{"processor", t.processor},
          {"threads", std::to_string(t.threads)},
          {"virtual_machine", t.virtual_machine ? "yes" : "no"},
          {"topology_source", t.source},
          {"isa", std::string(name_of(kernels::widest_isa()))},
          {"system", kernel()},
          {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"load", load()},
          {"openblas", kernels::blas_name()},
          {"onednn", kernels::dnn_name()},
          {"DNNL_MAX_CPU_ISA", variable("DNNL_MAX_CPU_ISA")},
          {"OPENBLAS_CORETYPE", variable("OPENBLAS_CORETYPE")},
          {"measuring_threads", "1"}};
}

}  // namespace tantalus::validation
