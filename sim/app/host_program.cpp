#include "sim/app/host_program.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char**
    environ;  // NOLINT(readability-redundant-declaration): not every system header declares it

namespace tantalus {

namespace fs = std::filesystem;

namespace {

Diagnostic refusal(std::string message, std::string hint) {
  return {Severity::error, "env-no-host-program", {}, "", std::move(message), std::move(hint), 1};
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool doubled = quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"';
    if (doubled) {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end > start) rows.push_back(cells_of(text.substr(start, end - start)));
    start = end + 1;
  }
  return rows;
}

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (true) {
    const ssize_t got = read(pipe, chunk.data(), chunk.size());
    if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

// Starts the program with its standard output in a pipe; the exit status, or -1 when it did not start.
int run(const std::string& program, const std::vector<std::string>& arguments, std::string& out) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[1]);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int refused =
      posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (refused == 0) out = read_all(pipe_ends[0]);
  close(pipe_ends[0]);
  if (refused != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> run_host_program(
    const Console& console, const std::vector<std::string>& arguments) {
  if (console.host_program.empty()) {
    return refusal("this build cannot run kernels on this machine",
                   "install libopenblas-dev and libdnnl-dev, then configure and build again");
  }
  std::string out;
  const int status = run(console.host_program, arguments, out);
  if (status != 0) {
    return refusal(console.host_program + " " + arguments.front() + " ended with " +
                       (status < 0 ? "a signal" : "exit code " + std::to_string(status)),
                   "its own message stands above");
  }
  return rows_of(out);
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "tantalus-XXXXXX").string();
  if (const char* made = mkdtemp(pattern.data())) path_ = made;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace tantalus
