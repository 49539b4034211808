// The process around run(): streams, environment, signals. Nothing else of the program knows that there is a process.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "sim/app/data_folders.hpp"
#include "sim/app/run.hpp"
#include "sim/base/check.hpp"

namespace tantalus {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

extern "C" void leave_on_interrupt(int) { _exit(static_cast<int>(ExitCode::interrupted)); }

// The whole answer at once. A reader that has seen enough (`tantalus ... | head`) is not an error; a full disk is.
ExitCode write_answer(std::string_view text, ExitCode code) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return code;
    } else if (errno != EINTR) {
      std::cerr << "error[cannot-write]: the answer cannot be written to standard output\n";
      return ExitCode::cannot_write;
    }
  }
  return code;
}

ExitCode guarded_run(const std::vector<std::string>& arguments, Console& console) {
  try {
    return run(arguments, console);
  } catch (const InvariantError& error) {
    std::cerr << "error[bug]: " << error.what()
              << "\n  hint: this is a mistake in Tantalus, not in your files; please report "
              << "the command line and this message\n";
  } catch (const std::exception& error) {
    std::cerr << "error[bug]: " << error.what()
              << "\n  hint: please report the command line and this message\n";
  }
  return ExitCode::bug;
}

int run_process(const std::vector<std::string>& arguments) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, &leave_on_interrupt);
  std::ios::sync_with_stdio(false);

  std::ostringstream answer;
  Console console{std::cin, answer, std::cerr};
  console.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  console.environment_allows_color = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  console.data_folders = data_folders(variable("TANTALUS_DATA"));
  console.host_program = host_program_path(variable("TANTALUS_HOST_PROGRAM"));
  const ExitCode code = guarded_run(arguments, console);
  return static_cast<int>(write_answer(answer.str(), code));
}

}  // namespace
}  // namespace tantalus

int main(int argc, char** argv) {
  return tantalus::run_process({argv + (argc > 0 ? 1 : 0), argv + argc});
}
