// Measurements count the CPU time of one thread, so a library that shares its work with others would seem to beat the machine.
// Libraries read their number of threads when they are loaded: the environment must say 1 before the program starts.
#pragma once

namespace tantalus::validation {

/// Whether every library that this room times was told to use one thread.
bool libraries_have_one_thread();

/// Sets what is missing and starts the program over with the same arguments; returns when nothing was missing.
void insist_on_one_thread(char** argv);

}  // namespace tantalus::validation
