#include "sim/hardware/storage/network_storage.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/sim/hardware/storage/storage_load.hpp"

namespace tantalus {
namespace {

using testing::load;
using testing::random_reads;
using testing::sequential;

NetworkStorageSpec share() {
  NetworkStorageSpec spec;
  spec.round_trip = Duration{200'000'000};
  spec.open_time = Duration{300'000'000};
  spec.rate = Bandwidth{1'000'000'000};
  return spec;
}

TEST_CASE("small files wait for opening and the round trip, as many at once as are in flight") {
  // 0.5 ms and 100 kB / 1 GB/s; the line carries 10,000 a second at most.
  for (const int depth : {1, 2, 4, 5, 8, 16}) {
    CAPTURE(depth);
    CHECK(load<NetworkStorage>(share(), random_reads(Bytes{100'000}), depth, 20'000).per_second ==
          doctest::Approx(std::min(depth / 0.6e-3, 10'000.0)).epsilon(0.02));
  }
  NetworkStorageSpec two = share();
  two.in_flight = 2;
  CHECK(load<NetworkStorage>(two, random_reads(Bytes{100'000}), 16, 20'000).per_second ==
        doctest::Approx(2 / 0.6e-3).epsilon(0.02));
}

TEST_CASE("a request that goes on is not opened again") {
  const double rate = load<NetworkStorage>(
                          share(), sequential(Bytes{100'000}, StorageRequest::Kind::read), 1, 5'000)
                          .per_second;
  CHECK(rate == doctest::Approx(1.0 / 0.3e-3).epsilon(0.02));
}

TEST_CASE("a burst lasts as long as its credit, and credit grows while less is used") {
  NetworkStorageSpec spec = share();
  spec.rate = Bandwidth{50'000'000};
  spec.burst = BurstSpec{Bandwidth{100'000'000}, Bytes{500'000'000}};
  const auto seen =
      load<NetworkStorage>(spec, sequential(Bytes{10'000'000}, StorageRequest::Kind::read), 4, 200);
  // 500 MB of credit sink by 50 MB/s: 10 s at 100 MB/s, then 1 GB more at 50 MB/s.
  CHECK(seconds(seen.answered[99].since_start()) == doctest::Approx(10.0).epsilon(0.01));
  CHECK(seen.span == doctest::Approx(30.0).epsilon(0.01));
}

}  // namespace
}  // namespace tantalus
