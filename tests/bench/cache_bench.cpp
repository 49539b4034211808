// References per second through three cache levels, one core, patterns made on the fly included, beside valgrind's cachegrind
// running the same loops (cache_peer) where it is installed. CPU time over rounds in which both take turns: the median and the
// least, which is of the quietest round and gives the rate. A ratio is the median of those of single rounds, per reference to
// data: cachegrind's time includes running the program and simulating its instruction fetches, so the ratio per reference of any
// kind stands beside it. Usage: cache_bench [--quick] [--check] [--search portable|avx2|avx512].
//   --quick  smaller matrices, two rounds, no valgrind: does it work, and roughly how fast
//   --check  exit 1 and say what was missed: 250 M/s naive, 300 M/s tiled, twice cachegrind
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/hardware/cache/access_patterns.hpp"
#include "sim/hardware/cache/cache_hierarchy.hpp"

namespace tantalus {
namespace {

struct Options {
  bool quick = false, check = false;
  SetSearch search = fastest_search();
};

struct Case {
  const char* name;
  std::int64_t n;
  double reach;  // million references a second; 0: none
  bool peer;     // cache_peer knows it
  std::function<void(std::int64_t n, const AccessSink&)> pattern;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"naive", 256, 250, true, naive_matmul_pattern},
      {"tiled", 256, 300, true,
       [](std::int64_t n, const AccessSink& s) { tiled_matmul_pattern(n, 32, s); }},
      {"recursive", 256, 0, false,
       [](std::int64_t n, const AccessSink& s) { recursive_matmul_pattern(n, 32, s); }},
      {"stream 64 MiB", 64, 0, false,
       [](std::int64_t n, const AccessSink& s) { stream_pattern(Bytes{n << 20}, 1, s); }},
      {"random in 8 MiB", 8, 0, false,
       [](std::int64_t n, const AccessSink& s) { random_pattern(Bytes{n << 20}, n << 20, 1, s); }},
      {"chase of 8 MiB", 8, 0, false,
       [](std::int64_t n, const AccessSink& s) { chase_pattern(Bytes{n << 20}, 32, 1, s); }},
  };
  return all;
}

HierarchyShape three_levels() {
  HierarchyShape shape;
  const auto add = [&](std::int64_t bytes, std::int64_t ways) {
    CacheShape level;
    level.capacity = Bytes{bytes};
    level.ways = ways;
    shape.levels.push_back(level);
  };
  add(32 << 10, 8);
  add(1 << 20, 16);
  add(32 << 20, 16);
  return shape;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Nanoseconds a reference.
double ours(const Case& one, std::int64_t n, SetSearch search, std::int64_t& first_misses) {
  CacheHierarchy caches = CacheHierarchy::make(three_levels(), search).value();
  const double start = cpu_seconds();
  one.pattern(n, [&](std::span<const Access> chunk) { return caches.run(chunk).empty(); });
  const double seconds = cpu_seconds() - start;
  const LevelCounts first = caches.counts()[0];
  first_misses = first.misses.demand();
  return 1e9 * seconds / static_cast<double>(first.accesses.demand());
}

/// The generator alone.
double generator(const Case& one, std::int64_t n) {
  std::int64_t references = 0;
  const double start = cpu_seconds();
  one.pattern(n, [&](std::span<const Access> chunk) {
    references += static_cast<std::int64_t>(chunk.size());
    return true;
  });
  return 1e9 * (cpu_seconds() - start) / static_cast<double>(references);
}

struct PeerCost {
  double per_data_reference, per_reference;
};

/// "==12== D   refs:      33,7 ..." of cachegrind's summary.
double count_in(const std::string& text, const char* label) {
  std::size_t at = text.find(label);
  if (at == std::string::npos) return 0;
  double value = 0;
  for (at += std::strlen(label); at < text.size() && text[at] != '\n' && text[at] != '('; ++at) {
    if (text[at] >= '0' && text[at] <= '9') value = 10 * value + (text[at] - '0');
  }
  return value;
}

std::optional<PeerCost> cachegrind(const Case& one, std::int64_t n) {
  const std::string log = (std::filesystem::temp_directory_path() /
                           ("tantalus_cache_bench." + std::to_string(getpid())))
                              .string();
  const std::string log_option = "--log-file=" + log, size = std::to_string(n);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    execlp("valgrind", "valgrind", "--tool=cachegrind", "--cache-sim=yes", "--I1=32768,8,64",
           "--D1=32768,8,64", "--LL=33554432,16,64", "--cachegrind-out-file=/dev/null",
           log_option.c_str(), TANTALUS_CACHE_PEER, one.name, size.c_str(),
           static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) return std::nullopt;
  std::ifstream file(log);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::remove(log.c_str());
  const double seconds =
      static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
      1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  const double data = count_in(text, "D   refs:"), fetches = count_in(text, "I   refs:");
  if (data == 0) return std::nullopt;
  return PeerCost{1e9 * seconds / data, 1e9 * seconds / (data + fetches)};
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

bool measure(const Case& one, const Options& options) {
  const std::int64_t n = options.quick && one.n == 256 ? 128 : one.n;
  std::vector<double> cost, made, peer, ratio, ratio_of_all;
  std::int64_t misses = 0;
  for (int round = 0; round < (options.quick ? 2 : 11); ++round) {
    cost.push_back(ours(one, n, options.search, misses));
    made.push_back(generator(one, n));
    if (options.quick || !one.peer || round >= 5) continue;
    if (const auto found = cachegrind(one, n)) {
      peer.push_back(found->per_data_reference);
      ratio.push_back(found->per_data_reference / cost.back());
      ratio_of_all.push_back(found->per_reference / cost.back());
    }
  }
  const double rate = 1e3 / least(cost);
  std::printf("%-16s %7.2f %7.2f %7.0f %9.2f %12lld", one.name, median(cost), least(cost), rate,
              least(made), static_cast<long long>(misses));
  if (!peer.empty())
    std::printf(" %10.2f %7.2f %7.2f", median(peer), median(ratio), median(ratio_of_all));
  std::printf("\n");
  if (!options.check) return true;
  const bool fast = rate >= one.reach, faster = peer.empty() || median(ratio) >= 2;
  if (!fast) std::printf("missed: %s, %.0f M/s of %.0f\n", one.name, rate, one.reach);
  if (!faster) std::printf("missed: %s, %.2f times cachegrind of 2\n", one.name, median(ratio));
  return fast && faster;
}

bool read_search(const char* word, SetSearch& search) {
  const char* const words[] = {"portable", "avx2", "avx512"};
  for (unsigned i = 0; i < 3; ++i) {
    if (std::strcmp(word, words[i]) == 0) search = static_cast<SetSearch>(i);
  }
  return is_available(search);
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") options.quick = true;
    if (word == "--check") options.check = true;
    if (word == "--search" && i + 1 < argc && !read_search(argv[++i], options.search)) {
      std::printf("not on this processor: %s\n", argv[i]);
      return 4;
    }
  }
  std::printf("%-16s %7s %7s %7s %9s %12s %10s %7s %7s\n", "pattern", "ns/ref", "least", "M/s",
              "made in", "L1 misses", "cachegrind", "ratio", "of all");
  bool good = true;
  for (const Case& one : cases()) good = measure(one, options) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tantalus

int main(int argc, char** argv) { return tantalus::run(argc, argv); }
