// TANTALUS_CHECK guards invariants of our own code: a failure is a bug in Tantalus, never the user's mistake (that is a
// Diagnostic) and never the world's refusal. It is active in every build type and throws InvariantError.
#pragma once

#include <stdexcept>
#include <string>

namespace tantalus {

/// A broken promise inside Tantalus. `main` prints it with a request to report it; nothing else catches it.
class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* file, int line, const char* condition,
                             const std::string& message);

}  // namespace tantalus

/// The only macro of the core: it needs the text of the condition.
#define TANTALUS_CHECK(condition, message)                               \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ::tantalus::fail_check(__FILE__, __LINE__, #condition, (message)); \
    }                                                                    \
  } while (false)
