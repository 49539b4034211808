#include "kernels/program.hpp"

#include <doctest/doctest.h>

namespace tantalus::kernels {
namespace {

TEST_CASE("taps that hang over the image's edge are not counted") {
  // 5 wide, kernel 3, pad 1: the first and the last of 5 outputs miss one tap each.
  CHECK(taps_inside(5, 5, 3, 1, 1, 1) == 5 * 3 - 2);
  // Stride 2, no padding: outputs 0 and 2 see all three taps.
  CHECK(taps_inside(5, 2, 3, 2, 0, 1) == 6);
}

TEST_CASE("a convolution counts two FLOPs for each tap inside the image") {
  ConvSize conv;
  conv.batch = 2, conv.in_ch = 4, conv.in_h = conv.in_w = 5, conv.out_ch = 6;
  conv.out_h = conv.out_w = 5, conv.kernel_h = conv.kernel_w = 3, conv.pad_h = conv.pad_w = 1;
  conv.groups = 2;

  const double flops = flops_of(Step{"conv", Direction::forward, conv, {}});

  CHECK(flops == 2.0 * 2 * 6 * (4 / 2) * 13 * 13);
}

TEST_CASE("a tensor that has two roles in a step is counted once") {
  Program program;
  program.tensor_bytes = {400, 100};
  Step step{"sum", Direction::forward, ElementSize{ElementKind::add, 100}, {}};
  step.at.x = 0, step.at.x2 = 0, step.at.y = 1;

  CHECK(bytes_of(step, program) == 500.0);
}

}  // namespace
}  // namespace tantalus::kernels
