#include "sim/app/verbs.hpp"

#include <algorithm>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

constexpr OptionInfo set_option{
    "set", "PATH=VALUE",
    "override a field of the system by its path, e.g. sm.count=216; repeatable"};
constexpr OptionInfo knowledge_option{
    "knowledge", "datasheet|all", "datasheet ignores what was measured on the part (default: all)"};
constexpr OptionInfo stack_option{"stack", "STACK", "the software on top (default: plain)"};
constexpr OptionInfo device_option{"device", "ID",
                                   "the part to run on (default: the first accelerator)"};
constexpr OptionInfo format_option{"format", "table|json|csv",
                                   "form of the answer (default: table)"};
constexpr OptionInfo quiet_option{"quiet", "", "print no warnings"};
constexpr OptionInfo color_option{"color", "auto|always|never", "colour in tables (default: auto)"};
constexpr OptionInfo help_option{"help", "", "this text"};

constexpr OptionInfo predict_options[] = {
    device_option,
    {"batch", "N", "samples a step (default: 1)"},
    {"micro-batch", "N", "samples at a time; a step accumulates gradients over several"},
    {"mode", "inference|training",
     "forward only, or forward, backward and update (default: inference)"},
    {"precision", "fp32|tf32|fp16|bf16|fp8|int8",
     "number format (default: fp32, which is TF32 off)"},
    stack_option,
    knowledge_option,
    set_option,
    {"data", "DATASET", "train over a data set of models/datasets, from storage to device"},
    {"loader", "LOADER", "how its samples are loaded, a file of hw_configs/loaders"},
    {"workers", "N", "loader workers (default: as the loader says)"},
    {"epochs", "N", "passes over the data set (default: 2, the first and a steady one)"},
    {"seed", "N", "of the order of items and every other draw (default: 1)"},
    {"isolated", "", "also each operation by itself, repeated, beside its time in the chain"},
    {"trace", "FILE.json", "also write the timeline, for chrome://tracing or Perfetto"},
    format_option,
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo profile_options[] = {
    {"batch", "N", "samples (default: 1)"},
    {"mode", "inference|training",
     "forward only, or with backward and update (default: inference)"},
    {"precision", "fp32|tf32|fp16|bf16|fp8|int8", "number format, for sizes (default: fp32)"},
    {"convention", "macs|flops|lecture", "what the column 'ops' counts (default: macs)"},
    format_option,
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo ops_options[] = {
    device_option,
    stack_option,
    knowledge_option,
    set_option,
    {"format", "csv|json|table", "form of the answer (default: csv)"},
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo validate_options[] = {
    {"measured", "FILE.csv", "the columns of ops and measured_ms; '-' reads standard input"},
    {"least", "TIME", "rows measured below this are summed up apart, e.g. '0.1 ms' (default: 0 s)"},
    {"tolerance", "SHARE", "exit code 1 when the mean error is above this, e.g. 0.1"},
    {"device", "ID|cpu|cuda",
     "the part that the table was measured on; without a table: what to run layers on here"},
    {"network", "NETWORK", "run here: repeatable (default: alexnet and lenet)"},
    {"batch", "N,N", "run here: batches (default: 1,16; LeNet 64,512)"},
    {"mode", "inference|training", "run here: one of them (default: both)"},
    {"library", "onednn|openblas", "run here: one of them (default: both)"},
    {"random-networks", "N", "run here: also so many networks drawn from the seed"},
    {"seed", "S", "run here: of the random networks (default: 1)"},
    {"rounds", "N", "run here: times over everything (default: 2)"},
    {"seconds", "S", "run here: most time for a case in a round (default: 2)"},
    {"slow-layers", "X", "run here, for tests: layers take X times as long, probes do not"},
    {"baseline", "FILE.csv", "run here: also write the rows with the machine's identity"},
    stack_option,
    knowledge_option,
    set_option,
    {"format", "table|json|csv", "form of the answer (default: table)"},
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo detect_options[] = {
    {"output", "FILE.yaml",
     "the device file to write, also -o (default: this-machine.yaml); its two catalogues come "
     "beside it"},
    {"quick", "", "a fifth of the time for each number, and more spread"},
    {"format", "table", "form of the answer"},
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo describe_options[] = {
    knowledge_option,
    {"set", "PATH=VALUE",
     "override a field of the one system by its path, e.g. sm.count=216; repeatable"},
    format_option,
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo cache_options[] = {
    {"pattern", "NAME[:SIZE]", "the program: see above (default: naive:256)"},
    {"trace", "FILE", "recorded references instead of a pattern; '-' reads standard input"},
    {"stride", "BYTES", "of strided (default: 64 B)"},
    {"passes", "N", "of patterns over memory (default: 1)"},
    {"tile", "N", "of products: rows and columns of a tile, or where halving ends (default: 32)"},
    {"layer", "NAME", "of convolutions (default: the network's first one)"},
    {"batch", "N", "of convolutions: images (default: 1)"},
    {"seed", "S", "of random and chase (default: 1)"},
    {"record", "FILE", "also write all references, in the compact binary form"},
    {"staircase", "", "instead: latency and bandwidth of the machine against working set"},
    {"shared", "BYTES", "that blocks take of a GPU's L1 where both are one array (default: 0 B)"},
    {"device", "ID", "the part of a system (default: the first accelerator)"},
    knowledge_option,
    {"set", "PATH=VALUE",
     "override a field of the caches or of the system, e.g. levels.0.ways=4; repeatable"},
    format_option,
    quiet_option,
    color_option,
    help_option};

constexpr OptionInfo check_options[] = {
    {"format", "table|json", "diagnostics as text on standard error, or JSON on standard output"},
    quiet_option,
    help_option};

constexpr OptionInfo show_options[] = {knowledge_option, set_option, quiet_option, help_option};

constexpr VerbInfo table[] = {
    {Verb::predict,
     "predict",
     "how long a network takes on a machine, layer by layer, and why",
     "SYSTEM NETWORK",
     "SYSTEM is a machine of hw_configs/systems, a single part of hw_configs/devices (with an "
     "ideal host), or the path of\n"
     "a file; NETWORK is a network of models/networks or the path of a file. Exit code 1: it does "
     "not fit in memory.",
     predict_options,
     {"tantalus predict a100-80gb-pcie alexnet --batch 128",
      "tantalus predict xeon-e5-2650-v3 lenet --mode training --format json"}},
    {Verb::profile,
     "profile",
     "what a network asks for: operations, parameters, working sets; no hardware",
     "NETWORK",
     "NETWORK is a network of models/networks or the path of a file. The convention 'lecture' "
     "counts convolution outputs\n"
     "x (taps + 1), fully connected in x out, 2 per ReLU output and k x k - 1 per output of a k x "
     "k pooling.",
     profile_options,
     {"tantalus profile alexnet", "tantalus profile lenet --convention lecture --format json"}},
    {Verb::ops,
     "ops",
     "predicts single operators, one a row of a CSV file, thousands a second",
     "SYSTEM FILE.csv",
     "FILE.csv names its columns in its first line: op (gemm, conv2d, add, mul, div, pow, relu, "
     "gelu, tanh, softmax,\n"
     "layernorm, maxpool, avgpool, lrn, copy), dtype, batch, m, n, k, in_ch, in_h, in_w, out_ch, "
     "kernel_h, kernel_w,\n"
     "stride, pad, groups, rows, cols, inputs, trans_a, trans_b, timing (queued, single_call, "
     "framework), library,\n"
     "algorithm, bias, pass. Other columns are passed through; predicted_ms, low_ms, high_ms, "
     "bound and algorithm_used\n"
     "are appended. '-' reads standard input.",
     ops_options,
     {"printf 'op,dtype,m,n,k\\ngemm,fp16,4096,4096,4096\\n' | tantalus ops a100-80gb-pcie -",
      "printf 'op,dtype,rows,cols,inputs\\nadd,fp32,1024,1024,2\\n' | tantalus ops xeon-e5-2650-v3 "
      "- --format table"}},
    {Verb::validate,
     "validate",
     "measured times of operators beside predicted ones, and how far off these are",
     "SYSTEM --measured FILE.csv | --device cpu [SYSTEM]",
     "Each row's signed error, and by family and third of size: mean, median, 90th percentile and "
     "worst absolute error,\n"
     "bias, median of predicted / measured, rows off by more than 1.5x, rank correlation, coverage "
     "and width of the\n"
     "80 % interval, and the mean error of a plain roofline. Exit code 1: outside --tolerance.\n"
     "With --device cpu layers are run here, through oneDNN and OpenBLAS, between probes of the "
     "machine, and compared with what\n"
     "is predicted from the detected machine (SYSTEM, or a fresh detect). Exit code 1: outside "
     "validate/tolerances.yaml; 4: no\n"
     "such device, or built without those libraries.",
     validate_options,
     {"printf 'op,dtype,m,n,k,measured_ms\\ngemm,fp16,4096,4096,4096,0.62\\n' | tantalus validate "
      "a100-80gb-pcie --measured -",
      "tantalus validate v100-pcie --measured gemm.csv --least '0.1 ms' --tolerance 0.1"}},
    {Verb::detect,
     "detect",
     "this machine as a device file: every number measured, inferred or listed, and marked so",
     "",
     "Runs micro-benchmarks of one core for a minute or two, without administrator rights: clock "
     "and multiply-add rate,\n"
     "latency and bandwidth of each cache and of memory, storage, and the constants of OpenBLAS "
     "and "
     "oneDNN as installed.\n"
     "What changes those libraries (DNNL_MAX_CPU_ISA, OPENBLAS_CORETYPE) changes the answer. Exit "
     "code 4: built without them.",
     detect_options,
     {"tantalus detect", "tantalus detect -o my-machine.yaml --quick"}},
    {Verb::describe,
     "describe",
     "the memory of machines from registers to DRAM, side by side, and whether it is inverted",
     "SYSTEM...",
     "Of each level: capacity of one and of all, for each thread, rate, FLOP for each byte, "
     "latency where the file says it.\n"
     "Then whether registers > L1 > L2, each GPU's memory over each CPU's, how many orders of "
     "magnitude DRAM is behind a\n"
     "multiply-add under each definition, and the links. SYSTEM is a machine or a single part, as "
     "in predict.",
     describe_options,
     {"tantalus describe v100-sxm2 xeon-gold-6154", "tantalus describe dgx-a100 --format json"}},
    {Verb::cache,
     "cache",
     "what each cache level sees of a program, reference by reference",
     "CACHES --pattern NAME[:SIZE] | --trace FILE | --staircase",
     "CACHES is a file of hw_configs/caches (every level said in full), or a device or system, "
     "whose files say capacities\n"
     "and sharers: ways and policies are then assumed. Patterns (fp32, one core): stream, strided, "
     "random and chase over\n"
     "SIZE bytes; naive, tiled and recursive products of SIZE x SIZE matrices; direct and im2col "
     "convolution of a layer of\n"
     "the network SIZE. Traces: valgrind's lackey, Dinero's .din, or the form that --record "
     "writes. --staircase chases\n"
     "and streams through working sets of all sizes and lays the latencies and rates of the file "
     "on the levels that answer.",
     cache_options,
     {"tantalus cache xeon-e5-2650-v3 --pattern tiled:256",
      "tantalus cache v100-pcie --staircase --format csv"}},
    {Verb::check,
     "check",
     "every mistake of every file, with line, field and remedy; exit code 3 if there is any",
     "FILE...",
     "Files of every kind: device, system, network, library, stack, caches, tolerances. Bare names "
     "are "
     "looked up as in "
     "predict. Warnings alone\n"
     "leave the exit code 0.",
     check_options,
     {"tantalus check dgx-1-v100 a100-80gb-pcie lenet", "tantalus check --format json alexnet"}},
    {Verb::show,
     "show",
     "a file with all defaults filled in and where each value came from; it loads again",
     "FILE",
     "A file of any kind, by path or by bare name.",
     show_options,
     {"tantalus show a100-80gb-pcie", "tantalus show a100-80gb-pcie --set sm.count=216"}},
};

}  // namespace

std::span<const VerbInfo> verbs() { return table; }

const VerbInfo& info_of(Verb verb) {
  for (const VerbInfo& info : table) {
    if (info.verb == verb) return info;
  }
  fail_check(__FILE__, __LINE__, "verb is in the table", "a verb without a row");
}

const VerbInfo* find_verb(std::string_view name) {
  const auto* const found = std::find_if(std::begin(table), std::end(table),
                                         [&](const VerbInfo& info) { return info.name == name; });
  return found == std::end(table) ? nullptr : found;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const VerbInfo& info : table) names.emplace_back(info.name);
  return names;
}

}  // namespace tantalus
