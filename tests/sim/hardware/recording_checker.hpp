// A SpecChecker that writes down what it is told: "impossible too-large l1d.capacity".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/describe.hpp"

namespace tantalus::test {

class RecordingChecker final : public SpecChecker {
 public:
  void impossible(std::string_view path, std::string code, std::string, std::string) override {
    add("impossible", code, path);
  }
  void unusual(std::string_view path, std::string code, std::string, std::string) override {
    add("unusual", code, path);
  }
  void contradictory(std::string_view path, std::string code, std::string, std::string) override {
    add("contradictory", code, path);
  }

  const std::vector<std::string>& all() const { return found_; }
  bool has(const std::string& line) const {
    for (const std::string& found : found_) {
      if (found == line) return true;
    }
    return false;
  }

 private:
  void add(const char* severity, const std::string& code, std::string_view path) {
    found_.push_back(std::string(severity) + " " + code + " " + std::string(path));
  }

  std::vector<std::string> found_;
};

}  // namespace tantalus::test
