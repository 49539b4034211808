#include "kernels/host_cuda/block.hpp"

#include <algorithm>

#include "kernels/host_cuda/fault.hpp"

namespace tantalus::emulate {

using kernels::Dim3;
using kernels::LaunchShape;

namespace {

std::string text_of(Dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

Dim3 place_in(Dim3 size, unsigned linear) {
  return {linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

}  // namespace

constinit thread_local Position position;

Block::Block(const std::string& kernel, const LaunchShape& shape, const std::function<void()>& body,
             TrafficRecorder* recorder)
    : kernel_(kernel), shape_(shape), body_(body), recorder_(recorder) {
  const auto threads = static_cast<std::size_t>(shape.block.count());
  threads_.resize(threads);
  warps_.resize((threads + warp_lanes - 1) / warp_lanes);
}

void Block::run(Dim3 index, Order order) {
  position = {{}, index, shape_.block, shape_.grid};
  reset();
  while (somebody_can_run()) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      step(threads_[order == Order::ascending ? i : threads_.size() - 1 - i]);
      if (fault_) std::rethrow_exception(fault_);
    }
  }
  if (recorder_ != nullptr) recorder_->close_requests();
}

void Block::reset() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const auto linear = static_cast<int>(i);
    Thread& thread = threads_[i];
    thread = {place_in(shape_.block, static_cast<unsigned>(i)),
              Waiting::no,
              0,
              linear / warp_lanes,
              linear % warp_lanes,
              nullptr};
  }
  for (WarpExchange& warp : warps_) warp.clear();
  shared_.poison();
  if (recorder_ != nullptr) recorder_->begin_block(static_cast<int>(warps_.size()));
}

bool Block::somebody_can_run() {
  const Census found = census();
  if (found.at_barrier + found.at_lanes + found.done < threads_.size()) return true;
  if (found.done == threads_.size()) return false;
  current_ = nullptr;
  check_barrier(found);
  open_barrier();
  return true;
}

Block::Census Block::census() const {
  Census found;
  for (const Thread& thread : threads_) {
    if (thread.waiting == Waiting::no) continue;
    if (thread.waiting == Waiting::done) {
      ++found.done;
      continue;
    }
    (thread.waiting == Waiting::barrier ? found.at_barrier : found.at_lanes) += 1;
    if (found.example == nullptr || thread.waiting == Waiting::lanes) found.example = &thread;
  }
  return found;
}

void Block::check_barrier(const Census& found) const {
  const std::string line = std::to_string(found.example->line);
  if (found.at_lanes > 0) {
    throw Fault(who() + ": thread " + text_of(found.example->index) + " waits in a shuffle (line " +
                line + ") for lanes that never come: " + std::to_string(found.done) +
                " threads have ended, " + std::to_string(found.at_barrier) + " wait at a barrier");
  }
  if (found.at_barrier < threads_.size()) {
    throw Fault(who() + ": divergent barrier (line " + line +
                "): " + std::to_string(found.at_barrier) + " of " +
                std::to_string(threads_.size()) + " threads wait, the others have ended");
  }
  for (const Thread& thread : threads_) {
    if (thread.line != found.example->line) {
      throw Fault(who() + ": divergent barrier: thread " + text_of(found.example->index) +
                  " waits at line " + line + ", thread " + text_of(thread.index) + " at line " +
                  std::to_string(thread.line));
    }
  }
}

void Block::open_barrier() {
  for (Thread& thread : threads_) thread.waiting = Waiting::no;
  if (recorder_ != nullptr) recorder_->close_requests();
}

void Block::step(Thread& thread) {
  if (thread.waiting != Waiting::no) return;
  current_ = &thread;
  position.thread = thread.index;
  if (thread.fiber == nullptr) thread.fiber = take_fiber();
  thread.fiber->resume();
  if (thread.waiting == Waiting::done) {
    free_.push_back(thread.fiber);
    thread.fiber = nullptr;
  }
}

void Block::wait(Waiting what, int line) {
  Thread& thread = *current_;
  thread.waiting = what;
  thread.line = line;
  thread.fiber->suspend();
}

Fiber* Block::take_fiber() {
  if (free_.empty()) {
    fibers_.push_back(std::make_unique<Fiber>());
    fibers_.back()->prepare(&Block::run_threads, this);
    free_.push_back(fibers_.back().get());
  }
  Fiber* const fiber = free_.back();
  free_.pop_back();
  return fiber;
}

// A fiber runs one thread after the other; it is free whenever its thread has ended.
void Block::run_threads(void* argument) {
  auto& block = *static_cast<Block*>(argument);
  for (;;) {
    try {
      block.body_();
    } catch (...) {
      block.fault_ = std::current_exception();
    }
    block.wait(Waiting::done, 0);
  }
}

std::uint64_t Block::exchange(unsigned mask, std::uint64_t bits, int source, int line) {
  const Thread& me = *current_;
  if ((mask >> me.lane & 1U) == 0)
    throw Fault(who() + ": shuffles with a mask that leaves its own lane out");
  if ((mask & ~lanes_of(me.warp)) != 0)
    throw Fault(who() + ": shuffles with a mask of more lanes than its warp has");
  if (source < 0 || source >= warp_lanes || (mask >> source & 1U) == 0)
    throw Fault(who() + ": reads lane " + std::to_string(source) +
                ", which is not in the shuffle's mask");
  WarpExchange& warp = warps_[static_cast<std::size_t>(me.warp)];
  const WarpExchange::Ticket ticket = warp.put(mask, me.lane, bits);
  if (warp.is_complete(ticket)) {
    release_lanes(me.warp, mask);
  } else {
    wait(Waiting::lanes, line);
  }
  return warp.take(ticket, source);
}

void Block::release_lanes(int warp, unsigned mask) {
  const std::size_t first = static_cast<std::size_t>(warp) * warp_lanes;
  const std::size_t end = std::min(threads_.size(), first + warp_lanes);
  for (std::size_t i = first; i < end; ++i) {
    Thread& thread = threads_[i];
    if (thread.waiting == Waiting::lanes && (mask >> thread.lane & 1U) != 0)
      thread.waiting = Waiting::no;
  }
}

unsigned Block::lanes_of(int warp) const {
  const std::size_t lanes = threads_.size() - static_cast<std::size_t>(warp) * warp_lanes;
  return lanes >= warp_lanes ? ~0U : (1U << lanes) - 1U;
}

void* Block::shared_array(const char* name, int line, std::size_t bytes) {
  void* const array = shared_.array(name, line, bytes);
  if (array == nullptr) {
    throw Fault(who() + ": " + std::to_string(shared_.bytes()) +
                " bytes of shared memory, but a block has " + std::to_string(most_shared_bytes));
  }
  return array;
}

void Block::record(AccessKind kind, int line, const char* buffer, const void* address,
                   unsigned bytes, bool active) {
  recorder_->access(current_->warp, current_->lane, kind, line, buffer, address, bytes, active);
}

std::string Block::who() const {
  std::string text = kernel_ + ", block " + text_of(position.block);
  if (current_ != nullptr) text += ", thread " + text_of(current_->index);
  return text;
}

}  // namespace tantalus::emulate
