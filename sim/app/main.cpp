// The process around run(): streams, environment, signals. Nothing else of the program knows that there is a process.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
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

// A reader that has seen enough (`tantalus ... | head`) is not an error; a full disk is.
ExitCode after_writing(ExitCode code) {
  errno = 0;
  std::cout.flush();
  if (std::cout.good() || errno == EPIPE) return code;
  std::cerr << "error[cannot-write]: the answer could not be written to standard output\n";
  return ExitCode::cannot_write;
}

ExitCode guarded_run(const std::vector<std::string>& arguments, Console& console) {
  try {
    return after_writing(run(arguments, console));
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

}  // namespace
}  // namespace tantalus

int main(int argc, char** argv) {
  using namespace tantalus;  // NOLINT(google-build-using-namespace): main cannot stand in it
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, &leave_on_interrupt);
  std::ios::sync_with_stdio(false);

  Console console{std::cin, std::cout, std::cerr};
  console.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  console.environment_allows_color = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  console.data_folders = data_folders(variable("TANTALUS_DATA"));
  return static_cast<int>(
      guarded_run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), console));
}
