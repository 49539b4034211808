// Text in, text out: runs the command lines of a scenario file and compares what they print with what the file says. A line that
// begins with "$ tantalus" is a command; below it stands its standard output, then its standard error with "! " before each line,
// then "= N" with the exit code. `TANTALUS_UPDATE_GOLDEN=1` writes the file anew. Exit code 1: something differs.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/app/run.hpp"

namespace {

// Words as a shell would take them, as far as scenarios need it: spaces and double quotes.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool any = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      if (any) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) words.push_back(word);
  return words;
}

std::string marked(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += line.empty() ? "!\n" : "! " + line + "\n";
  return result;
}

std::string transcript_of(const std::string& command) {
  std::vector<std::string> words = words_of(command);
  words.erase(words.begin(), words.begin() + 2);  // "$ tantalus"
  std::istringstream in;
  std::ostringstream out, err;
  tantalus::Console console{in, out, err};
  console.data_folders = {"."};
  const tantalus::ExitCode code = tantalus::run(words, console);
  return command + "\n" + out.str() + marked(err.str()) + "= " +
         std::to_string(static_cast<int>(code)) + "\n";
}

// Comments and blank lines before a command stay; everything else is the answer.
std::string replayed(const std::string& scenario) {
  std::istringstream lines(scenario);
  std::string result, pending;
  bool in_answer = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("$ tantalus", 0) == 0) {
      result += pending + transcript_of(line);
      pending.clear();
      in_answer = true;
    } else if (in_answer) {
      in_answer = line.rfind("= ", 0) != 0;
    } else {
      pending += line + "\n";
    }
  }
  return result + pending;
}

std::string first_difference(const std::string& expected, const std::string& actual) {
  std::istringstream a(expected), b(actual);
  std::string left, right;
  for (int line = 1;; ++line) {
    const bool more_left = static_cast<bool>(std::getline(a, left));
    const bool more_right = static_cast<bool>(std::getline(b, right));
    if (!more_left && !more_right) return "line ends differ";
    if (!more_left) left = "(end)";
    if (!more_right) right = "(end)";
    if (left != right)
      return "line " + std::to_string(line) + "\n  expected: " + left + "\n  printed:  " + right;
  }
}

}  // namespace

// Runs in the source tree, so that paths in messages are the same on every machine.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: scenario_runner FILE\n";
    return 2;
  }
  std::ostringstream text;
  text << std::ifstream(argv[1], std::ios::binary).rdbuf();
  const std::string expected = text.str();
  const std::string actual = replayed(expected);
  if (std::getenv("TANTALUS_UPDATE_GOLDEN") != nullptr)
    std::ofstream(argv[1], std::ios::binary) << actual;
  if (actual == expected && !expected.empty()) return 0;
  std::cerr << argv[1] << ": " << first_difference(expected, actual) << "\n";
  return 1;
}
