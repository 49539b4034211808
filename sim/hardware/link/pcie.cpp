#include "sim/hardware/link/pcie.hpp"

#include <array>

#include "sim/base/check.hpp"

namespace tantalus {

namespace {

struct Share {
  std::int64_t useful, sent;
};

// Line coding of the physical layer (PCI Express Base Specification): 8b/10b up to generation 2, 128b/130b up to 5; from
// generation 6 on a flit of 256 bytes carries 242 that are neither check sums nor error correction.
Share coding(std::int64_t generation) {
  if (generation <= 2) return {8, 10};
  return generation <= 5 ? Share{128, 130} : Share{242, 256};
}

// Acknowledgements, flow control updates and skip symbols, for packets of 256 bytes: the pcie-bench model (Neugebauer et al.,
// Understanding PCIe performance for end host networking, SIGCOMM 2018). Its tables give x16 and x4; x8 is their middle.
Share data_link(std::int64_t generation, std::int64_t lanes) {
  if (generation == 1) return {775, 1000};
  if (generation == 2) return {867, 1000};
  if (lanes >= 16) return {902, 1000};
  return lanes >= 8 ? Share{912, 1000} : Share{922, 1000};
}

// A completion with data: 4 bytes of framing, 4 of sequence number and link check sum together with their alignment, and a
// header of 12 (same source). The other direction, posted writes with 64-bit addresses, has 4 more: 1.4 % at 256 bytes.
constexpr Share packet{256, 256 + 20};

Int128 times(Int128 rate, Share share) { return rate * share.useful / share.sent; }

}  // namespace

TransferRate pcie_lane_rate(std::int64_t generation) {
  constexpr std::array<std::int64_t, 7> megatransfers{2'500,  5'000,  8'000,  16'000,
                                                      32'000, 64'000, 128'000};
  TANTALUS_CHECK(generation >= 1 && generation <= 7, "a PCIe generation lies between 1 and 7");
  return TransferRate{megatransfers[static_cast<std::size_t>(generation - 1)] * 1'000'000};
}

Bandwidth pcie_bandwidth(std::int64_t generation, std::int64_t lanes) {
  const Bandwidth raw = BitWidth{lanes} * pcie_lane_rate(generation);
  Int128 rate = times(raw.count(), coding(generation));
  rate = times(rate, data_link(generation, lanes));
  return Bandwidth{static_cast<std::int64_t>(times(rate, packet))};
}

}  // namespace tantalus
