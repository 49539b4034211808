// The software between the data set and the training loop, and the loop itself, as a file describes them
// (`tantalus: loader/1`, hw_configs/loaders): worker processes, what they add to each item and batch, how batches are handed
// over, and when the loop waits for the device. Times are of one core of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/result.hpp"
#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"

namespace tantalus {

/// Where the host's copy of a batch lies and whether the loop waits for its way to the device. pageable: the driver copies
/// through its own buffers, the loop waits, and so does the copy for the kernels queued before it. pinned: the copy is queued
/// behind the kernels before it and the loop goes on. overlapped: pinned, on a stream of its own, beside the kernels.
enum class BatchCopy : std::uint8_t { pageable, pinned, overlapped };

struct LoaderSpec {
  std::string name = "plain";
  std::int64_t workers = 2;
  std::int64_t prefetch = 2;
  bool persistent = false;
  Duration start_time{100'000'000'000};
  Duration item_time;
  Duration batch_time;
  Duration take_time;
  Bandwidth collate_rate{0};
  BatchCopy copy = BatchCopy::pageable;
  Bandwidth pin_rate{4'000'000'000};
  Bandwidth pageable_rate{4'000'000'000};
  Duration copy_time{6'600'000};
  Duration iteration_time;
  std::int64_t wait_every = 1;
  std::int64_t steps_ahead = 8;
  Duration first_use;
  Bandwidth serialise_rate{650'000'000};
};

inline constexpr EnumName<BatchCopy> batch_copy_names[] = {{"pageable", BatchCopy::pageable},
                                                           {"pinned", BatchCopy::pinned},
                                                           {"overlapped", BatchCopy::overlapped}};

template <class Visitor>
void describe(Visitor& v, LoaderSpec& s) {
  v.text("name", s.name, "the loader's full name");
  v.defaulted("workers", s.workers, within(0, 1'024),
              "worker processes or threads; 0: the training loop loads by itself");
  v.defaulted("prefetch", s.prefetch, within(1, 1'024), "batches ordered ahead for each worker");
  v.defaulted("persistent", s.persistent, any_value, "workers live longer than an epoch");
  v.defaulted("start_time", s.start_time, not_negative, "until new workers begin to load");
  v.defaulted("item_time", s.item_time, not_negative,
              "of a worker for each item, besides the data");
  v.defaulted("batch_time", s.batch_time, not_negative,
              "of a worker for each batch: putting it together, handing it over");
  v.defaulted("take_time", s.take_time, not_negative, "of the training loop to receive a batch");
  v.defaulted("collate_rate", s.collate_rate, not_negative,
              "bytes a second at which a worker copies samples into a batch; 0: in batch_time");
  v.choice("copy", s.copy, batch_copy_names,
           "pageable: the loop waits for copy and kernels; pinned: queued behind the kernels; "
           "overlapped: beside them");
  v.defaulted("pin_rate", s.pin_rate, positive,
              "of the thread that copies batches to pinned memory");
  v.defaulted("pageable_rate", s.pageable_rate, positive,
              "at which the driver copies pageable memory to its own buffers");
  v.defaulted("copy_time", s.copy_time, not_negative, "of a copy whatever its size");
  v.defaulted("iteration_time", s.iteration_time, not_negative,
              "of the training loop for each step, besides its operators");
  v.defaulted("wait_every", s.wait_every, within(0, 1e9),
              "steps after which the loop waits for the device, to read a loss; 0: never");
  v.defaulted("steps_ahead", s.steps_ahead, within(1, 1e6),
              "steps that the loop may be ahead of the device: its queue of launches");
  v.defaulted("first_use", s.first_use, not_negative,
              "once for each device: libraries, contexts, choice of algorithms");
  v.defaulted("serialise_rate", s.serialise_rate, positive,
              "of one core that writes a checkpoint as bytes");
}

/// Reads a loader file's text.
Result<LoaderSpec> load_loader(std::string_view text, const std::string& file);

}  // namespace tantalus
