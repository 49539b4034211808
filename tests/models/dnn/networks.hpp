// Short ways to a network for the tests of this room: from a file of models/networks, or from a text.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "models/dnn/layers.hpp"
#include "models/dnn/lower.hpp"
#include "models/dnn/profile.hpp"
#include "sim/config/network_spec.hpp"
#include "source_dir.hpp"

namespace tantalus {

inline std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::string rendered(const Diagnostics& diagnostics, const std::string& source = {}) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic, source);
  return text;
}

/// Reading and inference of a text, whichever fails first.
inline Result<Network> network_of(const std::string& text, const std::string& file = "net.yaml") {
  Result<NetworkSpec> spec = read_network(text, file);
  if (!spec) return spec.diagnostics();
  return infer(*spec);
}

/// A network that must be right.
inline Network good_network(const std::string& text, const std::string& file = "net.yaml") {
  Result<Network> network = network_of(text, file);
  INFO(rendered(network.diagnostics(), text));
  REQUIRE(network.ok());
  CHECK(network.diagnostics().empty());
  return std::move(network).value();
}

inline Network named_network(const std::string& name) {
  const std::string path = std::string(TANTALUS_SOURCE_DIR) + "/models/networks/" + name + ".yaml";
  return good_network(text_of_file(path), path);
}

/// A network file with this input and these layers.
inline std::string file_with(const std::string& input, const std::string& layers) {
  return "tantalus: network/1\nname: test\ninput: " + input + "\nlayers:\n" + layers;
}

/// The only diagnostic of a text that is not a network.
inline Diagnostic only_mistake(const std::string& text) {
  const Result<Network> network = network_of(text);
  INFO(rendered(network.diagnostics(), text));
  REQUIRE_FALSE(network.ok());
  REQUIRE(network.diagnostics().size() == 1);
  return network.diagnostics().front();
}

inline const LayerProfile& row_of(const Profile& profile, const std::string& name) {
  for (const LayerProfile& row : profile.layers) {
    if (row.name == name) return row;
  }
  FAIL("no layer ", name);
  return profile.layers.front();
}

inline RunSpec training_run(std::int64_t batch = 1) {
  RunSpec run;
  run.batch = batch;
  run.mode = Mode::training;
  return run;
}

inline const Operation& operation_at(const TaskGraph& step, std::size_t task) {
  return std::get<Operation>(step.tasks()[task].work);
}

/// The task of a layer's pass, by operation name; fails the test when there is none.
inline const Task& task_named(const TaskGraph& step, const std::string& name, Pass pass) {
  for (const Task& task : step.tasks()) {
    if (task.name == name && std::get<Operation>(task.work).pass == pass) return task;
  }
  FAIL("no operation ", name, " in pass ", std::string(name_of(pass)));
  return step.tasks().front();
}

inline const Operation& operation_named(const TaskGraph& step, const std::string& name, Pass pass) {
  return std::get<Operation>(task_named(step, name, pass).work);
}

inline bool has_operation(const TaskGraph& step, const std::string& name, Pass pass) {
  for (const Task& task : step.tasks()) {
    if (task.name == name && std::get<Operation>(task.work).pass == pass) return true;
  }
  return false;
}

inline std::int64_t bytes_moved(const TaskGraph& step, const std::string& name, Pass pass) {
  return operand_bytes(operation_named(step, name, pass)).count();
}

}  // namespace tantalus
