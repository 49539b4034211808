// A buffer of a kernel: where it starts and how many elements it has. On a GPU the size costs a register at most and is not
// looked at; the emulator checks every index against it.
#pragma once

#include <type_traits>

namespace tantalus::kernels {

template <class T>
struct View {
  T* data = nullptr;
  int size = 0;
  View part(int from, int count) const { return {data + from, count}; }
  operator View<const T>() const requires(!std::is_const_v<T>) { return {data, size}; }
};

using Floats = View<float>;
using ConstFloats = View<const float>;

}  // namespace tantalus::kernels
