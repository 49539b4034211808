// No knob is dead: every number that a device's file or a stack can hold changes some answer of the program. The fields are
// walked through the spec's own describe(), so that a new field without any effect fails here. Kernel catalogues: see
// tests/sim/hardware/catalogue_knobs_test.cpp.
#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "sim/base/units_text.hpp"
#include "sim/hardware/cpu_spec.hpp"
#include "sim/hardware/gpu_spec.hpp"
#include "sim/hardware/stack_spec.hpp"
#include "tests/sim/app/console.hpp"
#include "tests/sim/hardware/knob_turner.hpp"

namespace tantalus::testing {
namespace {

/// Paths of all fields of a spec but its list of catalogues, whose own fields catalogue_knobs_test.cpp turns.
template <class Spec>
std::vector<std::string> fields_of() {
  Spec spec;
  test::KnobTurner walker;
  describe(walker, spec);
  std::vector<std::string> paths = walker.paths();
  paths.erase(std::remove(paths.begin(), paths.end(), "libraries"), paths.end());
  return paths;
}

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
    {"sm.l1_capacity", "16 KiB"},
    {"sm.l1_latency", "7 clk"},
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
    {"l2.latency", "99 clk"},
    {"l2.partitions", "3"},
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

using Questions = std::vector<std::vector<std::string>>;

/// Parts with and without matrix units, with and without a calibrated clock.
const Questions gpu_questions = {
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
    {"describe", "h200-node"},
    {"cache", "h200-node", "--device", "gpu0", "--pattern", "chase:40MiB", "--passes", "2"},
};

/// A table of words that a first level cache holds.
const char* const word_table = R"(tantalus: network/1
name: words
input: {tokens: 16}
layers:
  - {name: table, kind: embedding, rows: 32, width: 16}
)";

/// The figures of the answer, whichever verb gave it; what it says in words (warnings, what was held constant) does not count.
nlohmann::json figures(std::vector<std::string> question) {
  question.insert(question.end(), {"--format", "json", "--quiet"});
  const Answer answer = answer_of(question);
  if (answer.code > 1) return {};
  auto document = nlohmann::json::parse(answer.out);
  return {document["totals"], document["layers"], document["memory"], document["levels"]};
}

/// Questions with their answers.
class Answered {
 public:
  explicit Answered(const Questions& questions) : questions_(questions) {
    for (const std::vector<std::string>& question : questions_)
      before_.push_back(figures(question));
  }

  /// Whether a question, with more words behind it, has another answer.
  bool change_with(const std::vector<std::string>& words) const {
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      std::vector<std::string> question = questions_[i];
      question.insert(question.end(), words.begin(), words.end());
      const nlohmann::json after = figures(question);
      if (!before_[i].empty() && !after.empty() && before_[i] != after) return true;
    }
    return false;
  }

 private:
  Questions questions_;
  std::vector<nlohmann::json> before_;
};

/// A value for each field that is far from what the Xeon's file says, in the field's unit.
const std::map<std::string, std::string> other_cpu_values = {
    {"cores", "3"},
    {"simd.width", "128 bit"},
    {"simd.fma_ports", "1"},
    {"simd.fused", "false"},
    {"simd.fma_latency", "60 clk"},
    {"simd.registers", "8"},
    {"simd.physical_registers", "500"},
    {"smt.threads", "1"},
    {"smt.share", "0.3"},
    {"clock.base", "1.1 GHz"},
    {"clock.sustained", "1.2 GHz"},
    {"clock.one_core", "1.3 GHz"},
    {"l1d.capacity", "8 KiB"},
    {"l1d.effective", "2 KiB"},
    {"l1d.shared_by", "10"},
    {"l1d.latency", "400 clk"},
    {"l1d.bandwidth", "2 B/clk"},
    {"l2.capacity", "33 KiB"},
    {"l2.effective", "40 KiB"},
    {"l2.shared_by", "10"},
    {"l2.latency", "90 clk"},
    {"l2.bandwidth", "1 B/clk"},
    {"l3.capacity", "3 MiB"},
    {"l3.effective", "2 MiB"},
    {"l3.shared_by", "1"},
    {"l3.latency", "400 clk"},
    {"l3.bandwidth", "1 B/clk"},
    {"l3.neighbours", "50 GB/s"},
    {"dram.capacity", "8 GiB"},
    {"dram.channels", "1"},
    {"dram.channel_width", "8 bit"},
    {"dram.data_rate", "200 MT/s"},
    {"dram.bandwidth", "5 GB/s"},
    {"dram.efficiency", "0.2"},
    {"dram_latency", "900 ns"},
    {"one_core_bandwidth", "1 GB/s"},
};

/// Steps that matter to a host: one sample and many, caches and memory, products and loops.
const Questions cpu_questions = {
    {"predict", "xeon-e5-2650-v3", "alexnet", "--batch", "16", "--mode", "training"},
    {"predict", "xeon-e5-2650-v3", "alexnet"},
    {"predict", "xeon-e5-2650-v3", "lenet"},
    {"predict", "laptop-cpu", "vgg16"},
    {"predict", "zen5-vm", "alexnet-2012", "--batch", "16", "--mode", "training"},
    {"describe", "xeon-e5-2650-v3"},
};

/// A stack's fields: a value that is not the one of `plain`. Host times of single calls are for operators, not for steps:
/// ops_test.cpp turns them.
const std::map<std::string, std::string> other_stack_values = {
    {"host_per_operator", "300 us"},   {"launch", "graph"},
    {"layout", "channels_first"},      {"math.convolution", "tf32"},
    {"math.matmul", "tf32"},           {"operators.fusion", "pointwise"},
    {"operators.half", "pure"},        {"operators.gradients", "accumulated"},
    {"operators.optimizer", "adam"},   {"operators.gradient_of_input", "true"},
    {"operators.bytes_of_index", "0"}, {"host_error", "0.05"},
    {"weights", "turned_each_call"},
};

/// Fields that matter where each call packs its weights: against the stack that does so, on wide layers.
const std::map<std::string, std::string> other_buffer_values = {
    {"buffers.mapped_from", "1 MiB"}, {"buffers.page", "64 KiB"}, {"buffers.page_time", "1 us"}};
const std::vector<std::string> wide_question = {"predict", "core-i9-10940x", "wide-resnet50-2"};

std::string packing_answer(const std::string& set) {
  const TemporaryFile stack("packing.yaml",
                            answer_of({"show", "pytorch-2-compiled-cpu", "--set", set}).out);
  std::vector<std::string> words = wide_question;
  words.insert(words.end(), {"--stack", stack.path(), "--format", "json", "--quiet"});
  return answer_of(words).out;
}

const Questions stack_questions = {
    {"predict", "h200-node", "alexnet", "--batch", "64", "--mode", "training"},
    {"predict", "h200-node", "lenet"},
    {"predict", "h200-node", "resnet18", "--batch", "16"},
    {"predict", "h200-node", "resnet18", "--batch", "16", "--precision", "fp16", "--mode",
     "training"},
    {"predict", "core-i9-10940x", "resnet18"},
};

/// The stack `plain` with one field turned, as its file.
std::string turned_stack(const std::string& set) {
  return answer_of({"show", "plain", "--set", set}).out;
}

}  // namespace

TEST_CASE("no field of a GPU file is decoration") {
  const std::vector<std::string> fields = fields_of<GpuSpec>();

  const Answered questions(gpu_questions);

  for (const std::string& path : fields) {
    if (knobs_of_copies.count(path) == 1) continue;
    CAPTURE(path);
    const auto value = other_values.find(path);
    REQUIRE(value != other_values.end());
    CHECK(questions.change_with({"--set", "gpu0." + path + "=" + value->second}));
  }
}

TEST_CASE("no field of a CPU file is decoration") {
  const std::vector<std::string> fields = fields_of<CpuSpec>();

  const TemporaryFile network("words.yaml", word_table);
  Questions questions = cpu_questions;
  questions.push_back({"predict", "xeon-e5-2650-v3", network.path()});
  const Answered answered(questions);

  for (const std::string& path : fields) {
    CAPTURE(path);
    const auto value = other_cpu_values.find(path);
    REQUIRE(value != other_cpu_values.end());
    CHECK(answered.change_with({"--set", "cpu0." + path + "=" + value->second}));
  }
}

TEST_CASE("no field of a stack is decoration") {
  const std::vector<std::string> fields = fields_of<StackSpec>();

  const Answered questions(stack_questions);

  for (const std::string& path : fields) {
    if (path.rfind("single_call.", 0) == 0 || path.rfind("buffers.", 0) == 0) continue;
    CAPTURE(path);
    const auto value = other_stack_values.find(path);
    REQUIRE(value != other_stack_values.end());
    const TemporaryFile stack("turned.yaml", turned_stack(path + "=" + value->second));
    CHECK(questions.change_with({"--stack", stack.path()}));
  }
}

TEST_CASE("no field of a stack's buffers is decoration") {
  const std::string as_written = packing_answer("host_error=0.5");

  for (const std::string& path : fields_of<FreshBufferSpec>()) {
    CAPTURE(path);
    const auto value = other_buffer_values.find("buffers." + path);
    REQUIRE(value != other_buffer_values.end());
    CHECK(packing_answer("buffers." + path + "=" + value->second) != as_written);
  }
}

}  // namespace tantalus::testing
