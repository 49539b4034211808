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
    if (current_) take(name, value);
  }
  void row_of(std::size_t number, std::size_t round) {
    const std::pair<std::size_t, std::size_t> here{number, round};
    if (current_ == here) return;
    current_ = here;
    for (const auto& [name, value] : latest_) take(name, value);
  }
  HostRates rates(std::size_t number, std::size_t round) const {
    const auto found = sums_.at(number).find(round);
    if (found == sums_.at(number).end()) return {};
    return {mean(found->second, "fma"), mean(found->second, "memory"),
            mean(found->second, "l3_reach"), mean(found->second, "l3_read"),
            mean(found->second, "l3_neighbours")};
  }

 private:
  struct Sum {
    double total = 0;
    int count = 0;
  };
  using Sums = std::map<std::string, Sum>;

  void take(const std::string& name, double value) {
    Sum& sum = sums_[current_->first][current_->second][name];
    sum.total += value;
    ++sum.count;
  }
  static double mean(const Sums& sums, const std::string& name) {
    const auto found = sums.find(name);
    return found == sums.end() ? 0.0 : found->second.total / found->second.count;
  }

  std::vector<std::map<std::size_t, Sums>> sums_;  // by case and round
  std::map<std::string, double> latest_;
  std::optional<std::pair<std::size_t, std::size_t>> current_;
};

// Neighbours only ever add time: the round with the shortest pass met the fewest.
std::size_t quietest_round(const std::vector<HostMeasurement>& rows) {
  for (const HostMeasurement& m : rows) {
    if (m.what != "pass") continue;
    const auto least = std::min_element(m.nanoseconds.begin(), m.nanoseconds.end());
    return static_cast<std::size_t>(least - m.nanoseconds.begin());
  }
  return 0;
}

}  // namespace

double HostMeasurement::repeatability() const {
  if (nanoseconds.size() < 2) return -1.0;
  const auto [least, most] = std::minmax_element(nanoseconds.begin(), nanoseconds.end());
  const double sum = std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0);
  return (*most - *least) * static_cast<double>(nanoseconds.size()) / sum;
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
      near.row_of(found->second, static_cast<std::size_t>(count(cells[round])));
      add(all.cases[found->second], places[key + "," + cells[round]]++, cells);
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t quietest = quietest_round(all.cases[i]);
    for (HostMeasurement& m : all.cases[i]) m.quietest = quietest;
    all.rates.push_back(near.rates(i, quietest));
  }
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
