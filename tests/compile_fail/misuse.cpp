// Each macro is one mistake that the types of sim/base must refuse; CMakeLists.txt compiles them one by one. With NONE this
// is a correct program.
#include "sim/base/ids.hpp"
#include "sim/base/units.hpp"

namespace tantalus {

constexpr Bytes size{4096};
constexpr Duration time{1'000};
constexpr TimePoint instant{time};
constexpr Bandwidth rate{1'000'000'000};
constexpr Frequency clock_rate{1'000'000'000};
constexpr Flops work{1'000};

Bytes doubled(Bytes s) { return s * 2; }
Duration until(TimePoint t) { return t - instant; }
DeviceId same(DeviceId id) { return id; }

#if defined(NONE)
const auto transfer = size / rate + time;
const auto later = instant + transfer;
const auto twice = doubled(size);
const auto waited = until(later);
const auto device = same(DeviceId{1});
#elif defined(BYTES_PLUS_TIME)
const auto wrong = size + time;
#elif defined(BYTES_LESS_TIME)
const auto wrong = size < time;
#elif defined(TWO_INSTANTS)
const auto wrong = instant + instant;
#elif defined(INSTANT_TIMES_TWO)
const auto wrong = instant * 2;
#elif defined(BANDWIDTH_PLUS_BYTES)
const auto wrong = rate + size;
#elif defined(BYTES_TIMES_BYTES)
const auto wrong = size * size;
#elif defined(BYTES_OVER_FREQUENCY)
const auto wrong = size / clock_rate;
#elif defined(FLOPS_OVER_BANDWIDTH)
const auto wrong = work / rate;
#elif defined(INTEGER_TO_BYTES)
const auto wrong = doubled(4096);
#elif defined(BYTES_TO_INTEGER)
const std::int64_t wrong = size;
#elif defined(DURATION_TO_INSTANT)
const auto wrong = until(time);
#elif defined(LAYER_FOR_DEVICE)
const auto wrong = same(LayerId{1});
#elif defined(DOUBLE_TO_DURATION)
constexpr double cost = 1.5;
const auto wrong = Duration{cost};
#endif

}  // namespace tantalus
