#include "sim/config/reference_page.hpp"

#include <string>

#include <doctest/doctest.h>

#include "tests/sim/config/toy_gpu.hpp"

namespace tantalus {
namespace {

TEST_CASE("the reference table has a row for every field, as the reader reads it") {
  CHECK(
      reference_table<toy::Cache>() ==
      "| Field | Type | Rule | Written | Meaning |\n"
      "| --- | --- | --- | --- | --- |\n"
      "| `capacity` | a quantity with its unit (B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB) | more "
      "than zero | **required** | data the cache can hold |\n"
      "| `line` | a quantity with its unit (B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB) | a power "
      "of two | default `128 B` | bytes fetched on a miss |\n"
      "| `ways` | a whole number | between 1 and 64 | default `16` | lines of a set |\n"
      "| `hit_latency` | a quantity with its unit (clk) | more than zero | default `200 clk` | "
      "cycles from request to data |\n");
}

TEST_CASE("nested fields are named by their path, derived ones by their formula") {
  const std::string page = reference_table<toy::Gpu>();

  CHECK(page.find("| `sm.count` | a whole number | between 1 and 1024 | **required** |") !=
        std::string::npos);
  CHECK(page.find("derived: bus x data_rate") != std::string::npos);
  CHECK(page.find("| `dram.kind` | a word | `GDDR`, `HBM` | default `GDDR` |") !=
        std::string::npos);
  CHECK(page.find("| `levels[].ways` |") != std::string::npos);
  CHECK(page.find("| `l1` | a map | | optional |") != std::string::npos);
}

TEST_CASE("a section of the page has a title and an introduction") {
  const std::string page = reference_section<toy::Clock>("Clock", "Of a toy.");

  CHECK(page.rfind("## Clock\n\nOf a toy.\n\n| Field |", 0) == 0);
}

}  // namespace
}  // namespace tantalus
