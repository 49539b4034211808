// Runs a fuzz target over files, without libFuzzer: with any compiler, as an ordinary test. Seeds and earlier finds then hold
// in every build. Usage: NAME FILE_OR_FOLDER...
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

void replay(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);  // the last name printed is the one that failed
  LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  int count = 0;
  for (const fs::path root : std::vector<std::string>(argv + 1, argv + argc)) {
    if (fs::is_regular_file(root)) {
      replay(root);
      ++count;
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) {
        replay(entry.path());
        ++count;
      }
    }
  }
  if (count == 0) {
    std::fprintf(stderr, "no file to replay\n");
    return 1;
  }
  return 0;
}
