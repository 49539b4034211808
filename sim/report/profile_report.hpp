// What a network asks for, without any hardware: the records behind `tantalus profile` and their three forms. Counting is
// models/dnn's work; this room only lays out. JSON is `tantalus.profile/1`, a contract.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/diagnostic.hpp"
#include "sim/base/units.hpp"
#include "sim/report/style.hpp"

namespace tantalus {

struct ProfileRow {
  std::string name, kind;
  std::vector<std::int64_t> output_shape;
  std::int64_t ops = 0, macs = 0, flops = 0, other_ops = 0, parameters = 0;
  Bytes input_bytes, output_bytes, parameter_bytes, working_set;
};

struct ProfileReport {
  std::string network, mode, precision, convention;
  std::int64_t batch = 1;
  std::vector<ProfileRow> rows;
  std::int64_t ops = 0, macs = 0, flops = 0, other_ops = 0, parameters = 0;  // totals
  Bytes parameter_bytes, largest_working_set;
  Diagnostics warnings;
};

std::string profile_table(const ProfileReport& report, const Style& style = {});
std::string profile_json(const ProfileReport& report);
std::string profile_csv(const ProfileReport& report);

}  // namespace tantalus
