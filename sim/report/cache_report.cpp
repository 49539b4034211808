#include "sim/report/cache_report.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "sim/report/csv.hpp"
#include "sim/report/json_text.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/prediction.hpp"
#include "sim/report/text_table.hpp"

namespace tantalus {

namespace {

using Json = nlohmann::ordered_json;

double share(const CacheCounts& counts) {
  return counts.accesses == 0
             ? 0.0
             : static_cast<double>(counts.misses) / static_cast<double>(counts.accesses);
}

std::string share_text(const CacheCounts& counts) {
  return counts.accesses == 0 ? "-" : percent_text(share(counts));
}

std::string grouped_or_dash(std::int64_t count) { return count == 0 ? "-" : grouped_text(count); }

Json level_json(const CacheLevelRow& row) {
  const CacheCounts demand = row.demand();
  return {{"name", row.name},
          {"capacity_bytes", row.capacity.count()},
          {"ways", row.ways},
          {"line_bytes", row.line.count()},
          {"sector_bytes", row.sector.count()},
          {"instances", row.instances},
          {"replacement", row.replacement},
          {"inclusion", row.inclusion},
          {"prefetch", row.prefetch},
          {"write_back", row.write_back},
          {"write_allocate", row.write_allocate},
          {"accesses", demand.accesses},
          {"misses", demand.misses},
          {"miss_share", rounded(share(demand))},
          {"loads", row.loads.accesses},
          {"load_misses", row.loads.misses},
          {"stores", row.stores.accesses},
          {"store_misses", row.stores.misses},
          {"instructions", row.instructions.accesses},
          {"instruction_misses", row.instructions.misses},
          {"sector_misses", row.sector_misses},
          {"evictions", row.evictions},
          {"writebacks", row.writebacks},
          {"invalidations", row.invalidations},
          {"prefetches", row.prefetches},
          {"useful_prefetches", row.useful_prefetches},
          {"prefetch_accesses", row.prefetched.accesses},
          {"prefetch_misses", row.prefetched.misses}};
}

}  // namespace

CacheCounts CacheLevelRow::demand() const {
  return {loads.accesses + stores.accesses + instructions.accesses,
          loads.misses + stores.misses + instructions.misses};
}

std::string cache_table(const CacheReport& report, const Style& style) {
  std::string text = bold(report.caches + ": " + report.program, style) + "\n  " +
                     grouped_text(report.accesses()) +
                     " references: " + grouped_text(report.loads) + " loads, " +
                     grouped_text(report.stores) + " stores, " + grouped_text(report.instructions) +
                     " instructions";
  if (report.cores > 1) text += "; " + grouped_text(report.cores) + " cores";
  text += "\n\n";
  TextTable table({{"level", Align::left},
                   {"capacity"},
                   {"ways"},
                   {"line"},
                   {"references"},
                   {"misses"},
                   {"missed"},
                   {"loads missed"},
                   {"stores missed"},
                   {"fetches missed"},
                   {"evictions"},
                   {"write-backs"},
                   {"taken out"},
                   {"prefetches"},
                   {"used"}});
  for (const CacheLevelRow& row : report.levels) {
    const CacheCounts demand = row.demand();
    table.add_row({row.name, memory_text(row.capacity), std::to_string(row.ways),
                   std::to_string(row.line.count()) + " B", grouped_or_dash(demand.accesses),
                   grouped_or_dash(demand.misses), share_text(demand), share_text(row.loads),
                   share_text(row.stores), share_text(row.instructions),
                   grouped_or_dash(row.evictions), grouped_or_dash(row.writebacks),
                   grouped_or_dash(row.invalidations), grouped_or_dash(row.prefetches),
                   grouped_or_dash(row.useful_prefetches)});
  }
  return text + table.text(style) + "\nmemory: " + bytes_text(report.read) + " read, " +
         bytes_text(report.written) + " written\n";
}

std::string cache_json(const CacheReport& report) {
  Json levels = Json::array();
  for (const CacheLevelRow& row : report.levels) levels.push_back(level_json(row));
  Json warnings = Json::array();
  for (const Diagnostic& d : report.warnings)
    warnings.push_back(
        {{"code", d.code}, {"path", d.path}, {"message", d.message}, {"hint", d.hint}});
  Json body = {
      {"caches", report.caches},
      {"program", report.program},
      {"cores", report.cores},
      {"accesses", report.accesses()},
      {"loads", report.loads},
      {"stores", report.stores},
      {"instructions", report.instructions},
      {"levels", std::move(levels)},
      {"memory", {{"read_bytes", report.read.count()}, {"written_bytes", report.written.count()}}},
      {"warnings", std::move(warnings)}};
  Json document = {{"schema", "tantalus.cache/1"},
                   {"fingerprint", fingerprint_text(fingerprint_of(json_text(body)))}};
  document.update(body);
  return json_text(document);
}

std::string cache_csv(const CacheReport& report) {
  std::string text = csv_line(std::vector<std::string>{
      "level", "capacity_bytes", "ways", "line_bytes", "accesses", "misses", "loads", "load_misses",
      "stores", "store_misses", "instructions", "instruction_misses", "sector_misses", "evictions",
      "writebacks", "invalidations", "prefetches", "useful_prefetches"});
  for (const CacheLevelRow& row : report.levels) {
    const CacheCounts demand = row.demand();
    std::vector<std::string> cells{row.name};
    for (const std::int64_t number :
         {row.capacity.count(), row.ways, row.line.count(), demand.accesses, demand.misses,
          row.loads.accesses, row.loads.misses, row.stores.accesses, row.stores.misses,
          row.instructions.accesses, row.instructions.misses, row.sector_misses, row.evictions,
          row.writebacks, row.invalidations, row.prefetches, row.useful_prefetches})
      cells.push_back(std::to_string(number));
    text += csv_line(cells);
  }
  return text;
}

}  // namespace tantalus
