// What the program says with its exit status: a contract (README, "Exit codes").
#pragma once

namespace tantalus {

enum class ExitCode : int {
  done = 0,
  answer_is_no = 1,  // it was answered, and does not fit in memory
  wrong_usage = 2,
  bad_input = 3,      // a file that is missing, unreadable or wrong
  not_here = 4,       // the device or feature asked for is not part of this system or build
  bug = 70,           // a broken invariant of Tantalus itself; sysexits.h calls it EX_SOFTWARE
  cannot_write = 74,  // the answer could not be written (full disk); EX_IOERR
  interrupted = 130,
};

}  // namespace tantalus
