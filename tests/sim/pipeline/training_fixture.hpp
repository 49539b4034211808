// A small machine for training runs: four cores, 20 GB/s, a solid state disk that a test may leave out.
#pragma once

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "sim/config/document_header.hpp"
#include "sim/hardware/storage/storage_kinds.hpp"
#include "sim/pipeline/training_run.hpp"

namespace tantalus::test {

/// Items that nobody has to read: each costs a worker `item_time`.
inline TrainingSetup in_memory(std::int64_t items, Duration item_time) {
  TrainingSetup setup;
  setup.dataset.items = items;
  setup.dataset.item_bytes = Bytes{784};
  setup.dataset.layout = DataLayout::memory;
  setup.dataset.values = 784;
  setup.dataset.item_time = item_time;
  setup.loader.start_time = Duration{0};
  setup.loader.copy_time = Duration{0};
  setup.host.cores = 4;
  setup.host.memory = Bandwidth{20'000'000'000};
  setup.host.shared_memory = Bytes{8LL << 30};
  setup.device.name = "gpu0";
  setup.device.link = Bandwidth{12'000'000'000};
  setup.step.device = setup.step.busy = Duration{1'000'000'000};
  setup.step.host = Duration{100'000'000};
  setup.batch = 64;
  return setup;
}

/// The plan of a drive's file, without its kind.
inline std::unique_ptr<DevicePlan> drive_of(const DeviceKind& kind, const std::string& text) {
  const Result<Document> document = read_document(text, "drive.yaml", "device");
  REQUIRE(document.ok());
  const LibraryLookup none = [](const std::string& stem) -> Result<DeviceText> {
    return {unknown_device(stem)};
  };
  ReadDevice plan = kind.read({document->body, reading(*document), none});
  REQUIRE(plan.ok());
  return std::move(plan).value();
}

inline std::unique_ptr<DevicePlan> drive(const DeviceKind& kind, const std::string& body) {
  return drive_of(kind, "tantalus: device/1\nsources: {\"*\": test}\n" + body);
}

inline constexpr const char* sata_ssd = R"(
link: {sata: 3}
command_time: 60 us
commands_per_second: 90000
queue_depth: 32
channels: 8
dies_per_channel: 4
page: 8 KiB
read_time: 50 us
program_time: 600 us
channel_rate: 200 MB/s
)";

inline constexpr const char* desktop_hdd = R"(
link: {sata: 3}
turns_per_minute: 7200
seek_time: 8.5 ms
media_rate: 150 MB/s
)";

/// Files on a drive, read by four workers; the page cache holds none of them. The drive must outlive the setup.
inline TrainingSetup on_drive(const DevicePlan& plan, std::int64_t items, Bytes size) {
  TrainingSetup setup = in_memory(items, Duration{100'000'000});
  setup.dataset.layout = DataLayout::files;
  setup.dataset.item_bytes = size;
  setup.storage.drive = &plan;
  setup.loader.workers = 4;
  return setup;
}

inline constexpr Duration milliseconds(std::int64_t count) {
  return Duration{count * 1'000'000'000};
}

}  // namespace tantalus::test
