#include "sim/hardware/gpu_spec.hpp"

#include <filesystem>

#include <doctest/doctest.h>

#include "sim/config/spec_writer.hpp"
#include "source_dir.hpp"
#include "tests/sim/hardware/gpu_fixture.hpp"
#include "tests/sim/hardware/recording_checker.hpp"

namespace tantalus::test {

namespace {

std::vector<std::string> gpu_files() {
  std::vector<std::string> stems;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TANTALUS_SOURCE_DIR) +
                                                               "/hw_configs/devices")) {
    const std::string stem = entry.path().stem().string();
    if (read_text("hw_configs/devices/" + stem + ".yaml").find("\nkind: gpu\n") !=
        std::string::npos)
      stems.push_back(stem);
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

GpuSpec a100() { return read_gpu("a100-80gb-pcie").value(); }

RecordingChecker checked(const GpuSpec& spec) {
  RecordingChecker checker;
  check(spec, checker);
  return checker;
}

}  // namespace

TEST_CASE("every GPU file loads without a word, with and without its calibration") {
  const std::vector<std::string> stems = gpu_files();
  CHECK(stems.size() >= 42);
  for (const std::string& stem : stems) {
    for (const Knowledge knowledge : {Knowledge::sheet, Knowledge::calibrated}) {
      const Result<GpuSpec> spec = read_gpu(stem, knowledge);
      INFO(stem, ": ", why(spec.diagnostics()));
      CHECK(spec.ok());
      CHECK(spec.diagnostics().empty());
    }
  }
}

TEST_CASE("every GPU file written back and read again is the same text") {
  for (const std::string& stem : gpu_files()) {
    const std::string once = write_spec(read_gpu(stem).value());
    const Result<Document> document = read_document("tantalus: device/1\n" + once, stem, "device");
    REQUIRE(document.ok());
    const Result<GpuSpec> again = read_spec<GpuSpec>(document->body, reading(*document));
    INFO(stem, ": ", why(again.diagnostics()));
    REQUIRE(again.ok());
    CHECK(write_spec(again.value()) == once);
  }
}

TEST_CASE("every value of every GPU file names a source") {
  for (const std::string& stem : gpu_files()) {
    const std::string path = "hw_configs/devices/" + stem + ".yaml";
    Result<Document> document = read_document(read_text(path), path, "device");
    REQUIRE(document.ok());
    take(document.value().body, "kind");
    Origins origins;
    ReadContext context = reading(*document);
    context.origins = &origins;
    REQUIRE(read_spec<GpuSpec>(document->body, context).ok());
    for (const auto& origin : origins) {
      INFO(stem, " ", origin.first);
      CHECK(origin.second.kind != Origin::Kind::unsourced);
    }
  }
}

TEST_CASE("the parts that the tool promises are there") {
  const std::vector<std::string> stems = gpu_files();
  for (const char* wanted :
       {"gtx580",         "gtx1080", "titanx-maxwell", "p100-pcie-16gb", "v100-pcie",
        "v100-sxm2",      "t4",      "rtx3090",        "rtx4090",        "a100-40gb-pcie",
        "a100-80gb-pcie", "l4",      "rtx5090",        "titanx-pascal",  "gtx1080ti",
        "a100-80gb-sxm",  "mi100",   "mi210",          "h100-sxm5",      "h200-sxm"}) {
    INFO(wanted);
    CHECK(std::find(stems.begin(), stems.end(), wanted) != stems.end());
  }
}

TEST_CASE("peaks that follow from the files are those of the data sheets") {
  const struct {
    const char* stem;
    double fp32_tflops, fp16_tflops, dram_gbps;
  } sheets[] = {{"v100-sxm2", 15.67, 125.0, 898},  {"a100-80gb-pcie", 19.49, 312.0, 1935},
                {"h100-sxm5", 66.91, 989.4, 3352}, {"t4", 8.141, 65.0, 320},
                {"rtx3090", 35.58, 71.0, 936},     {"mi210", 22.6, 181.0, 1638.4}};
  for (const auto& sheet : sheets) {
    const GpuSpec spec = read_gpu(sheet.stem, Knowledge::sheet).value();
    const double clock = static_cast<double>(spec.clock.boost.count());
    const double fp32 = 2e-12 * static_cast<double>(spec.sm.count * spec.sm.fp32_lanes) * clock;
    const double fp16 = 1e-12 * static_cast<double>(spec.sm.count * spec.tensor.fp16->count()) *
                        static_cast<double>(spec.clock.tensor->count());
    INFO(sheet.stem);
    CHECK(fp32 == doctest::Approx(sheet.fp32_tflops).epsilon(0.01));
    CHECK(fp16 == doctest::Approx(sheet.fp16_tflops).epsilon(0.01));
    CHECK(static_cast<double>(spec.dram.bandwidth->count()) * 1e-9 ==
          doctest::Approx(sheet.dram_gbps).epsilon(0.002));
  }
}

TEST_CASE("what a file leaves out is derived") {
  GpuSpec spec;
  spec.sm.count = 10;
  spec.sm.fp32_lanes = 128;
  spec.sm.registers = 131072;
  spec.clock.boost = Frequency{2'000'000'000};
  derive(spec.sm);
  derive(spec.clock);
  derive(spec.l2);
  derive(spec);

  CHECK(*spec.sm.fp16_lanes == 128);
  CHECK(*spec.sm.registers_per_block == 65536);
  CHECK(*spec.clock.sustained == Frequency{2'000'000'000});
  CHECK(*spec.clock.tensor == Frequency{2'000'000'000});
  CHECK(*spec.l2.bandwidth == BytesPerCycle{220});  // 22 B/clk x 10 SMs
  CHECK(*spec.l2.bandwidth_per_sm == BytesPerCycle{64});
}

TEST_CASE("a sound part draws no remark") { CHECK(checked(a100()).all().empty()); }

TEST_CASE("nonsense across fields is called impossible") {
  const struct {
    const char* expected;
    void (*spoil)(GpuSpec&);
  } cases[] = {
      {"impossible too-large sm.shared_memory_per_block",
       [](GpuSpec& s) { s.sm.shared_memory_per_block = Bytes{200 * 1024}; }},
      {"impossible inverted-capacity sm.shared_memory",
       [](GpuSpec& s) { s.sm.shared_memory = Bytes{48 * 1024 * 1024}; }},
      {"impossible inverted-capacity l2.capacity",
       [](GpuSpec& s) { s.l2.capacity = Bytes{100'000'000'000}; }},
      {"impossible inverted-bandwidth l2.bandwidth",
       [](GpuSpec& s) { s.l2.bandwidth = BytesPerCycle{500}; }},
      {"impossible unlikely-clock clock.boost",
       [](GpuSpec& s) { s.clock.boost = Frequency{3'000'000}; }},
      {"impossible unlikely-clock clock.boost",
       [](GpuSpec& s) { s.clock.boost = Frequency{3'000'000'000'000'000}; }},
      {"impossible zero-lanes sm.fp32_lanes", [](GpuSpec& s) { s.sm.fp32_lanes = 0; }},
      {"impossible partial-warp sm.max_threads", [](GpuSpec& s) { s.sm.max_threads = 2000; }},
      {"impossible too-large sm.registers_per_thread", [](GpuSpec& s) { s.sm.registers = 4096; }},
      {"impossible unlikely-rate tensor.fp16",
       [](GpuSpec& s) { s.tensor.fp16 = FlopsPerCycle{221'184}; }},
      {"impossible too-large context", [](GpuSpec& s) { s.context = Bytes{100'000'000'000}; }},
  };
  for (const auto& c : cases) {
    GpuSpec spec = a100();
    c.spoil(spec);
    INFO(c.expected);
    CHECK(checked(spec).has(c.expected));
  }
}

TEST_CASE("what cannot run at all stays an error even in a hypothetical file") {
  GpuSpec spec = a100();
  spec.sm.count = 0;
  spec.libraries.clear();
  spec.power->idle_share = Fraction{1.0};
  const RecordingChecker found = checked(spec);

  CHECK(found.has("contradictory cannot-run sm.count"));
  CHECK(found.has("contradictory no-library libraries"));
  CHECK(found.has("contradictory no-power-left power.idle_share"));
}

TEST_CASE("what is merely odd is a warning") {
  GpuSpec spec = a100();
  spec.clock.boost = Frequency{5'000'000'000};
  spec.clock.sustained = Frequency{6'000'000'000};
  spec.tensor.fp16 = FlopsPerCycle{64};
  spec.power->limit = Power{1'000};
  const RecordingChecker found = checked(spec);

  CHECK(found.has("unusual unlikely-clock clock.boost"));
  CHECK(found.has("unusual above-boost clock.sustained"));
  CHECK(found.has("unusual unlikely-rate tensor.fp16"));
  CHECK(found.has("unusual unlikely-power power.limit"));
}

}  // namespace tantalus::test
