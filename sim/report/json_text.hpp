// The one way this project prints a JSON document. A template, so that no header needs nlohmann-json: .cpp files call it
// with the library's ordered_json, whose keys stay in the order of the contract.
#pragma once

#include <string>

namespace tantalus {

/// Two spaces a level and a line end. A byte that is not UTF-8 (a layer's name may hold anything) becomes U+FFFD.
template <class Json>
std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tantalus
