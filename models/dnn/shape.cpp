#include "models/dnn/shape.hpp"

namespace tantalus {

std::int64_t Shape::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) product *= dim;
  return product;
}

std::string to_text(const Shape& shape) {
  if (shape.layout == Layout::features) return "vector of " + std::to_string(shape.dims.front());
  std::string text;
  for (const std::int64_t dim : shape.dims) {
    text += (text.empty() ? "" : " x ") + std::to_string(dim);
  }
  switch (shape.layout) {
    case Layout::image:
      return text + " image";
    case Layout::heads:
      return text + " heads";
    default:
      return text + " sequence";
  }
}

std::int64_t windows(std::int64_t in, const Window& window) {
  const std::int64_t room = in + 2 * window.pad - window.span();
  if (room < 0) return 0;
  std::int64_t count = room / window.stride + 1;
  const bool partial = window.ceil && room % window.stride != 0;
  if (partial && count * window.stride < in + window.pad) ++count;
  return count;
}

}  // namespace tantalus
