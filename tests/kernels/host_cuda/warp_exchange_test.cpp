#include "kernels/host_cuda/warp_exchange.hpp"

#include <doctest/doctest.h>

namespace tantalus::emulate {
namespace {

TEST_CASE("a round is complete when every lane of its mask has put a value") {
  WarpExchange warp;
  const WarpExchange::Ticket first = warp.put(0b101U, 0, 10);
  CHECK(!warp.is_complete(first));

  const WarpExchange::Ticket second = warp.put(0b101U, 2, 12);

  CHECK(warp.is_complete(first));
  CHECK(warp.take(first, 2) == 12);
  CHECK(warp.take(second, 0) == 10);
}

TEST_CASE("a lane that is a round ahead does not overwrite what another still has to read") {
  WarpExchange warp;
  warp.put(0b11U, 0, 10);
  const WarpExchange::Ticket slow = warp.put(0b11U, 1, 11);

  const WarpExchange::Ticket ahead = warp.put(0b11U, 0, 20);

  CHECK(!warp.is_complete(ahead));
  CHECK(warp.take(slow, 0) == 10);
  warp.put(0b11U, 1, 21);
  CHECK(warp.take(ahead, 1) == 21);
}

TEST_CASE("sets of lanes with different masks do not wait for each other") {
  WarpExchange warp;
  warp.put(0b0011U, 0, 10);
  const WarpExchange::Ticket other = warp.put(0b0100U, 2, 12);
  CHECK(warp.is_complete(other));
}

}  // namespace
}  // namespace tantalus::emulate
