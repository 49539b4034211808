#include "sim/app/host_rows.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "sim/base/units_text.hpp"

namespace tantalus {

namespace {

// The columns of a row, as validate/main.cpp prints them.
enum Column : std::size_t {
  kind,
  network,
  library,
  batch,
  mode,
  round,
  what,
  task,
  name,
  time_ns,
  spread,
  samples,
  dropped,
  confident,
  flops,
  bytes,
  value,
  implementation,
  flag,
  columns
};

double number(const std::string& text) { return parse_number(text).value.value_or(0.0); }
std::int64_t count(const std::string& text) { return parse_integer(text).value.value_or(0); }

std::string key_of(const std::string& network_name, const std::string& batch_text,
                   const std::string& mode_name, const std::string& library_name) {
  return network_name + "," + batch_text + "," + mode_name + "," + library_name;
}

// Where a row of a later round belongs: the same place in its case.
void add(std::vector<HostMeasurement>& rows, std::size_t place,
         const std::vector<std::string>& cells) {
  if (place == rows.size()) {
    HostMeasurement m;
    m.what = cells[what];
    m.task = static_cast<std::size_t>(count(cells[task]));
    m.name = cells[name];
    m.implementation = cells[implementation];
    m.bytes = number(cells[bytes]);
    rows.push_back(std::move(m));
  }
  HostMeasurement& m = rows[place];
  m.nanoseconds.push_back(number(cells[time_ns]));
  m.spread = std::max(m.spread, number(cells[spread]));
  m.samples += count(cells[samples]);
  m.dropped += count(cells[dropped]);
  if (m.flag.empty()) m.flag = cells[flag];
}

// Probes around each case of each round: the latest before it, and those up to the next row after it.
class NearProbes {
 public:
  explicit NearProbes(std::size_t cases) : sums_(cases) {}

  void probe(const std::string& name, double value) {
    latest_[name] = value;
    if (current_) take(*current_, name, value);
  }
  void row_of(std::size_t number) {
    if (current_ == number) return;
    current_ = number;
    for (const auto& [name, value] : latest_) take(number, name, value);
  }
  std::vector<HostRates> rates() const {
    std::vector<HostRates> rates;
    for (const auto& sums : sums_) rates.push_back({mean(sums, "fma"), mean(sums, "memory_read")});
    return rates;
  }

 private:
  struct Sum {
    double total = 0;
    int count = 0;
  };
  using Sums = std::map<std::string, Sum>;

  void take(std::size_t number, const std::string& name, double value) {
    Sum& sum = sums_[number][name];
    sum.total += value;
    ++sum.count;
  }
  static double mean(const Sums& sums, const std::string& name) {
    const auto found = sums.find(name);
    return found == sums.end() ? 0.0 : found->second.total / found->second.count;
  }

  std::vector<Sums> sums_;
  std::map<std::string, double> latest_;
  std::optional<std::size_t> current_;
};

}  // namespace

double HostMeasurement::middle() const {
  return std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0) /
         static_cast<double>(nanoseconds.size());
}

double HostMeasurement::repeatability() const {
  if (nanoseconds.size() < 2) return -1.0;
  const auto [least, most] = std::minmax_element(nanoseconds.begin(), nanoseconds.end());
  return (*most - *least) / middle();
}

HostMeasurements measurements_of(const std::vector<std::vector<std::string>>& rows,
                                 const std::vector<HostCase>& cases) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const HostCase& c = cases[i];
    numbers[key_of(c.network, std::to_string(c.batch), std::string(name_of(c.mode)), c.library)] =
        i;
  }
  HostMeasurements all;
  all.cases.resize(cases.size());
  NearProbes near(cases.size());
  std::map<std::string, std::size_t> places;  // of the next row, by case and round
  for (const std::vector<std::string>& cells : rows) {
    if (cells.size() == 3 && cells[0] == "machine") all.machine.emplace_back(cells[1], cells[2]);
    if (cells.size() != columns || cells[kind] != "row") continue;
    if (cells[what] == "probe") {
      all.probes[cells[name]].push_back(number(cells[value]));
      near.probe(cells[name], number(cells[value]));
      continue;
    }
    const std::string key = key_of(cells[network], cells[batch], cells[mode], cells[library]);
    const auto found = numbers.find(key);
    if (found != numbers.end()) {
      near.row_of(found->second);
      add(all.cases[found->second], places[key + "," + cells[round]]++, cells);
    }
  }
  all.rates = near.rates();
  return all;
}

std::string plan_text(const std::vector<HostCase>& cases) {
  std::string text;
  for (const HostCase& c : cases) {
    text += c.network + "," + c.file + "," + std::to_string(c.batch) + "," +
            std::string(name_of(c.mode)) + "," + c.library + "\n";
  }
  return text;
}

}  // namespace tantalus
