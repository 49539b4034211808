// No knob is dead: every number that a GPU's file can hold changes some answer of the program. The fields are walked through
// the spec's own describe(), so that a new field without any effect fails here.
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "sim/base/units_text.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {
namespace {

/// Paths of all numbers of a spec, sections entered, absent ones too.
class NumberPaths {
 public:
  std::vector<std::string> paths;

  template <class T>
  void required(std::string_view key, T&, Rule, std::string_view) {
    add(key);
  }
  template <class T>
  void defaulted(std::string_view key, T&, Rule, std::string_view) {
    add(key);
  }
  template <class T>
  void derived(std::string_view key, T&, Rule, std::string_view, std::string_view) {
    add(key);
  }
  template <class T>
  void optional(std::string_view key, T&, Rule, std::string_view) {
    add(key);
  }
  template <class Spec>
  void section(std::string_view key, Spec& spec, std::string_view) {
    const std::string outer = prefix_;
    prefix_ += std::string(key) + ".";
    describe(*this, spec);
    prefix_ = outer;
  }
  template <class Spec>
  void defaulted_section(std::string_view key, Spec& spec, std::string_view doc) {
    section(key, spec, doc);
  }
  template <class Spec>
  void optional_section(std::string_view key, std::optional<Spec>&, std::string_view doc) {
    Spec spec;
    section(key, spec, doc);
  }
  void text(std::string_view, std::string&, std::string_view) {}
  void list(std::string_view, std::vector<std::string>&, Rule, std::string_view) {}

 private:
  void add(std::string_view key) { paths.push_back(prefix_ + std::string(key)); }
  std::string prefix_;
};

/// A value for each field that is far from what the H100's file says, in the field's unit.
const std::map<std::string, std::string> other_values = {
    {"architecture", "sm_20"},
    {"sm.count", "40"},
    {"sm.fp32_lanes", "32"},
    {"sm.fp16_lanes", "16"},
    {"sm.int8_lanes", "16"},
    {"sm.max_threads", "256"},
    {"sm.max_blocks", "1"},
    {"sm.registers", "16384"},
    {"sm.registers_per_thread", "64"},
    {"sm.registers_per_block", "8192"},
    {"sm.register_unit", "4096"},
    {"sm.warp_granularity", "16"},
    {"sm.shared_memory", "20 KiB"},
    {"sm.shared_memory_per_block", "9 KiB"},
    {"sm.shared_unit", "32 KiB"},
    {"sm.shared_reserved", "30 KiB"},
    {"sm.warp_size", "128"},
    {"sm.l1_bandwidth", "1 B/clk"},
    {"sm.store_bandwidth", "1 B/clk"},
    {"sm.tlb_reach", "2 MiB"},
    {"sm.tlb_page", "64 KiB"},
    {"sm.tlb_miss", "500 clk"},
    {"clock.boost", "500 MHz"},
    {"clock.sustained", "1 GHz"},
    {"clock.tensor", "300 MHz"},
    {"tensor.fp32", "4096 FLOP/clk"},
    {"tensor.tf32", "64 FLOP/clk"},
    {"tensor.fp16", "128 FLOP/clk"},
    {"tensor.bf16", "128 FLOP/clk"},
    {"tensor.fp8", "128 FLOP/clk"},
    {"tensor.int8", "128 FLOP/clk"},
    {"l2.capacity", "1 MiB"},
    {"l2.bandwidth", "500 B/clk"},
    {"l2.bandwidth_per_sm", "1 B/clk"},
    {"dram.capacity", "8 GiB"},
    {"dram.channels", "3"},
    {"dram.channel_width", "8 bit"},
    {"dram.data_rate", "500 MT/s"},
    {"dram.bandwidth", "100 GB/s"},
    {"dram.efficiency", "0.3"},
    {"dram_latency", "20 us"},
    {"power.limit", "60 W"},
    {"power.idle_share", "0.95"},
    {"power.per_flop", "900 pJ"},
    {"power.per_tensor_flop", "900 pJ"},
    {"power.per_l2_byte", "900 pJ"},
    {"power.per_dram_byte", "9000 pJ"},
    {"launch.queued", "40 us"},
    {"launch.captured", "40 us"},
    {"launch.latency", "90 us"},
    {"launch.queue_depth", "1"},
    {"context", "3 GiB"},
};

/// Fields of copies, which `predict` does not make: gpu_test.cpp ("no more copies run than there are copy engines") and
/// system_files_test.cpp ("a link trains at the lesser ...") turn them.
const std::set<std::string> knobs_of_copies = {"copy_engines", "pcie.generation", "pcie.lanes"};

/// Parts with and without matrix units, with and without a calibrated clock.
const std::vector<std::vector<std::string>> questions = {
    {"predict", "h200-node", "alexnet", "--batch", "64", "--mode", "training"},
    {"predict", "h200-node", "alexnet", "--batch", "64", "--precision", "tf32"},
    {"predict", "h200-node", "alexnet", "--batch", "64", "--precision", "fp16"},
    {"predict", "h200-node", "alexnet", "--batch", "64", "--precision", "bf16"},
    {"predict", "h200-node", "alexnet", "--batch", "64", "--precision", "fp8"},
    {"predict", "h200-node", "alexnet", "--batch", "64", "--precision", "int8"},
    {"predict", "h200-node", "lenet"},
    {"predict", "h200-node", "lenet", "--stack", "pytorch-2-graph"},
    {"predict", "h200-node", "gpt2-small"},
    {"predict", "desktop-gtx1080", "alexnet", "--batch", "64", "--precision", "fp16"},
    {"predict", "desktop-gtx1080", "alexnet", "--batch", "64", "--precision", "int8"},
    {"predict", "mi100", "alexnet", "--batch", "64"},
    {"predict", "p100-pcie-16gb", "vgg16", "--batch", "64"},
};

/// The figures of the answer; what it says in words (warnings, what was held constant) does not count.
nlohmann::json figures(std::vector<std::string> question) {
  question.insert(question.end(), {"--format", "json", "--quiet"});
  const Answer answer = answer_of(question);
  if (answer.code > 1) return {};
  const auto document = nlohmann::json::parse(answer.out);
  return {document["totals"], document["layers"], document["memory"]};
}

bool changes_an_answer(const std::string& set) {
  for (std::vector<std::string> question : questions) {
    const nlohmann::json before = figures(question);
    question.insert(question.end(), {"--set", "gpu0." + set});
    const nlohmann::json after = figures(question);
    if (!before.empty() && !after.empty() && before != after) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("no field of a GPU file is decoration") {
  GpuSpec spec;
  NumberPaths fields;
  describe(fields, spec);

  for (const std::string& path : fields.paths) {
    if (knobs_of_copies.count(path) == 1) continue;
    CAPTURE(path);
    const auto value = other_values.find(path);
    REQUIRE(value != other_values.end());
    CHECK(changes_an_answer(path + "=" + value->second));
  }
}

}  // namespace tantalus::testing
