// A buffer of a kernel: where it starts and how many elements it has. On a GPU the size costs a register at most and is not
// looked at; the emulator checks every index against it.
#pragma once

#include <type_traits>

namespace tantalus::kernels {

template <class T>
struct View {
  T* data = nullptr;
  int size = 0;

  View() = default;
  View(T* start, int count) : data(start), size(count) {}
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): what may be written may be read.
  View(const View<U>& other) requires(std::is_same_v<const U, T>)
      : data(other.data), size(other.size) {}
};

using Floats = View<float>;
using ConstFloats = View<const float>;

}  // namespace tantalus::kernels
