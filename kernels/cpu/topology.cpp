#include "kernels/cpu/topology.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include <cpuid.h>
#include <unistd.h>
#ifdef TANTALUS_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace tantalus::kernels {

namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned part = 0) {
  Registers r;
  __cpuid_count(leaf, part, r.a, r.b, r.c, r.d);
  return r;
}

std::string brand() {
  if (cpuid(0x80000000U).a < 0x80000004U) return "x86-64 processor";
  std::array<char, 49> text{};
  for (unsigned i = 0; i < 3; ++i) {
    const Registers r = cpuid(0x80000002U + i);
    std::memcpy(text.data() + 16 * i, &r, sizeof(r));
  }
  std::string name(text.data());
  name.erase(0, name.find_first_not_of(' '));
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

bool is_amd() { return cpuid(0).b == 0x68747541U; }  // "Auth"

// Leaf 4 (Intel) and 0x8000001D (AMD) have one layout.
std::vector<CacheSize> caches() {
  const bool amd = is_amd();
  const unsigned leaf = amd ? 0x8000001DU : 4U;
  std::vector<CacheSize> found;
  const unsigned last = cpuid(amd ? 0x80000000U : 0U).a;
  for (unsigned part = 0; part < 8 && last >= leaf; ++part) {
    const Registers r = cpuid(leaf, part);
    const unsigned type = r.a & 31U;
    if (type == 0) break;
    if (type == 2) continue;  // instructions
    CacheSize cache;
    cache.level = static_cast<int>((r.a >> 5U) & 7U);
    cache.shared_by = ((r.a >> 14U) & 4095U) + 1;
    cache.line = (r.b & 4095U) + 1;
    cache.ways = ((r.b >> 22U) & 1023U) + 1;
    const std::int64_t parts = ((r.b >> 12U) & 1023U) + 1, sets = std::int64_t{r.c} + 1;
    cache.bytes = cache.line * cache.ways * parts * sets;
    found.push_back(cache);
  }
  std::sort(found.begin(), found.end(),
            [](const CacheSize& a, const CacheSize& b) { return a.level < b.level; });
  return found;
}

#ifdef TANTALUS_HAVE_HWLOC
void ask_hwloc(Topology& t) {
  hwloc_topology_t hw = nullptr;
  if (hwloc_topology_init(&hw) != 0) return;
  if (hwloc_topology_load(hw) == 0) {
    t.packages = std::max(1, hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PACKAGE));
    t.cores = std::max(1, hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_CORE));
    t.threads = std::max(1, hwloc_get_nbobjs_by_type(hw, HWLOC_OBJ_PU));
    t.source = "hwloc " + std::to_string(HWLOC_API_VERSION >> 16U) + "." +
               std::to_string((HWLOC_API_VERSION >> 8U) & 255U);
  }
  hwloc_topology_destroy(hw);
}
#endif

}  // namespace

Topology topology() {
  Topology t;
  t.processor = brand();
  t.threads = t.cores = std::max(1U, std::thread::hardware_concurrency());
  t.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  t.caches = caches();
  t.virtual_machine = (cpuid(1).c >> 31U) != 0;
  t.source = "CPUID";
#ifdef TANTALUS_HAVE_HWLOC
  ask_hwloc(t);
#endif
  return t;
}

}  // namespace tantalus::kernels
