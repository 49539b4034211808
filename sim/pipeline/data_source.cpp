#include "sim/pipeline/data_source.hpp"

#include <utility>

#include "sim/base/check.hpp"

namespace tantalus {

DataSource::DataSource(Engine& engine, DeviceId id, std::string name, PageCache cache,
                       std::size_t drives)
    : Component(engine, id, std::move(name)), cache_(std::move(cache)) {
  for (std::size_t i = 0; i < drives; ++i) channels_.push_back(std::make_unique<Channel>(this));
}

void DataSource::list_ports(PortList& ports) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    ports.add("requests " + std::to_string(i), channels_[i]->requests);
    ports.add("done " + std::to_string(i), channels_[i]->done);
  }
}

bool DataSource::in_memory(std::uint32_t piece, Bytes size) {
  ++reads_;
  const bool hit = cache_.read(piece, size);
  hits_ += hit ? 1 : 0;
  return hit;
}

void DataSource::read(std::uint32_t piece, std::uint64_t place, Bytes size, bool sequential,
                      Action done) {
  from_storage_ += size;
  StorageRequest request;
  request.size = size;
  request.place = place;
  request.sequential = sequential;
  ask(piece % channels_.size(), request, done);
}

void DataSource::write(std::uint64_t place, Bytes size, bool sequential, Action done) {
  StorageRequest request;
  request.size = size;
  request.place = place;
  request.kind = StorageRequest::Kind::write;
  request.sequential = sequential;
  ask(0, request, done);
}

void DataSource::ask(std::size_t drive, StorageRequest request, Action done) {
  TANTALUS_CHECK(drive < channels_.size(), "what is not in memory lies on a drive");
  if (free_tags_.empty()) {
    free_tags_.push_back(static_cast<std::uint32_t>(waiting_.size()));
    waiting_.push_back(done);
  }
  request.tag = free_tags_.back();
  free_tags_.pop_back();
  waiting_[request.tag] = done;
  if (under_way_++ == 0) clock_.set(StageState::busy, engine().now());
  channels_[drive]->requests.send(request);
}

void DataSource::answer(const StorageDone& done) {
  if (--under_way_ == 0) clock_.set(StageState::starved, engine().now());
  free_tags_.push_back(done.tag);
  waiting_[done.tag]();
}

}  // namespace tantalus
