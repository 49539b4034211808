#include "models/dnn/shape.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

Window window(std::int64_t kernel, std::int64_t stride = 1, std::int64_t pad = 0,
              std::int64_t dilation = 1, bool ceil = false) {
  return {kernel, stride, pad, dilation, ceil};
}

TEST_CASE("windows are counted as floor((in + 2 pad - span) / stride) + 1") {
  CHECK(windows(28, window(5)) == 24);
  CHECK(windows(28, window(5, 1, 2)) == 28);
  CHECK(windows(224, window(11, 4, 2)) == 55);  // (224 + 4 - 11) / 4 = 54.25
  CHECK(windows(227, window(11, 4)) == 55);
  CHECK(windows(112, window(3, 2, 1)) == 56);
  CHECK(windows(32, window(3, 1, 2, 2)) == 32);  // dilation 2 makes a kernel of 3 span 5
}

TEST_CASE("a window as large as the padded input fits once, a larger one never") {
  CHECK(windows(5, window(5)) == 1);
  CHECK(windows(4, window(5)) == 0);
  CHECK(windows(1, window(3, 2, 1)) == 1);
}

TEST_CASE("rounding up keeps a window that only partly fits") {
  CHECK(windows(6, window(3, 2, 0, 1, false)) == 2);
  CHECK(windows(6, window(3, 2, 0, 1, true)) == 3);
  CHECK(windows(7, window(3, 2, 0, 1, true)) == 3);  // fits exactly: nothing to keep
}

TEST_CASE("rounding up drops a window that would begin in the right padding") {
  // Input 5, kernel 2, stride 2, padding 1: ceil(5 / 2) + 1 = 4, but the fourth window begins at 6 of 1 + 5.
  CHECK(windows(5, window(2, 2, 1, 1, true)) == 3);
}

TEST_CASE("a shape knows its elements, rows and words") {
  const Shape image{Layout::image, {6, 24, 24}};
  const Shape sequence{Layout::sequence, {1024, 768}};
  CHECK(image.elements() == 3'456);
  CHECK(sequence.rows() == 1'024);
  CHECK(to_text(image) == "6 x 24 x 24 image");
  CHECK(to_text(sequence) == "1024 x 768 sequence");
  CHECK(to_text({Layout::heads, {12, 1024, 64}}) == "12 x 1024 x 64 heads");
  CHECK(to_text({Layout::features, {400}}) == "vector of 400");
}

}  // namespace
}  // namespace tantalus
