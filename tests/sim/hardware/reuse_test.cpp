#include "sim/hardware/reuse.hpp"

#include <doctest/doctest.h>

#include "sim/hardware/device_model.hpp"

namespace tantalus {

namespace {

TensorUse use(std::uint32_t id, std::int64_t bytes, bool written = false) {
  return {TensorId{id}, Bytes{bytes}, written};
}

}  // namespace

TEST_CASE("a tensor that nothing used before has no reuse distance") {
  ReuseTracker tracker;
  const std::vector<TensorUse> first = {use(1, 100), use(2, 50, true)};

  CHECK(tracker.use(first) == std::vector<Bytes>{never_used, never_used});
}

TEST_CASE("the distance is what went by since the operation that used the tensor began") {
  ReuseTracker tracker;
  const std::vector<TensorUse> produce = {use(1, 100), use(2, 50, true)};
  const std::vector<TensorUse> other = {use(3, 1'000)};
  const std::vector<TensorUse> consume = {use(2, 50), use(1, 100)};
  tracker.use(produce);
  tracker.use(other);

  CHECK(tracker.use(consume) == std::vector<Bytes>{Bytes{1'150}, Bytes{1'150}});
}

TEST_CASE("the same operation again finds its operands one turn of its own bytes away") {
  ReuseTracker tracker;
  const std::vector<TensorUse> step = {use(1, 100), use(2, 50, true)};
  tracker.use(step);

  CHECK(tracker.use(step) == std::vector<Bytes>{Bytes{150}, Bytes{150}});
}

TEST_CASE("the age of a tensor is the time since an operation used it") {
  ReuseTracker tracker;
  const std::vector<TensorUse> produce = {use(1, 100), use(2, 50, true)};
  const std::vector<TensorUse> consume = {use(2, 50), use(3, 10)};

  CHECK(tracker.ages(produce, TimePoint{Duration{5}}) == std::vector<Duration>(2));
  CHECK(tracker.ages(consume, TimePoint{Duration{12}}) ==
        std::vector<Duration>{Duration{7}, Duration{}});
}

TEST_CASE("bytes without a name push tensors away too") {
  ReuseTracker tracker;
  const std::vector<TensorUse> step = {use(1, 100)};
  tracker.use(step);
  tracker.pass_by(Bytes{5'000});

  CHECK(tracker.use(step) == std::vector<Bytes>{Bytes{5'100}});
}

TEST_CASE("distances never overflow, however much goes by") {
  ReuseTracker tracker;
  const std::vector<TensorUse> huge = {use(1, INT64_MAX), use(2, INT64_MAX, true)};
  for (int i = 0; i < 10'000; ++i) {
    for (const Bytes distance : tracker.use(huge)) CHECK(distance >= Bytes{0});
  }
}

}  // namespace tantalus
