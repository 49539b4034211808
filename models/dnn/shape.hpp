// Shapes of one sample, and the arithmetic of sliding windows. No layer names, no batch: whoever needs bytes multiplies by
// the batch and the size of an element. All counts are exact; limits (layers.hpp) keep every product inside 64 bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tantalus {

/// What the dimensions mean; a layer says which layouts it takes.
enum class Layout : std::uint8_t {
  features,  // {length}
  sequence,  // {positions, width}
  image,     // {channels, height, width}
  heads,     // {heads, positions, width}: attention
};

struct Shape {
  Layout layout = Layout::features;
  std::vector<std::int64_t> dims;

  std::int64_t elements() const;
  std::int64_t last() const { return dims.back(); }
  /// Product of all dimensions but the last: the rows that a row-wise layer sees.
  std::int64_t rows() const { return elements() / last(); }
  bool operator==(const Shape&) const = default;
};

/// "6 x 24 x 24 image", "1024 x 768 sequence", "vector of 400".
std::string to_text(const Shape& shape);

/// One axis of a convolution or pooling.
struct Window {
  std::int64_t kernel = 1, stride = 1, pad = 0, dilation = 1;
  bool ceil =
      false;  // keep a last window that only partly fits, if it begins inside the input or its left padding

  /// From the first tap to the last.
  std::int64_t span() const { return (kernel - 1) * dilation + 1; }
};

/// Windows along an axis of `in`: floor((in + 2 pad - span) / stride) + 1; 0 when not even one fits. With `ceil`, the
/// quotient is rounded up, but a window that would begin in the right padding is dropped (as PyTorch, Caffe and ONNX do).
std::int64_t windows(std::int64_t in, const Window& window);

}  // namespace tantalus
