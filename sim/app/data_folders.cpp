#include "sim/app/data_folders.hpp"

#include <filesystem>
#include <system_error>

namespace tantalus {

namespace fs = std::filesystem;

std::vector<std::string> data_folders(const std::string& named_by_user) {
  std::error_code error;
  std::vector<fs::path> candidates;
  if (!named_by_user.empty()) candidates.emplace_back(named_by_user);
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(program.parent_path().parent_path() / "share" / "tantalus");
  candidates.emplace_back(TANTALUS_SOURCE_DIR);

  std::vector<std::string> folders;
  for (const fs::path& candidate : candidates) {
    if (fs::is_directory(candidate / "hw_configs", error) ||
        fs::is_directory(candidate / "models", error)) {
      folders.push_back(candidate.string());
    }
  }
  return folders;
}

std::string host_program_path(const std::string& named_by_user) {
  if (!named_by_user.empty()) return named_by_user;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "";
  const fs::path beside = program.parent_path() / (program.filename().string() + "-host");
  return fs::exists(beside, error) ? beside.string() : "";
}

}  // namespace tantalus
