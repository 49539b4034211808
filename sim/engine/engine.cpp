#include "sim/engine/engine.hpp"

#include <algorithm>

namespace tantalus {

namespace {

// Enough events past the cap to meet every object of a loop that anyone would write.
constexpr int events_to_name = 256;

}  // namespace

RunEnd Engine::run(RunLimits limits) {
  Event current{-1, 0, nullptr, nullptr};
  try {
    return run_events(limits, current);
  } catch (const InvariantError& error) {
    if (current.time < 0) throw;
    throw InvariantError(error.what() + place(current));
  }
}

RunEnd Engine::run_events(const RunLimits& limits, Event& current) {
  const std::int64_t until = limits.until.since_start().count();
  for (std::uint64_t left = limits.max_events; left > 0; --left) {
    if (!queue_.pop(until, current)) {
      if (queue_.empty()) return RunEnd::drained;
      now_ = std::max(now_, until);
      return RunEnd::reached_time;
    }
    if (current.time != now_) {
      now_ = current.time;
      rounds_ = 0;
      round_begin_ = queue_.next_sequence();
    } else if (current.sequence() >= round_begin_) {
      round_begin_ = queue_.next_sequence();
      if (++rounds_ > limits.rounds_per_instant) report_loop(current);
    }
    ++events_called_;
    current.function(current.object, current.argument());
  }
  return queue_.empty() ? RunEnd::drained : RunEnd::reached_event_budget;
}

// Runs a little further to see who takes part, then gives up.
void Engine::report_loop(Event& current) {
  std::vector<std::string_view> seen;
  for (int i = 0; i < events_to_name; ++i) {
    const std::string_view name = name_of(current.object);
    if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
    ++events_called_;
    current.function(current.object, current.argument());
    if (!queue_.pop(now_, current)) break;
  }
  std::string text = "events without delay never end; those in the loop: ";
  for (std::size_t i = 0; i < seen.size(); ++i) {
    text += (i == 0 ? "'" : ", '") + std::string(seen[i]) + "'";
  }
  throw InvariantError(text);
}

void Engine::refuse_past(std::int64_t time) const {
  throw InvariantError("an event is scheduled at " + std::to_string(time) +
                       " ps, before the present " + std::to_string(now_) + " ps");
}

void Engine::name_object(const void* object, std::string name) {
  names_.emplace_back(object, std::move(name));
}

void Engine::forget_object(const void* object) {
  names_.erase(std::remove_if(names_.begin(), names_.end(),
                              [&](const auto& entry) { return entry.first == object; }),
               names_.end());
}

// The latest name wins: a base names the object first, a port or a device may say it better.
std::string_view Engine::name_of(const void* object) const {
  const auto found = std::find_if(names_.rbegin(), names_.rend(),
                                  [&](const auto& entry) { return entry.first == object; });
  return found == names_.rend() ? std::string_view("an unnamed object") : found->second;
}

std::string Engine::place(const Event& event) const {
  return " [at " + std::to_string(event.time) + " ps, event " + std::to_string(events_called_) +
         ", in '" + std::string(name_of(event.object)) + "']";
}

}  // namespace tantalus
