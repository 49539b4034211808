#include "kernels/host_cuda/warp_exchange.hpp"

namespace tantalus::emulate {

std::size_t WarpExchange::set_of(unsigned mask) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    if (sets_[i].mask == mask) return i;
  }
  sets_.emplace_back().mask = mask;
  return sets_.size() - 1;
}

WarpExchange::Ticket WarpExchange::put(unsigned mask, int lane, std::uint64_t bits) {
  const auto index = static_cast<std::size_t>(lane);
  Ticket ticket;
  ticket.set = set_of(mask);
  Set& set = sets_[ticket.set];
  ticket.half = set.round[index]++ & 1U;
  set.bits[ticket.half][index] = bits;
  set.arrived[ticket.half] |= 1U << index;
  if (is_complete(ticket)) set.arrived[1 - ticket.half] = 0;
  return ticket;
}

bool WarpExchange::is_complete(Ticket ticket) const {
  const Set& set = sets_[ticket.set];
  return set.arrived[ticket.half] == set.mask;
}

std::uint64_t WarpExchange::take(Ticket ticket, int lane) const {
  return sets_[ticket.set].bits[ticket.half][static_cast<std::size_t>(lane)];
}

}  // namespace tantalus::emulate
