#include "sim/app/options.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <boost/program_options.hpp>

#include "sim/app/verbs.hpp"
#include "sim/base/text.hpp"
#include "sim/base/units_text.hpp"

namespace tantalus {

namespace po = boost::program_options;

namespace {

template <class E>
struct Word {
  std::string_view name;
  E value;
};

constexpr Word<Format> format_words[] = {
    {"table", Format::table}, {"json", Format::json}, {"csv", Format::csv}};
constexpr Word<ColorChoice> color_words[] = {{"auto", ColorChoice::automatic},
                                             {"always", ColorChoice::always},
                                             {"never", ColorChoice::never}};
constexpr Word<Mode> mode_words[] = {{"inference", Mode::inference}, {"training", Mode::training}};
constexpr Word<Knowledge> knowledge_words[] = {{"datasheet", Knowledge::datasheet},
                                               {"all", Knowledge::all}};
constexpr Word<Convention> convention_words[] = {
    {"macs", Convention::macs}, {"flops", Convention::flops}, {"lecture", Convention::lecture}};
constexpr Word<DType> precision_words[] = {{"fp32", DType::fp32}, {"tf32", DType::tf32},
                                           {"fp16", DType::fp16}, {"bf16", DType::bf16},
                                           {"fp8", DType::fp8},   {"int8", DType::int8}};

template <class E, std::size_t n>
std::string_view word_of(const Word<E> (&words)[n], E value) {
  for (const Word<E>& word : words) {
    if (word.value == value) return word.name;
  }
  return {};
}

// What a line says, before anyone asked whether the values make sense.
struct RawLine {
  std::map<std::string, std::vector<std::string>> options;
  std::vector<std::string> positional;
  Diagnostics wrong;
};

Diagnostic unknown_option(const VerbInfo& verb, const std::string& token) {
  const std::string name = token.substr(0, token.find('='));
  std::vector<std::string> known;
  for (const OptionInfo& option : verb.options) known.push_back("--" + std::string(option.name));
  std::string near = closest_word(name, known);
  // An abbreviation is not taken, but what it begins is what was meant.
  for (const std::string& option : known) {
    if (near.empty() && name.size() > 2 && option.rfind(name, 0) == 0) near = option;
  }
  return usage_error(name, std::string(verb.name) + " has no such option",
                     near.empty()
                         ? "tantalus " + std::string(verb.name) + " --help lists the options"
                         : "did you mean '" + near + "'?");
}

void sort_out(RawLine& line, const VerbInfo& verb, const po::basic_parsed_options<char>& parsed) {
  for (const auto& option : parsed.options) {
    if (option.unregistered) {
      line.wrong.push_back(unknown_option(verb, option.original_tokens.front()));
    } else if (option.position_key >= 0) {
      for (const std::string& value : option.value) {
        // Short options are not parsed: such a token arrives here.
        const bool looks_like_option = value.size() > 1 && value.front() == '-';
        if (looks_like_option) line.wrong.push_back(unknown_option(verb, value));
        if (!looks_like_option) line.positional.push_back(value);
      }
    } else {
      auto& values = line.options[option.string_key];
      values.insert(values.end(), option.value.begin(), option.value.end());
      if (option.value.empty()) values.emplace_back();  // a flag
    }
  }
}

RawLine split(const VerbInfo& verb, Arguments arguments) {
  po::options_description known;
  for (const OptionInfo& option : verb.options) {
    const std::string name(option.name);
    if (option.value.empty()) {
      known.add_options()(name.c_str(), "");
    } else {
      known.add_options()(name.c_str(), po::value<std::vector<std::string>>(), "");
    }
  }
  // No abbreviations (allow_guessing), no short options, no slashes.
  namespace style = po::command_line_style;
  constexpr int strict = style::allow_long | style::long_allow_adjacent | style::long_allow_next;

  RawLine line;
  try {
    po::command_line_parser parser(std::vector<std::string>(arguments.begin(), arguments.end()));
    sort_out(line, verb, parser.options(known).style(strict).allow_unregistered().run());
  } catch (const po::invalid_command_line_syntax& error) {
    const bool has_value = error.kind() == po::invalid_syntax::extra_parameter;
    line.wrong.push_back(
        has_value ? usage_error(error.get_option_name(), "takes no value",
                                "write the option alone, or leave it out")
                  : usage_error(error.get_option_name(), "needs a value",
                                "tantalus " + std::string(verb.name) + " --help says which"));
  } catch (const po::error& error) {
    line.wrong.push_back(usage_error("", error.what()));
  }
  return line;
}

// Takes typed values out of a line and keeps every complaint.
class Reader {
 public:
  Reader(Verb verb, Arguments arguments) : verb_(info_of(verb)), line_(split(verb_, arguments)) {
    broken_ = !line_.wrong.empty();
  }

  void text(const std::string& name, std::string& value) {
    if (const std::string* given = only(name)) {
      if (given->empty())
        return complain(name, "is empty", "write a value, or leave the option out");
      value = *given;
    }
  }

  void texts(const std::string& name, std::vector<std::string>& values) {
    const auto it = line_.options.find(name);
    if (it != line_.options.end()) values = it->second;
  }

  bool has(const std::string& name) const { return line_.options.contains(name); }

  void flag(const std::string& name, bool& value) { value = value || line_.options.contains(name); }

  bool count(const std::string& name, std::int64_t& value) {
    const std::string* given = only(name);
    if (given == nullptr) return false;
    const Parsed<std::int64_t> parsed = parse_integer(*given);
    if (!parsed.value) {
      complain(name, parsed.message, parsed.hint);
      return false;
    }
    if (*parsed.value < 1) {
      complain(name, "is " + *given + ", and counts from 1", "write 1 or more");
      return false;
    }
    value = *parsed.value;
    return true;
  }

  /// Zero or more.
  void whole(const std::string& name, std::optional<std::int64_t>& value) {
    const std::string* given = only(name);
    if (given == nullptr) return;
    const Parsed<std::int64_t> parsed = parse_integer(*given);
    if (!parsed.value) return complain(name, parsed.message, parsed.hint);
    if (*parsed.value < 0) return complain(name, "is " + *given, "write 0 or more");
    value = *parsed.value;
  }

  template <class Q>
  void quantity(const std::string& name, Q& value) {
    const std::string* given = only(name);
    if (given == nullptr) return;
    const Parsed<Q> parsed = parse_quantity<Q>(*given);
    if (!parsed.value) return complain(name, parsed.message, parsed.hint);
    value = *parsed.value;
  }

  /// A share such as 0.12.
  void share(const std::string& name, std::optional<double>& value) {
    const std::string* given = only(name);
    if (given == nullptr) return;
    const Parsed<double> parsed = parse_number(*given);
    if (!parsed.value) return complain(name, parsed.message, parsed.hint);
    if (!(*parsed.value >= 0.0))
      return complain(name, "is " + *given + "; a share is not negative", "write it like 0.12");
    value = *parsed.value;
  }

  template <class E, std::size_t n>
  void word(const std::string& name, const Word<E> (&words)[n], E& value,
            std::string_view allowed = {}) {
    const std::string* given = only(name);
    if (given != nullptr) word_of(name, *given, words, value, allowed);
  }

  /// The same for a word that is part of an option's text.
  template <class E, std::size_t n>
  void word_of(const std::string& name, const std::string& given, const Word<E> (&words)[n],
               E& value, std::string_view allowed = {}) {
    std::vector<std::string> names;
    std::string list;
    for (const Word<E>& candidate : words) {
      if (!allowed.empty() && allowed.find(candidate.name) == std::string_view::npos) continue;
      if (candidate.name == given) {
        value = candidate.value;
        return;
      }
      names.emplace_back(candidate.name);
      list += (list.empty() ? "" : ", ") + std::string(candidate.name);
    }
    const std::string near = closest_word(given, names);
    complain(name, "'" + given + "' is not one of " + list,
             near.empty() ? "" : "did you mean '" + near + "'?");
  }

  void argument(std::size_t index, std::string_view word, std::string& value) {
    if (index < line_.positional.size()) {
      value = line_.positional[index];
      if (value.empty()) wrong_.push_back(usage_error(std::string(word), "is empty", usage_line()));
    } else if (!broken_) {  // with a broken option nobody knows what was meant as an argument
      wrong_.push_back(usage_error(std::string(word), "is missing", usage_line()));
    }
  }

  std::vector<std::string> arguments(std::string_view word) {
    if (line_.positional.empty() && !broken_) {
      wrong_.push_back(usage_error(std::string(word), "is missing", usage_line()));
    }
    return line_.positional;
  }

  void optional_argument(std::size_t index, std::string& value) {
    if (index < line_.positional.size()) value = line_.positional[index];
  }

  void no_more_than(std::size_t count) {
    for (std::size_t i = count; i < line_.positional.size() && !broken_; ++i) {
      wrong_.push_back(usage_error(
          "", "there is one argument too many: '" + line_.positional[i] + "'", usage_line()));
    }
  }

  void output(OutputOptions& options, std::string_view allowed = {}) {
    word("format", format_words, options.format, allowed);
    word("color", color_words, options.color);
    flag("quiet", options.quiet);
  }

  void on(SystemOptions& options) {
    argument(0, "SYSTEM", options.system);
    text("device", options.device);
    text("stack", options.stack);
    word("knowledge", knowledge_words, options.knowledge);
    overrides(options.overrides);
  }

  void overrides(std::vector<std::string>& values) {
    texts("set", values);
    for (const std::string& value : values) {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) {
        complain("set", "'" + value + "' is not PATH=VALUE", "write it like --set sm.count=216");
      }
    }
  }

  void complain(const std::string& name, std::string message, std::string hint = {}) {
    wrong_.push_back(usage_error("--" + name, std::move(message), std::move(hint)));
  }

  template <class Command>
  Result<Command> finish(Command command) {
    Diagnostics all = std::move(line_.wrong);
    all.insert(all.end(), wrong_.begin(), wrong_.end());
    if (!all.empty()) return all;
    return command;
  }

 private:
  std::string usage_line() const {
    return "usage: tantalus " + std::string(verb_.name) + " " + std::string(verb_.arguments) +
           " [options]";
  }

  const std::string* only(const std::string& name) {
    const auto it = line_.options.find(name);
    if (it == line_.options.end()) return nullptr;
    if (it->second.size() > 1) {
      complain(name, "is given " + std::to_string(it->second.size()) + " times", "give it once");
      return nullptr;
    }
    return &it->second.front();
  }

  const VerbInfo& verb_;
  RawLine line_;
  Diagnostics wrong_;
  bool broken_ = false;
};

}  // namespace

std::string_view name_of(Knowledge knowledge) { return word_of(knowledge_words, knowledge); }

Result<PredictCommand> parse_predict(Arguments arguments) {
  Reader reader(Verb::predict, arguments);
  PredictCommand command;
  reader.on(command.on);
  reader.argument(1, "NETWORK", command.network);
  reader.no_more_than(2);
  reader.word("mode", mode_words, command.run.mode);
  reader.word("precision", precision_words, command.run.precision);
  reader.count("batch", command.run.batch);
  std::int64_t micro_batch = 0;
  if (reader.count("micro-batch", micro_batch)) command.run.micro_batch = micro_batch;
  reader.text("data", command.data.dataset);
  reader.text("loader", command.data.loader);
  reader.whole("workers", command.data.workers);
  reader.count("epochs", command.data.epochs);
  reader.count("seed", command.data.seed);
  for (const char* name : {"loader", "workers", "epochs"}) {
    if (reader.has(name) && !reader.has("data"))
      reader.complain(name, "says how data come in, and there are none", "add --data DATASET");
  }
  reader.flag("isolated", command.isolated);
  reader.text("trace", command.trace);
  reader.output(command.output);
  return reader.finish(std::move(command));
}

Result<ProfileCommand> parse_profile(Arguments arguments) {
  Reader reader(Verb::profile, arguments);
  ProfileCommand command;
  reader.argument(0, "NETWORK", command.network);
  reader.no_more_than(1);
  reader.word("mode", mode_words, command.profile.mode);
  reader.word("precision", precision_words, command.profile.precision);
  reader.word("convention", convention_words, command.profile.convention);
  reader.count("batch", command.profile.batch);
  reader.output(command.output);
  return reader.finish(std::move(command));
}

Result<OpsCommand> parse_ops(Arguments arguments) {
  Reader reader(Verb::ops, arguments);
  OpsCommand command;
  command.output.format = Format::csv;
  reader.on(command.on);
  reader.argument(1, "FILE.csv", command.table);
  reader.no_more_than(2);
  reader.output(command.output);
  return reader.finish(std::move(command));
}

namespace {

// "1,16": every number of at least one.
void read_batches(Reader& reader, std::vector<std::int64_t>& batches) {
  std::string list;
  reader.text("batch", list);
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const Parsed<std::int64_t> batch = parse_integer(list.substr(start, end - start));
    if (!batch.value || *batch.value < 1) {
      return reader.complain("batch", "'" + list + "' is no list of batches", "write --batch 1,16");
    }
    batches.push_back(*batch.value);
    start = end + 1;
  }
}

// A number that the host program reads; it goes on as text.
void read_factor(Reader& reader, const std::string& name, std::string& text) {
  reader.text(name, text);
  const Parsed<double> parsed = parse_number(text);
  if (!text.empty() && (!parsed.value || *parsed.value <= 0.0)) {
    reader.complain(name, "'" + text + "' is no number above zero", "write it like 1.5");
  }
}

Result<ValidateCommand> parse_validate_here(Reader& reader, ValidateCommand command) {
  reader.optional_argument(0, command.on.system);
  reader.no_more_than(1);
  reader.texts("network", command.networks);
  read_batches(reader, command.batches);
  reader.count("random-networks", command.random_networks);
  reader.count("seed", command.seed);
  reader.count("rounds", command.rounds);
  std::string mode;
  reader.text("mode", mode);
  if (!mode.empty()) reader.word("mode", mode_words, command.mode.emplace());
  reader.text("library", command.library);
  if (!command.library.empty() && command.library != "onednn" && command.library != "openblas") {
    reader.complain("library", "'" + command.library + "' is not one of onednn, openblas",
                    "leave it out to run both");
  }
  read_factor(reader, "seconds", command.seconds);
  read_factor(reader, "slow-layers", command.slow_layers);
  reader.text("baseline", command.baseline);
  reader.output(command.output);
  return reader.finish(std::move(command));
}

}  // namespace

Result<ValidateCommand> parse_validate(Arguments arguments) {
  Reader reader(Verb::validate, arguments);
  ValidateCommand command;
  reader.text("measured", command.measured);
  reader.text("device", command.on.device);
  if (command.measured.empty() && command.on.device == "cpu") command.here = HostDevice::cpu;
  if (command.measured.empty() && command.on.device == "cuda") command.here = HostDevice::cuda;
  if (command.here != HostDevice::none) return parse_validate_here(reader, std::move(command));
  reader.on(command.on);
  reader.no_more_than(1);
  if (command.measured.empty()) {
    reader.complain("measured", "is needed: the table of measured times to compare with",
                    "write --measured FILE.csv, whose columns are those of ops and measured_ms, or "
                    "--device cpu to measure here");
  }
  reader.quantity("least", command.least);
  reader.share("tolerance", command.tolerance);
  reader.output(command.output);
  return reader.finish(std::move(command));
}

Result<DetectCommand> parse_detect(Arguments arguments) {
  // The one short option of the contract.
  std::vector<std::string> words(arguments.begin(), arguments.end());
  std::replace(words.begin(), words.end(), std::string("-o"), std::string("--output"));
  Reader reader(Verb::detect, words);
  DetectCommand command;
  reader.no_more_than(0);
  reader.text("output", command.file);
  reader.flag("quick", command.quick);
  reader.output(command.output, "table");
  if (!command.file.ends_with(".yaml")) {
    reader.complain("output", "'" + command.file + "' does not end in .yaml",
                    "write it like -o my-machine.yaml");
  }
  return reader.finish(std::move(command));
}

namespace {

constexpr Word<CachePattern> pattern_words[] = {
    {"stream", CachePattern::stream},       {"strided", CachePattern::strided},
    {"random", CachePattern::random},       {"chase", CachePattern::chase},
    {"naive", CachePattern::naive},         {"tiled", CachePattern::tiled},
    {"recursive", CachePattern::recursive}, {"direct", CachePattern::direct},
    {"im2col", CachePattern::im2col}};

constexpr std::int64_t largest_pattern_bytes = std::int64_t{16} << 30;
constexpr std::int64_t largest_matrix = 32768;

bool is_over_memory(CachePattern pattern) { return pattern <= CachePattern::chase; }
bool is_product(CachePattern pattern) {
  return !is_over_memory(pattern) && pattern <= CachePattern::recursive;
}

void read_pattern_bytes(Reader& reader, const std::string& text, CacheCommand& command) {
  const Parsed<Bytes> bytes = parse_quantity<Bytes>(text);
  if (!bytes.value) return reader.complain("pattern", bytes.message, bytes.hint);
  if (bytes.value->count() < 64 || bytes.value->count() > largest_pattern_bytes)
    return reader.complain("pattern", "'" + text + "' is not from 64 B to 16 GiB",
                           "write a size, such as --pattern stream:1MiB");
  command.bytes = *bytes.value;
}

/// What follows the colon of a pattern: a size in bytes, the n of a product, or a network.
void read_pattern_size(Reader& reader, const std::string& text, CacheCommand& command) {
  if (is_over_memory(command.pattern)) return read_pattern_bytes(reader, text, command);
  if (!is_product(command.pattern)) {
    command.network = text;
    return;
  }
  const Parsed<std::int64_t> n = parse_integer(text);
  if (!n.value) return reader.complain("pattern", n.message, n.hint);
  if (*n.value < 1 || *n.value > largest_matrix)
    return reader.complain("pattern", "'" + text + "' is not from 1 to 32768",
                           "write the n of an n x n product, such as --pattern tiled:256");
  command.n = *n.value;
}

// NAME[:SIZE]
void read_pattern(Reader& reader, CacheCommand& command) {
  std::string text;
  reader.text("pattern", text);
  if (text.empty()) return;
  const std::size_t colon = text.find(':');
  reader.word_of("pattern", text.substr(0, colon), pattern_words, command.pattern);
  if (colon == std::string::npos) return;
  if (colon + 1 == text.size())
    return reader.complain("pattern", "nothing follows the colon",
                           "write a size or a network behind it, or leave the colon out");
  read_pattern_size(reader, text.substr(colon + 1), command);
}

}  // namespace

Result<CacheCommand> parse_cache(Arguments arguments) {
  Reader reader(Verb::cache, arguments);
  CacheCommand command;
  reader.argument(0, "CACHES", command.caches);
  reader.no_more_than(1);
  reader.text("device", command.device);
  reader.word("knowledge", knowledge_words, command.knowledge);
  reader.overrides(command.overrides);
  read_pattern(reader, command);
  reader.text("trace", command.trace);
  if (reader.has("pattern") && !command.trace.empty())
    reader.complain("trace", "and --pattern are two programs", "give one of them");
  reader.text("record", command.record);
  reader.flag("staircase", command.staircase);
  if (command.staircase && (reader.has("pattern") || reader.has("trace") || reader.has("record")))
    reader.complain("staircase", "runs programs of its own",
                    "leave --pattern, --trace and --record out, or --staircase");
  reader.quantity("shared", command.shared);
  if (command.shared.count() < 0)
    reader.complain("shared", "is less than nothing", "write 0 B or more");
  reader.text("layer", command.layer);
  reader.quantity("stride", command.stride);
  if (command.stride.count() < 4)
    reader.complain("stride", "is less than one element of 4 B", "write 4 B or more");
  reader.count("tile", command.tile);
  reader.count("passes", command.passes);
  reader.count("batch", command.batch);
  reader.count("seed", command.seed);
  if (command.batch > 4096)
    reader.complain("batch", "is more than 4096 images", "write 4096 or less");
  if (command.passes > 1'000'000)
    reader.complain("passes", "are more than a million", "write 1000000 or less");
  reader.output(command.output);
  return reader.finish(std::move(command));
}

Result<DescribeCommand> parse_describe(Arguments arguments) {
  Reader reader(Verb::describe, arguments);
  DescribeCommand command;
  command.systems = reader.arguments("SYSTEM");
  reader.word("knowledge", knowledge_words, command.knowledge);
  reader.overrides(command.overrides);
  if (command.systems.size() > 1 && !command.overrides.empty())
    reader.complain("set", "names a field of one system, and there are several",
                    "describe that system by itself, or write a file of your own");
  reader.output(command.output);
  return reader.finish(std::move(command));
}

Result<CheckCommand> parse_check(Arguments arguments) {
  Reader reader(Verb::check, arguments);
  CheckCommand command;
  command.files = reader.arguments("FILE");
  reader.output(command.output, "table json");
  return reader.finish(std::move(command));
}

Result<ShowCommand> parse_show(Arguments arguments) {
  Reader reader(Verb::show, arguments);
  ShowCommand command;
  reader.argument(0, "FILE", command.file);
  reader.no_more_than(1);
  reader.word("knowledge", knowledge_words, command.knowledge);
  reader.overrides(command.overrides);
  reader.output(command.output);
  return reader.finish(std::move(command));
}

bool wants_help(Arguments arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h";
  });
}

Diagnostic usage_error(std::string path, std::string message, std::string hint) {
  return {Severity::error, "usage", {}, std::move(path), std::move(message), std::move(hint), 1};
}

}  // namespace tantalus
