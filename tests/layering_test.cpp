// Reads our own source and enforces docs/architecture.md: who may include whom, which file may include which library, and
// the few words that are banned by name. The first half are rules as tables; the second half proves on planted mistakes
// that each rule can fail, and then applies all of them to the repository.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "source_dir.hpp"
#include "tests/source_text.hpp"

namespace tantalus::test {
namespace {

// ---- The rules ------------------------------------------------------------------------------------------------------

/// A room and the other rooms that it may include. Its own headers are always allowed.
struct Room {
  std::string_view name;
  std::vector<std::string_view> may_include;
};

const std::vector<Room>& rooms() {
  static const std::vector<Room> table{
      {"sim/base", {}},
      {"sim/config", {"sim/base"}},
      {"sim/workload", {"sim/base"}},
      {"sim/engine", {"sim/base"}},
      {"sim/results", {"sim/base"}},
      {"sim/report", {"sim/base", "sim/results"}},
      {"models/dnn", {"sim/base", "sim/config", "sim/workload"}},
      {"sim/hardware", {"sim/base", "sim/config", "sim/workload", "sim/engine", "sim/results"}},
      {"sim/pipeline",
       {"sim/base", "sim/config", "sim/workload", "sim/engine", "sim/results", "sim/hardware"}},
      {"sim/app",
       {"sim/base", "sim/config", "sim/workload", "sim/engine", "sim/results", "sim/report",
        "models/dnn", "sim/hardware", "sim/pipeline"}},
      {"validate",
       {"sim/base", "sim/config", "sim/workload", "sim/engine", "sim/results", "sim/report",
        "models/dnn", "sim/hardware", "sim/pipeline", "kernels"}},
      {"kernels", {}},
      {"tests",
       {"sim/base", "sim/config", "sim/workload", "sim/engine", "sim/results", "sim/report",
        "models/dnn", "sim/hardware", "sim/pipeline", "sim/app", "validate", "kernels"}},
  };
  return table;
}

/// A library and the only files that may include it, as patterns over paths from the root. Tests may include anything.
struct LibraryRule {
  std::string_view library;
  std::regex header;
  std::regex allowed_in;
  std::string_view allowed_words;
};

const std::vector<LibraryRule>& library_rules() {
  static const std::string core =
      "sim/(base|config|engine|workload|hardware|pipeline|results)|models/dnn";
  static const std::vector<LibraryRule> table{
      {"yaml-cpp", std::regex("yaml-cpp/.*"), std::regex("sim/config/yaml_document\\.cpp"),
       "only sim/config/yaml_document.cpp"},
      {"Boost.Graph", std::regex("boost/(graph|property_map)/.*"), std::regex(".*\\.cpp"),
       "only .cpp files"},
      {"nlohmann-json", std::regex("nlohmann/.*"), std::regex(".*\\.cpp"), "only .cpp files"},
      {"onnx", std::regex("(onnx|google/protobuf)/.*"), std::regex("models/dnn/onnx_import\\.cpp"),
       "only models/dnn/onnx_import.cpp"},
      {"Boost.Program_options", std::regex("boost/program_options.*"),
       std::regex("sim/app/options\\.cpp"), "only sim/app/options.cpp"},
      {"a BLAS or DNN library", std::regex("(cblas|openblas|dnnl).*|oneapi/.*"),
       std::regex("kernels/cpu/.*\\.cpp"), "only .cpp files of kernels/cpu"},
      {"hwloc", std::regex("hwloc.*"), std::regex("kernels/cpu/.*\\.cpp"),
       "only .cpp files of kernels/cpu"},
      {"CUDA",
       std::regex("(cuda|cublas|cudnn|cufft|curand|cupti|nvml|nvrtc|nvtx3|cooperative_groups|mma\\."
                  "h|device_launch_parameters).*"),
       std::regex("(kernels/gpu|validate)/.*"), "only kernels/gpu and validate"},
      {"threads", std::regex("thread|mutex|shared_mutex|condition_variable|future|atomic"),
       std::regex("(?!" + core + ").*"), "no file of the core: it is single-threaded"},
      {"files", std::regex("fstream|filesystem"), std::regex("(?!" + core + ").*"),
       "no file of the core: sim/app reads files and hands over text"},
      {"clocks", std::regex("chrono|ctime|time\\.h"), std::regex("(?!" + core + ").*"),
       "no file of the core: the engine has the only clock"},
      {"ranges views and source locations", std::regex("source_location|format|expected|print"),
       std::regex("(?!.*)x"), "no file: g++ 12 and clang 14 must both compile it"},
  };
  return table;
}

/// A word that must not stand in code (comments and literals are not code) of the files that match `where`.
struct WordRule {
  std::regex word;
  std::regex where;
  std::string_view why;
};

const std::vector<WordRule>& word_rules() {
  static const std::regex everywhere(".*");
  static const std::regex below_app("(sim/(?!app/)|models/).*");
  static const std::regex below_app_but_places("(sim/(?!app/|base/diagnostic)|models/).*");
  static const std::vector<WordRule> table{
      {std::regex(R"(\busing\s+namespace\b)"), everywhere, "name what you use"},
      {std::regex(R"(\bstd::endl\b)"), everywhere, "write '\\n': endl flushes"},
      {std::regex(R"(\bstd::(ranges::)?views\b)"), everywhere, "clang 14 cannot compile views"},
      {std::regex(R"(\bstd::(cout|cerr|clog)\b|\b(printf|puts|putchar|fprintf|fputs|perror)\s*\()"),
       below_app, "only sim/app and validate print; return a value or take a std::ostream"},
      {std::regex(
           R"(\bstd::(exp2?|expm1|log2?|log10|log1p|pow|sin|cos|tan|sinh|cosh|tanh|cbrt|hypot)f?\s*\()"),
       below_app, "libm differs between machines; results must be equal to the byte"},
      {std::regex(R"(\bstd::shared_ptr\b|\bstd::make_shared\b)"), below_app_but_places,
       "an owner is one; shared ownership needs a decision record (0013 is of places in files)"},
      {std::regex(R"(\b(std::)?(exit|abort|quick_exit|_Exit)\s*\()"), below_app,
       "a mistake is a Diagnostic, a bug is a TANTALUS_CHECK"},
  };
  return table;
}

// ---- Applying them --------------------------------------------------------------------------------------------------

const Room* find_room(std::string_view path) {
  for (const Room& room : rooms()) {
    if (path.starts_with(room.name) && path.substr(room.name.size()).starts_with('/')) {
      return &room;
    }
  }
  return nullptr;
}

std::string place(const SourceFile& file, int line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

std::string join(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text.empty() ? "nothing of ours" : text;
}

/// What an include names: a path from the root, or one beside (or above) the file that includes it.
std::string resolve(const SourceFile& file, const Include& include) {
  const std::filesystem::path target(include.target);
  if (find_room(target.generic_string()) != nullptr || !include.quoted) {
    return target.lexically_normal().generic_string();
  }
  return (std::filesystem::path(file.path).parent_path() / target)
      .lexically_normal()
      .generic_string();
}

void check_arrow(const SourceFile& file, const Include& include, std::vector<std::string>& broken) {
  const Room* from = find_room(file.path);
  const Room* to = find_room(resolve(file, include));
  if (from == nullptr || to == nullptr || from == to) {
    return;
  }
  const auto& allowed = from->may_include;
  if (std::find(allowed.begin(), allowed.end(), to->name) == allowed.end()) {
    broken.push_back(place(file, include.line) + "includes \"" + include.target +
                     "\": " + std::string(from->name) + " -> " + std::string(to->name) +
                     " is not an arrow; " + std::string(from->name) + " may include " +
                     join(allowed));
  }
}

void check_library(const SourceFile& file, const Include& include,
                   std::vector<std::string>& broken) {
  if (file.path.starts_with("tests/")) {
    return;
  }
  for (const LibraryRule& rule : library_rules()) {
    if (std::regex_match(include.target, rule.header) &&
        !std::regex_match(file.path, rule.allowed_in)) {
      broken.push_back(place(file, include.line) + "includes <" + include.target + "> (" +
                       std::string(rule.library) + "): " + std::string(rule.allowed_words));
    }
  }
}

std::vector<std::string> broken_includes(const SourceFile& file) {
  std::vector<std::string> broken;
  for (const Include& include : find_includes(file.text)) {
    check_arrow(file, include, broken);
    check_library(file, include, broken);
  }
  return broken;
}

std::vector<std::string> banned_words(const SourceFile& file) {
  std::vector<std::string> broken;
  const std::vector<std::string> lines = split_lines(without_comments(file.text));
  for (const WordRule& rule : word_rules()) {
    if (!std::regex_match(file.path, rule.where)) {
      continue;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      if (std::regex_search(lines[i], match, rule.word)) {
        broken.push_back(place(file, static_cast<int>(i) + 1) + "'" + match.str() +
                         "': " + std::string(rule.why));
      }
    }
  }
  return broken;
}

/// A header opens with a comment that says what it is, and guards itself with #pragma once.
std::vector<std::string> header_faults(const SourceFile& file) {
  std::vector<std::string> broken;
  if (!file.path.ends_with(".hpp") && !file.path.ends_with(".cuh")) {
    return broken;
  }
  if (!file.text.starts_with("//")) {
    broken.push_back(place(file, 1) +
                     "a header opens with a comment: what it is, is not, promises");
  }
  if (file.text.find("#pragma once") == std::string::npos) {
    broken.push_back(place(file, 1) + "#pragma once is missing");
  }
  return broken;
}

bool is_allowed_at_the_top(std::string_view name) {
  static constexpr std::array<std::string_view, 20> allowed{"sim",
                                                            "models",
                                                            "hw_configs",
                                                            "kernels",
                                                            "validate",
                                                            "tests",
                                                            "docs",
                                                            "scripts",
                                                            ".ci",
                                                            "CMakeLists.txt",
                                                            "README.md",
                                                            "LICENSE",
                                                            "CMakePresets.json",
                                                            "CONTRIBUTING.md",
                                                            "CHANGELOG.md",
                                                            ".gitignore",
                                                            ".clang-format",
                                                            ".clang-tidy",
                                                            ".editorconfig",
                                                            ".gitattributes"};
  return std::find(allowed.begin(), allowed.end(), name) != allowed.end();
}

/// Paths that git tracks below `root`; empty when this is no git checkout.
std::vector<std::string> tracked_files(const std::string& root) {
  const std::string command = "git -c safe.directory='*' -C '" + root + "' ls-files 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> chunk{};
  while (pipe != nullptr) {
    const std::size_t got = fread(chunk.data(), 1, chunk.size(), pipe.get());
    if (got == 0) {
      break;
    }
    text.append(chunk.data(), got);
  }
  return split_lines(text);
}

const std::vector<SourceFile>& our_sources() {
  static const std::vector<SourceFile> files = read_sources(TANTALUS_SOURCE_DIR);
  return files;
}

template <class Rule>
void expect_clean(Rule rule) {
  REQUIRE(our_sources().size() > 20);
  for (const SourceFile& file : our_sources()) {
    for (const std::string& fault : rule(file)) {
      FAIL_CHECK(fault);
    }
  }
}

// ---- The rules can fail ---------------------------------------------------------------------------------------------

TEST_CASE("an include against the arrows is reported with its line and the arrows that exist") {
  const SourceFile planted{"sim/config/map_reader.cpp",
                           "#include <string>\n\n#include \"sim/engine/engine.hpp\"\n"};

  const auto broken = broken_includes(planted);

  REQUIRE(broken.size() == 1);
  CHECK(broken[0] ==
        "sim/config/map_reader.cpp:3: includes \"sim/engine/engine.hpp\": sim/config -> sim/engine "
        "is not an arrow; sim/config may include sim/base");
}

TEST_CASE("each wrong direction between two rooms is caught") {
  const auto is_caught = [](std::string from, const std::string& target) {
    return broken_includes({std::move(from), "#include \"" + target + "\"\n"}).size() == 1;
  };

  CHECK(is_caught("sim/base/text.cpp", "sim/config/describe.hpp"));
  CHECK(is_caught("sim/workload/task_graph.cpp", "sim/results/results.hpp"));
  CHECK(is_caught("sim/engine/engine.cpp", "sim/hardware/gpu.hpp"));
  CHECK(is_caught("sim/report/json.cpp", "sim/config/system_spec.hpp"));
  CHECK(is_caught("models/dnn/lower.cpp", "sim/hardware/gpu.hpp"));
  CHECK(is_caught("sim/hardware/gpu.cpp", "models/dnn/layers.hpp"));
  CHECK(is_caught("sim/hardware/gpu.cpp", "sim/report/text.hpp"));
  CHECK(is_caught("validate/main.cpp", "sim/app/options.hpp"));
  CHECK(is_caught("sim/app/predict.cpp", "kernels/kernel_list.hpp"));
  CHECK(is_caught("kernels/kernel_list.cpp", "sim/base/units.hpp"));
}

TEST_CASE("a wrong include is caught in angle brackets and through a relative path too") {
  CHECK(broken_includes({"sim/base/a.cpp", "#include <sim/engine/port.hpp>\n"}).size() == 1);
  CHECK(broken_includes({"sim/base/a.cpp", "#  include \"../engine/port.hpp\"\n"}).size() == 1);
}

TEST_CASE("includes along the arrows, in the same room and from tests are allowed") {
  const auto is_allowed = [](std::string from, const std::string& target) {
    return broken_includes({std::move(from), "#include \"" + target + "\"\n"}).empty();
  };

  CHECK(is_allowed("sim/report/json.cpp", "sim/results/results.hpp"));
  CHECK(is_allowed("models/dnn/lower.cpp", "sim/config/network_spec.hpp"));
  CHECK(is_allowed("sim/base/text.cpp", "sim/base/text.hpp"));
  CHECK(is_allowed("kernels/gpu/gemm.cu", "kernels/kernel_case.hpp"));
  CHECK(is_allowed("tests/sim/app/predict_test.cpp", "sim/app/predict.hpp"));
}

TEST_CASE("an include that is commented out or inside a string is no include") {
  CHECK(find_includes("// #include \"sim/engine/port.hpp\"\n/*\n#include <b>\n*/\n").empty());
  CHECK(find_includes("const char* text = R\"(\n#include2 <x>\n)\";\n").empty());
}

TEST_CASE("a library outside the one file that wraps it is caught") {
  const auto is_caught = [](std::string from, const std::string& target) {
    return broken_includes({std::move(from), "#include <" + target + ">\n"}).size() == 1;
  };

  CHECK(is_caught("sim/config/map_reader.cpp", "yaml-cpp/yaml.h"));
  CHECK(is_caught("sim/workload/task_graph.hpp", "boost/graph/adjacency_list.hpp"));
  CHECK(is_caught("sim/report/json.hpp", "nlohmann/json.hpp"));
  CHECK(is_caught("sim/app/predict.cpp", "boost/program_options.hpp"));
  CHECK(is_caught("models/dnn/layers.cpp", "onnx/onnx_pb.h"));
  CHECK(is_caught("sim/hardware/gpu.cpp", "cuda_runtime.h"));
  CHECK(is_caught("kernels/kernel_list.cpp", "cublas_v2.h"));
  CHECK(is_caught("validate/measure.cpp", "cblas.h"));
  CHECK(is_caught("sim/app/validate.cpp", "oneapi/dnnl/dnnl.hpp"));
  CHECK(is_caught("kernels/chain.hpp", "hwloc.h"));
  CHECK(is_caught("sim/engine/engine.cpp", "thread"));
  CHECK(is_caught("models/dnn/profile.cpp", "fstream"));
  CHECK(is_caught("sim/hardware/gpu.cpp", "chrono"));
  CHECK(is_caught("sim/app/predict.cpp", "format"));
}

TEST_CASE("a library in the file that wraps it is allowed") {
  const auto is_allowed = [](std::string from, const std::string& target) {
    return broken_includes({std::move(from), "#include <" + target + ">\n"}).empty();
  };

  CHECK(is_allowed("sim/config/yaml_document.cpp", "yaml-cpp/yaml.h"));
  CHECK(is_allowed("sim/workload/task_graph.cpp", "boost/graph/adjacency_list.hpp"));
  CHECK(is_allowed("sim/report/json.cpp", "nlohmann/json.hpp"));
  CHECK(is_allowed("sim/app/options.cpp", "boost/program_options.hpp"));
  CHECK(is_allowed("kernels/gpu/gemm.cu", "cuda_runtime.h"));
  CHECK(is_allowed("kernels/cpu/blas_chain.cpp", "cblas.h"));
  CHECK(is_allowed("sim/app/files.cpp", "fstream"));
  CHECK(is_allowed("tests/sim/hardware/occupancy_test.cpp", "cuda_occupancy.h"));
}

TEST_CASE("a banned word in code is reported with its line") {
  const auto broken = banned_words({"sim/base/a.cpp", "int a;\nusing  namespace std;\n"});

  REQUIRE(broken.size() == 1);
  CHECK(broken[0] == "sim/base/a.cpp:2: 'using  namespace': name what you use");
}

TEST_CASE("each banned word is caught where it is banned") {
  const auto is_caught = [](std::string path, std::string code) {
    return banned_words({std::move(path), std::move(code)}).size() == 1;
  };

  CHECK(is_caught("tests/a_test.cpp", "out << std::endl;"));
  CHECK(is_caught("sim/app/a.cpp", "std::views::iota(0)"));
  CHECK(is_caught("sim/engine/a.cpp", "std::cout << 1;"));
  CHECK(is_caught("models/dnn/a.cpp", "std::printf(\"x\");"));
  CHECK(is_caught("sim/hardware/a.cpp", "double y = std::pow(x, 2);"));
  CHECK(is_caught("sim/hardware/a.cpp", "std::shared_ptr<int> p;"));
  CHECK(is_caught("sim/config/a.cpp", "std::exit(1);"));
}

TEST_CASE("a banned word in a comment, a literal or where it is needed is allowed") {
  const auto is_allowed = [](std::string path, std::string code) {
    return banned_words({std::move(path), std::move(code)}).empty();
  };

  CHECK(is_allowed("sim/base/a.cpp", "// never std::endl\nint a = 1'000; char b = '\"';"));
  CHECK(is_allowed("sim/base/a.cpp", "auto s = \"using namespace\"; auto r = R\"(std::endl)\";"));
  CHECK(is_allowed("sim/app/main.cpp", "std::cout << 1;"));
  CHECK(is_allowed("sim/base/a.cpp", "std::snprintf(b, 4, \"x\"); std::sqrt(2.0);"));
}

TEST_CASE("a header without an opening comment or a guard is caught") {
  CHECK(header_faults({"sim/base/a.hpp", "#pragma once\n"}).size() == 1);
  CHECK(header_faults({"sim/base/a.hpp", "// A thing.\nint a;\n"}).size() == 1);
  CHECK(header_faults({"sim/base/a.hpp", "// A thing.\n#pragma once\n"}).empty());
}

TEST_CASE("a new name at the top of the repository is noticed") {
  CHECK_FALSE(is_allowed_at_the_top("src"));
  CHECK_FALSE(is_allowed_at_the_top("utils"));
  CHECK(is_allowed_at_the_top("hw_configs"));
}

// ---- The repository keeps them --------------------------------------------------------------------------------------

TEST_CASE("every include of the repository points along an arrow") {
  expect_clean(broken_includes);
}

TEST_CASE("no banned word stands in the repository's code") { expect_clean(banned_words); }

TEST_CASE("every header opens with a comment and guards itself") { expect_clean(header_faults); }

TEST_CASE("every source file lies in a room that the layering knows") {
  for (const SourceFile& file : our_sources()) {
    CHECK_MESSAGE(find_room(file.path) != nullptr, file.path, " is in no room");
  }
}

TEST_CASE("only the agreed names stand at the top of the repository") {
  const auto files = tracked_files(TANTALUS_SOURCE_DIR);
  if (files.empty()) {
    MESSAGE("skipped: this is no git checkout");
    return;
  }
  for (const std::string& path : files) {
    CHECK_MESSAGE(is_allowed_at_the_top(path.substr(0, path.find('/'))), path);
  }
}

}  // namespace
}  // namespace tantalus::test
