// The command line as typed values: one struct a verb, or every mistake of the line at once (code `usage`, exit code 2).
// Numbers are read as text through the project's own parser, so that `--batch -3` is a sentence and not 4,294,967,293; an
// option is never guessed from an abbreviation. Nothing here reads a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/dnn/profile.hpp"
#include "models/dnn/run_spec.hpp"
#include "sim/app/console.hpp"
#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/workload/tensor.hpp"

namespace tantalus {

enum class Format : std::uint8_t { table, json, csv };
enum class Knowledge : std::uint8_t { datasheet, all };

std::string_view name_of(Knowledge knowledge);

struct OutputOptions {
  Format format = Format::table;
  ColorChoice color = ColorChoice::automatic;
  bool quiet = false;
};

/// What is read of a system before it runs.
struct SystemOptions {
  std::string system;
  std::string device;  // empty: the first accelerator
  std::string stack = "plain";
  Knowledge knowledge = Knowledge::all;
  std::vector<std::string> overrides;  // "PATH=VALUE"
};

/// Training over a data set.
struct DataOptions {
  std::string dataset;                  // empty: inputs are on the device already
  std::string loader;                   // empty: one with nothing of its own
  std::optional<std::int64_t> workers;  // the loader's own when not said
  std::int64_t epochs = 2, seed = 1;
};

struct PredictCommand {
  SystemOptions on;
  std::string network;
  RunSpec run;
  DataOptions data;
  bool isolated = false;  // each operation also by itself, beside its time in the chain
  std::string trace;      // empty: none
  OutputOptions output;
};

struct ProfileCommand {
  std::string network;
  ProfileOptions profile;
  OutputOptions output;
};

struct OpsCommand {
  SystemOptions on;
  std::string table;  // "-": standard input
  OutputOptions output;
};

/// What real kernels run on; none: a table holds what was measured elsewhere.
enum class HostDevice : std::uint8_t { none, cpu, cuda };

/// Measured operators beside predicted ones: of a table, or of this machine's layers.
struct ValidateCommand {
  SystemOptions on;  // an empty system: detect it first (only with `here`)
  HostDevice here = HostDevice::none;
  std::vector<std::string> networks;  // empty: alexnet and lenet
  std::vector<std::int64_t> batches;  // empty: 1 and 16, for LeNet 64 and 512
  std::int64_t random_networks = 0, seed = 1, rounds = 2;
  std::optional<Mode> mode;  // none: both
  std::string library;       // empty: both
  std::string seconds;       // of each case and round, at most; empty: as the host program likes
  std::string slow_layers;   // a planted lie, for tests
  std::string baseline;      // empty: none
  std::string measured;      // the table; "-": standard input
  Duration least;            // rows measured below this are summed up apart
  std::optional<double> tolerance;  // largest mean error with exit code 0; none: any
  OutputOptions output;
};

/// This machine as files.
struct DetectCommand {
  std::string file = "this-machine.yaml";
  bool quick = false;
  OutputOptions output;
};

/// Machines whose memory is set side by side.
struct DescribeCommand {
  std::vector<std::string> systems;
  Knowledge knowledge = Knowledge::all;
  std::vector<std::string> overrides;  // of the one system
  OutputOptions output;
};

enum class CachePattern : std::uint8_t {
  stream,
  strided,
  random,
  chase,
  naive,
  tiled,
  recursive,
  direct,
  im2col
};

/// A program through caches: a pattern, or a trace when `trace` is not empty.
struct CacheCommand {
  std::string caches;  // a file of caches, a device or a system
  std::string device;  // of a system; empty: the first accelerator
  Knowledge knowledge = Knowledge::all;
  std::vector<std::string> overrides;
  CachePattern pattern = CachePattern::naive;
  Bytes bytes{1 << 20}, stride{64};        // of patterns over memory
  std::int64_t n = 256, tile = 32;         // of matrix products
  std::string network = "alexnet", layer;  // of convolutions; an empty layer: the first one
  std::int64_t batch = 1, passes = 1, seed = 1;
  std::string trace;       // "-": standard input
  std::string record;      // the file to write all references to; empty: none
  bool staircase = false;  // latency and bandwidth by working set, no program
  Bytes shared{0};         // that blocks take of a GPU's L1
  OutputOptions output;
};

struct CheckCommand {
  std::vector<std::string> files;
  OutputOptions output;
};

struct ShowCommand {
  std::string file;
  Knowledge knowledge = Knowledge::all;
  std::vector<std::string> overrides;
  OutputOptions output;
};

/// `arguments` are those after the verb.
using Arguments = std::span<const std::string>;
Result<PredictCommand> parse_predict(Arguments arguments);
Result<ProfileCommand> parse_profile(Arguments arguments);
Result<OpsCommand> parse_ops(Arguments arguments);
Result<ValidateCommand> parse_validate(Arguments arguments);
Result<DetectCommand> parse_detect(Arguments arguments);
Result<DescribeCommand> parse_describe(Arguments arguments);
Result<CacheCommand> parse_cache(Arguments arguments);
Result<CheckCommand> parse_check(Arguments arguments);
Result<ShowCommand> parse_show(Arguments arguments);

/// True when `--help` or `-h` stands among them, whatever else does.
bool wants_help(Arguments arguments);

/// A mistake of the command line about one option or argument.
Diagnostic usage_error(std::string path, std::string message, std::string hint = {});

}  // namespace tantalus
