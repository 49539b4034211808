#include "sim/pipeline/loader.hpp"

#include <algorithm>

#include "sim/base/check.hpp"
#include "sim/hardware/storage/place_hash.hpp"

namespace tantalus {

namespace {

/// What a worker asks of a shard at once: eight of the system's read-ahead windows, so that a batch is some tens of requests.
constexpr std::int64_t piece_bytes = 1 << 20;

/// ext4 with its defaults: inodes of 256 bytes in blocks of 4 KiB.
constexpr std::int64_t inode_block = 4'096;
constexpr std::uint32_t inodes_of_a_block = 16;

/// Files lie anywhere on the drive: a byte offset below 2^48.
std::uint64_t place_of(std::uint32_t piece) { return place_hash(piece) >> 16; }

/// What preparing an item moves through memory: the stored bytes once, the sample as it is written and read again.
Bandwidth traffic_of(const DatasetSpec& data, Duration work) {
  if (work <= Duration{0}) return Bandwidth{0};
  const Bytes moved = data.item_bytes + sample_bytes(data) * 2;
  return Bandwidth{divide_up(Int128{moved.count()} * picoseconds_per_second, work.count())};
}

StageState stage_of(bool reads, bool works) {
  if (works) return StageState::busy;
  return reads ? StageState::starved : StageState::blocked;
}

}  // namespace

Loader::Loader(const Parts& parts, const DatasetSpec& data, const LoaderSpec& spec,
               LoaderShare share)
    : engine_(parts.engine),
      source_(parts.source),
      cores_(parts.cores),
      order_(parts.order),
      taker_(parts.taker),
      data_(data),
      spec_(spec),
      share_(share),
      work_per_item_(item_work(data.item_bytes)),
      thread_(cores_.open(1, parts.memory, traffic_of(data, work_per_item_))),
      pin_thread_(cores_.open(1, parts.memory, Bandwidth{spec.pin_rate.count() * 2})) {
  std::int64_t count = std::max<std::int64_t>(spec.workers, 1);
  if (data.layout == DataLayout::shards) count = std::min(count, data.shards);
  workers_.resize(static_cast<std::size_t>(count));
  clocks_.assign(workers_.size(), StageClock(StageState::blocked));
}

// ---- The epoch -------------------------------------------------------------------------------------------------------

std::int64_t Loader::batches() const {
  const std::int64_t items = order_.size() - share_.first;
  const std::int64_t all = (items + share_.stride - 1) / share_.stride;
  return share_.most_batches > 0 ? std::min(all, share_.most_batches) : all;
}

std::int64_t Loader::size_of(std::int64_t batch) const {
  return std::min(share_.batch, order_.size() - share_.first - batch * share_.stride);
}

void Loader::begin_epoch() {
  built_.assign(static_cast<std::size_t>(batches()), false);
  taken_ = pinned_ = 0;
  for (std::size_t w = 0; w < workers_.size(); ++w) {
    workers_[w] = Worker{};
    workers_[w].batch = static_cast<std::int64_t>(w);
    workers_[w].doing = Doing::starting;
  }
  const bool at_once = spec_.workers == 0 || (alive_ && spec_.persistent);
  alive_ = true;
  engine_.after(at_once ? Duration{0} : spec_.start_time, {on<&Loader::start_workers>, this});
}

void Loader::start_workers() {
  for (std::uint32_t w = 0; w < workers_.size(); ++w) set(w, Doing::nothing);
  begin_batches();
}

void Loader::ask() {
  asked_ = true;
  if (spec_.workers == 0) begin_batches();
  deliver();
  tell();
}

void Loader::release() {
  if (!pins()) --in_memory_;
}

/// Batches before this one may be begun. Without workers that is the one asked for.
std::int64_t Loader::may_begin() const {
  if (spec_.workers == 0) return asked_ ? taken_ + 1 : taken_;
  return taken_ + spec_.prefetch * active_workers();
}

void Loader::begin_batches() {
  const std::int64_t end = std::min(may_begin(), batches());
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    if (workers_[w].doing == Doing::nothing && workers_[w].batch < end) begin_batch(w);
  }
}

// ---- One batch -------------------------------------------------------------------------------------------------------

Duration Loader::item_work(Bytes stored) const {
  Duration work = prepare_time(data_, stored) + spec_.item_time;
  if (data_.layout != DataLayout::memory) work += source_.cache().copy_time(stored);
  return work;
}

/// What a worker spends on a batch as a whole.
Duration Loader::batch_work(std::int64_t batch) const {
  Duration work = spec_.batch_time;
  if (spec_.collate_rate > Bandwidth{0})
    work += sample_bytes(data_) * size_of(batch) / spec_.collate_rate;
  return work;
}

void Loader::begin_batch(std::uint32_t w) {
  const auto pause = std::find_if(pauses_.begin(), pauses_.end(), [&](const WorkerPause& p) {
    return p.worker == w && engine_.now() >= p.at;
  });
  if (pause == pauses_.end()) return build(w);
  const Duration length = pause->length;
  pauses_.erase(pause);
  set(w, Doing::reading);
  engine_.after(length, {on<&Loader::build>, this, w});
}

void Loader::build(std::uint32_t w) {
  Worker& worker = workers_[w];
  worker.next = static_cast<std::size_t>(share_.first + worker.batch * share_.stride);
  worker.end = worker.next + static_cast<std::size_t>(size_of(worker.batch));
  worker.work = batch_work(worker.batch);
  if (data_.layout == DataLayout::shards) {
    begin_shard(w);
  } else {
    go_on(w);
  }
}

void Loader::work(std::uint32_t w, Action done) {
  set(w, Doing::preparing);
  const Duration gathered = workers_[w].work;
  workers_[w].work = Duration{0};
  cores_.run(thread_, 1, gathered, done);
}

/// Gathers work until an item is not in memory, or to the end.
void Loader::go_on(std::uint32_t w) {
  Worker& worker = workers_[w];
  for (; worker.next < worker.end; ++worker.next) {
    const std::uint32_t item = order_[worker.next];
    const Bytes size = stored_size(data_, item);
    if (data_.layout == DataLayout::files && !source_.in_memory(item, size)) {
      return worker.work > Duration{0} ? work(w, {on<&Loader::read_item>, this, w}) : read_item(w);
    }
    worker.work += data_.spread == 0.0 ? work_per_item_ : item_work(size);
  }
  work(w, {on<&Loader::end_batch>, this, w});
}

/// Opening a file reads its inode's block first, unless that is in memory: files that were made together share blocks.
void Loader::read_item(std::uint32_t w) {
  set(w, Doing::reading);
  const std::uint32_t block = order_[workers_[w].next] / inodes_of_a_block;
  const std::uint32_t piece = order_.size() + block;
  if (source_.inode_in_memory(piece, Bytes{inode_block})) return read_file(w);
  source_.read(piece, place_of(piece), Bytes{inode_block}, false,
               {on<&Loader::read_file>, this, w});
}

void Loader::read_file(std::uint32_t w) {
  const std::uint32_t item = order_[workers_[w].next];
  source_.read(item, place_of(item), stored_size(data_, item), false,
               {on<&Loader::item_read>, this, w});
}

void Loader::item_read(std::uint32_t w) {
  Worker& worker = workers_[w];
  const Bytes size = stored_size(data_, order_[worker.next]);
  worker.work += data_.spread == 0.0 ? work_per_item_ : item_work(size);
  ++worker.next;
  go_on(w);
}

// Shards are read ahead: reading and preparing go on side by side, and the batch is built when both are done. Every piece
// belongs to the batch in which it begins.
void Loader::begin_shard(std::uint32_t w) {
  Worker& worker = workers_[w];
  const std::int64_t item = data_.item_bytes.count();
  const auto first_piece_from = [&](std::size_t place) {
    return static_cast<std::uint64_t>(
        divide_up(Int128{static_cast<std::int64_t>(place)} * item, piece_bytes));
  };
  worker.next_piece = first_piece_from(worker.next);
  worker.end_piece = first_piece_from(worker.end);
  worker.work += work_per_item_ * static_cast<std::int64_t>(worker.end - worker.next);
  worker.working = worker.reading = true;
  work(w, {on<&Loader::shard_worked>, this, w});
  read_piece(w);
}

void Loader::read_piece(std::uint32_t w) {
  Worker& worker = workers_[w];
  for (; worker.next_piece < worker.end_piece; ++worker.next_piece) {
    const auto piece = static_cast<std::uint32_t>(worker.next_piece);
    const bool hit = source_.in_memory(piece, Bytes{piece_bytes});
    const std::uint64_t place = (std::uint64_t{w} << 44) + worker.bytes_into_shard;
    const bool goes_on = worker.bytes_into_shard > 0;
    worker.bytes_into_shard += piece_bytes;
    if (hit) continue;
    return source_.read(piece, place, Bytes{piece_bytes}, goes_on,
                        {on<&Loader::piece_read>, this, w});
  }
  worker.reading = false;
  if (!worker.working) end_batch(w);
}

void Loader::piece_read(std::uint32_t w) {
  ++workers_[w].next_piece;
  read_piece(w);
}

void Loader::shard_worked(std::uint32_t w) {
  workers_[w].working = false;
  if (workers_[w].reading) return set(w, Doing::reading);
  end_batch(w);
}

void Loader::end_batch(std::uint32_t w) {
  Worker& worker = workers_[w];
  built_[static_cast<std::size_t>(worker.batch)] = true;
  worker.batch += active_workers();
  most_in_memory_ = std::max(most_in_memory_, ++in_memory_);
  set(w, Doing::nothing);
  pin();
  deliver();
  begin_batches();
}

void Loader::set(std::uint32_t w, Doing doing) {
  workers_[w].doing = doing;
  const bool works = doing == Doing::preparing || doing == Doing::starting;
  clocks_[w].set(stage_of(doing == Doing::reading, works), engine_.now());
  if (asked_ && taken_ % active_workers() == w) tell();
}

// ---- From worker to training loop ------------------------------------------------------------------------------------

bool Loader::deliverable() const {
  if (taken_ >= batches()) return false;
  return pins() ? taken_ < pinned_ : built_[static_cast<std::size_t>(taken_)];
}

void Loader::pin() {
  if (!pins() || pinning_ || pinned_ >= batches() || !built_[static_cast<std::size_t>(pinned_)])
    return;
  pinning_ = true;
  pin_clock_.set(StageState::busy, engine_.now());
  cores_.run(pin_thread_, 1, sample_bytes(data_) * size_of(pinned_) / spec_.pin_rate,
             {on<&Loader::pinned>, this});
}

void Loader::pinned() {
  ++pinned_;
  --in_memory_;
  pinning_ = false;
  pin_clock_.set(StageState::starved, engine_.now());
  pin();
  deliver();
}

void Loader::deliver() {
  if (!asked_ || !deliverable()) return;
  asked_ = false;
  const std::int64_t samples = size_of(taken_);
  ++taken_;
  taker_.take_batch(samples);
  begin_batches();
}

void Loader::tell() {
  if (!asked_ || deliverable()) return;
  const Doing doing = workers_[static_cast<std::size_t>(taken_ % active_workers())].doing;
  taker_.wait_for_batch(doing == Doing::reading ? Cause::fetch : Cause::prepare);
}

}  // namespace tantalus
