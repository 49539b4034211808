// Storage at the other end of a network, as seen from one client: a round trip, a cost for opening, a rate, and perhaps a credit
// that lets it be faster for a while.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

/// A faster rate for as long as the credit lasts; it grows at the plain rate whenever less is used.
struct BurstSpec {
  Bandwidth rate;
  Bytes credit;
};

struct NetworkStorageSpec {
  std::string name;
  std::optional<Bytes> capacity;
  Duration round_trip;
  Duration open_time;
  Bandwidth rate;
  std::int64_t in_flight = 64;
  std::optional<BurstSpec> burst;
};

template <class Visitor>
void describe(Visitor& v, BurstSpec& s) {
  v.required("rate", s.rate, positive, "bytes a second while there is credit");
  v.required("credit", s.credit, positive, "bytes that can be saved up; it is full at the start");
}

template <class Visitor>
void describe(Visitor& v, NetworkStorageSpec& s) {
  v.text("name", s.name, "what it is");
  v.optional("capacity", s.capacity, positive, "bytes");
  v.required("round_trip", s.round_trip, not_negative, "of one request without its bytes");
  v.defaulted("open_time", s.open_time, not_negative,
              "more for a request that does not go on where one ended: opening, looking up");
  v.required("rate", s.rate, positive, "bytes a second of all requests together");
  v.defaulted("in_flight", s.in_flight, within(1, 100'000), "requests that it works on at once");
  v.optional_section("burst", s.burst, "a faster rate for a while");
}
void check(const NetworkStorageSpec& spec, SpecChecker& checker);

}  // namespace tantalus
