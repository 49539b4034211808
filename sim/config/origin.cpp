#include "sim/config/origin.hpp"

namespace tantalus {

namespace {

std::string with_detail(const std::string& word, const std::string& detail) {
  return detail.empty() ? word : word + ": " + detail;
}

}  // namespace

std::string to_text(const Origin& origin) {
  switch (origin.kind) {
    case Origin::Kind::unsourced:
      return "no source given";
    case Origin::Kind::data_sheet:
      return with_detail("data sheet", origin.detail);
    case Origin::Kind::measured:
      return with_detail("measured", origin.detail);
    case Origin::Kind::derived:
      return "derived (" + origin.detail + ")";
    case Origin::Kind::defaulted:
      return "default";
    case Origin::Kind::overridden:
      return "override";
  }
  return "default";
}

}  // namespace tantalus
