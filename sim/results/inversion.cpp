#include "sim/results/inversion.hpp"

namespace tantalus {

namespace {

// Energies in pJ at 45 nm and 0.9 V. DRAM: 1.3 to 2.6 nJ for 64 bits, taken at its low end, so 640 pJ a word of 32 bits. fp32: multiply
// 3.7 and add 0.9; int8: multiply 0.2 and add 0.03.
constexpr double dram_word_energy = 640.0;
constexpr double fp32_multiply_add_energy = 3.7 + 0.9;
constexpr double int8_multiply_add_energy = 0.2 + 0.03;
constexpr double word_bytes = 4.0;

Bytes total_of(const MemoryHierarchy& device, MemoryPlace place) {
  const MemoryLevel* level = device.find(place);
  return level == nullptr ? Bytes{0} : level->total();
}

double ratio(double over, double under) { return under > 0.0 ? over / under : 0.0; }

double total_ratio(const MemoryHierarchy& over, const MemoryHierarchy& under, MemoryPlace place) {
  return ratio(static_cast<double>(total_of(over, place).count()),
               static_cast<double>(total_of(under, place).count()));
}

double bandwidth_of(const MemoryLevel* level) {
  return level != nullptr && level->bandwidth ? static_cast<double>(level->bandwidth->count())
                                              : 0.0;
}

double latency_of(const MemoryLevel* level) {
  return level != nullptr && level->latency ? seconds(*level->latency) : 0.0;
}

double registers_per_thread(const MemoryHierarchy& device) {
  const MemoryLevel* registers = device.find(MemoryPlace::registers);
  return registers == nullptr ? 0.0 : device.per_thread(*registers);
}

}  // namespace

Inversion inversion_of(const MemoryHierarchy& device) {
  Inversion found{total_of(device, MemoryPlace::registers), total_of(device, MemoryPlace::l1),
                  total_of(device, MemoryPlace::l2)};
  found.strict = found.registers > found.l1 && found.l1 > found.l2;
  return found;
}

MemoryRatios ratios_of(const MemoryHierarchy& over, const MemoryHierarchy& under) {
  const MemoryLevel* dram_over = over.find(MemoryPlace::dram);
  const MemoryLevel* dram_under = under.find(MemoryPlace::dram);
  return {total_ratio(over, under, MemoryPlace::registers),
          total_ratio(over, under, MemoryPlace::l1),
          total_ratio(over, under, MemoryPlace::l2),
          ratio(bandwidth_of(dram_over), bandwidth_of(dram_under)),
          ratio(over.flops, under.flops),
          ratio(registers_per_thread(over), registers_per_thread(under)),
          ratio(latency_of(dram_over), latency_of(dram_under))};
}

std::vector<MemoryDistance> memory_distances(const MemoryHierarchy& device) {
  const MemoryLevel* dram = device.find(MemoryPlace::dram);
  const double latency = latency_of(dram);
  const double multiply_adds = device.flops / 2.0;  // a second, of the device
  std::optional<double> by_latency, by_unit, by_device, by_word;
  if (latency > 0.0) {
    if (device.multiply_add) by_latency = latency / seconds(*device.multiply_add);
    by_unit = latency * multiply_adds / static_cast<double>(device.units);
    by_device = latency * multiply_adds;
  }
  if (bandwidth_of(dram) > 0.0) by_word = word_bytes / bandwidth_of(dram) * multiply_adds;
  return {{"latency of DRAM / latency of a multiply-add", by_latency},
          {"latency of DRAM / issue interval of one unit", by_unit},
          {"latency of DRAM / issue interval of the device", by_device},
          {"streamed 4 B word / issue interval of the device", by_word},
          {"energy at 45 nm: 32-bit DRAM word / fp32 multiply-add",
           dram_word_energy / fp32_multiply_add_energy},
          {"energy at 45 nm: 32-bit DRAM word / int8 multiply-add",
           dram_word_energy / int8_multiply_add_energy}};
}

std::string orders_text(double ratio) {
  constexpr double near = 1.6;  // a fifth of an order either way
  if (!(ratio > 0.0)) return "-";
  int orders = 0;
  for (; ratio >= 10.0; ratio /= 10.0) ++orders;
  for (; ratio < 1.0; ratio *= 10.0) --orders;
  if (ratio <= near) return std::to_string(orders);
  if (ratio >= 10.0 / near) return std::to_string(orders + 1);
  return std::to_string(orders) + " to " + std::to_string(orders + 1);
}

}  // namespace tantalus
