// The whole program but its process: arguments and a console in, an exit code out. `main` adds the real streams; tests call
// it with strings.
#pragma once

#include <span>
#include <string>

#include "sim/app/console.hpp"
#include "sim/app/exit_code.hpp"
#include "sim/app/options.hpp"

namespace tantalus {

class Session;

/// `arguments` without the program's name.
ExitCode run(std::span<const std::string> arguments, Console& console);

// One file a verb.
ExitCode predict(const PredictCommand& command, Console& console);
ExitCode profile(const ProfileCommand& command, Console& console);
ExitCode ops(const OpsCommand& command, Console& console);
ExitCode validate(const ValidateCommand& command, Console& console);
ExitCode validate_here(const ValidateCommand& command, Console& console);
ExitCode detect(const DetectCommand& command, Console& console);
ExitCode describe(const DescribeCommand& command, Console& console);
ExitCode cache(const CacheCommand& command, Console& console);
/// The other answer of `cache`.
ExitCode staircase(const CacheCommand& command, Session& session);
ExitCode check(const CheckCommand& command, Console& console);
ExitCode show(const ShowCommand& command, Console& console);

}  // namespace tantalus
