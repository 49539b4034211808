#include "validate/predicted_choice.hpp"

#include <doctest/doctest.h>

namespace tantalus::validation {
namespace {

using kernels::ProductChoice;
using kernels::TileShape;

TEST_CASE("a predicted kernel's name says its tile and in how many parts its depth is cut") {
  const auto choice = choice_from({"gemm_fp32_64x128_split4", "split_reduction", "add_bias"});
  REQUIRE(choice);
  CHECK(choice->tile == TileShape::m64n128);
  CHECK(choice->split == 4);
  CHECK_FALSE(choice->columns);
}

TEST_CASE("a product beside a column matrix is one by im2col") {
  CHECK(choice_from({"im2col", "gemm_fp32_32x32"})->columns);
  CHECK(choice_from({"gemm_fp32_32x32", "col2im"})->columns);
  CHECK_FALSE(choice_from({"implicit_gemm_fp32_16x128", "add_bias"})->columns);
}

TEST_CASE("kernels of other libraries give no choice") {
  CHECK_FALSE(choice_from({"relu"}));
  CHECK_FALSE(choice_from({"gemm_fp32_256x128"}));
  CHECK_FALSE(choice_from({"gemm_fp16_matrix_128x128"}));
}

}  // namespace
}  // namespace tantalus::validation
