#include "sim/engine/port.hpp"

#include <algorithm>

namespace tantalus {

// g++ writes "... message_name() [with Message = tantalus::Ping; std::string_view = ...]", clang
// "... message_name() [Message = tantalus::Ping]".
std::string_view type_name_in(std::string_view signature) {
  constexpr std::string_view marker = "Message = ";
  const std::size_t begin = signature.find(marker);
  if (begin == std::string_view::npos) return signature;
  std::string_view name = signature.substr(begin + marker.size());
  name = name.substr(0, name.find_first_of(";]"));
  const std::size_t scope = name.substr(0, name.find('<')).rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

void PortList::add(std::string name, InPortBase& port, Need need) {
  TANTALUS_CHECK(find(name) == nullptr, "two ports of one component have the same name");
  entries_.push_back({std::move(name), &port, nullptr, need});
}

void PortList::add(std::string name, OutPortBase& port, Need need) {
  TANTALUS_CHECK(find(name) == nullptr, "two ports of one component have the same name");
  entries_.push_back({std::move(name), nullptr, &port, need});
}

const PortList::Entry* PortList::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::string> PortList::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

}  // namespace tantalus
