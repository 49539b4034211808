// Where the specs that come with Tantalus lie on this machine.
#pragma once

#include <string>
#include <vector>

namespace tantalus {

/// In order: what the user names (TANTALUS_DATA), ../share/tantalus beside the program's folder, the source tree that it was
/// built from. Folders that are not there are left out.
std::vector<std::string> data_folders(const std::string& named_by_user);

/// The program that runs real kernels: the one that the user names, else the one beside this program; "" when there is none.
std::string host_program_path(const std::string& named_by_user);

}  // namespace tantalus
