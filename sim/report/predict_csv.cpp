#include <string>
#include <vector>

#include "sim/report/csv.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/predict_report.hpp"

namespace tantalus {

namespace {

// Picoseconds are the smallest time there is: three digits after the point are exact.
std::string ns(Duration time) { return fixed_text(nanoseconds(time), 3); }

std::string count(Bytes bytes) { return std::to_string(bytes.count()); }

std::vector<std::string> row_of(const LayerPass& entry) {
  return {entry.name,
          entry.kind,
          entry.pass,
          ns(entry.time),
          ns(entry.low),
          ns(entry.high),
          ns(entry.compute),
          ns(entry.memory),
          ns(entry.launch),
          ns(entry.sync),
          std::string(name_of(entry.bound)),
          entry.algorithm,
          std::to_string(entry.macs),
          std::to_string(2 * entry.macs),
          std::to_string(entry.other_ops),
          count(entry.input_bytes),
          count(entry.output_bytes),
          count(entry.parameter_bytes),
          count(entry.cache_bytes),
          count(entry.dram_bytes),
          std::to_string(entry.kernels.size())};
}

}  // namespace

std::string predict_csv(const Prediction& prediction) {
  std::string text = csv_line(std::vector<std::string>{
      "layer",       "kind",       "pass",      "time_ns",     "time_low_ns",  "time_high_ns",
      "compute_ns",  "memory_ns",  "launch_ns", "sync_ns",     "bound",        "algorithm",
      "macs",        "flops",      "other_ops", "input_bytes", "output_bytes", "parameter_bytes",
      "cache_bytes", "dram_bytes", "kernels"});
  for (const LayerPass& entry : layer_passes(prediction.results)) text += csv_line(row_of(entry));

  const Totals totals = totals_of(prediction);
  std::vector<std::string> total(21);
  total[0] = "total";
  total[3] = ns(totals.time);
  total[4] = ns(totals.low);
  total[5] = ns(totals.high);
  total[12] = std::to_string(totals.macs);
  total[13] = std::to_string(totals.flops);
  total[14] = std::to_string(totals.other_ops);
  return text + csv_line(total);
}

}  // namespace tantalus
