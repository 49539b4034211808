// A machine that no test ran on: the rows that the host program would print for it.
#pragma once

#include <string>
#include <vector>

namespace tantalus::testing {

using Rows = std::vector<std::vector<std::string>>;

inline Rows value(const std::string& file, const std::string& field, const std::string& value,
                  const std::string& mark = "measured", const std::string& spread = "0.021") {
  return {{"value", file, field, value, spread, mark, "a \"probe\" of it"}};
}

inline Rows machine_rows() {
  Rows rows{{"machine", "processor", "Test CPU"},
            {"machine", "onednn", "oneDNN 2.6.3 AVX2"},
            {"machine", "openblas", "OpenBLAS 0.3.21 Cooperlake"}};
  const Rows values[] = {value("device", "name", "Test CPU", "datasheet"),
                         value("device", "cores", "2", "inferred"),
                         value("device", "simd.width", "256 bit", "inferred"),
                         value("device", "clock.base", "3 GHz", "inferred"),
                         value("device", "clock.sustained", "3.2 GHz"),
                         value("device", "l1d.capacity", "32 KiB"),
                         value("device", "l1d.latency", "4 clk"),
                         value("device", "l2.capacity", "1024 KiB"),
                         value("device", "l2.latency", "14 clk"),
                         value("device", "dram.kind", "unknown", "inferred"),
                         value("device", "dram.capacity", "16 GiB", "datasheet"),
                         value("device", "dram.channels", "1", "inferred"),
                         value("device", "dram.channel_width", "64 bit", "inferred"),
                         value("device", "dram.data_rate", "4895 MT/s", "inferred"),
                         value("device", "dram_latency", "110 ns"),
                         value("note", "storage.latency", "84 us"),
                         value("onednn", "loops.simple", "2.25"),
                         value("openblas", "gemm.efficiency", "0.91")};
  for (const Rows& row : values) rows.push_back(row.front());
  return rows;
}

}  // namespace tantalus::testing
