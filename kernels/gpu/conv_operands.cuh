// A convolution's tensors as operands and results of the tiled product (tiled_product.cuh). Images are N x C x H x W, weights
// O x I x H x W with the I of one group; groups are products of their own. `taps` number the weights of one filter: channel,
// row, column; `pixels` number the outputs: image, row, column.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/gpu/cuda_words.cuh"
#include "kernels/gpu/divisor.cuh"

namespace tantalus::kernels {

struct ConvShape {
  int images = 1, in_ch = 1, in_h = 1, in_w = 1;
  int out_ch = 1, out_h = 1, out_w = 1;
  int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  int pad_h = 0, pad_w = 0, groups = 1;

  __host__ __device__ int channels() const { return in_ch / groups; }  // of one group
  __host__ __device__ int filters() const { return out_ch / groups; }
  __host__ __device__ int taps() const { return channels() * kernel_h * kernel_w; }
  __host__ __device__ int plane() const { return out_h * out_w; }
  __host__ __device__ int pixels() const { return images * plane(); }
};

// ---- The input, unfolded

/// The first value under a filter, which may lie outside of the image.
struct PixelPlace {
  int image = 0, top = 0, left = 0;  // where the image begins; row and column
};
struct TapPlace {
  int channel = 0, down = 0, right = 0;  // where the channel begins in the image
};

class Unfolded {
 public:
  explicit Unfolded(const ConvShape& shape)
      : s_(shape),
        plane_(shape.plane()),
        out_w_(shape.out_w),
        window_(shape.kernel_h * shape.kernel_w),
        kernel_w_(shape.kernel_w) {}

  __device__ PixelPlace pixel(int index) const {
    const int image = plane_.quotient(index);
    const int in_plane = index - image * plane_.value();
    const int h = out_w_.quotient(in_plane);
    const int w = in_plane - h * s_.out_w;
    return {image * s_.in_ch * s_.in_h * s_.in_w, h * s_.stride_h - s_.pad_h,
            w * s_.stride_w - s_.pad_w};
  }
  __device__ TapPlace tap(int index, int group) const {
    const int channel = window_.quotient(index);
    const int in_window = index - channel * window_.value();
    const int down = kernel_w_.quotient(in_window);
    return {(group * s_.channels() + channel) * s_.in_h * s_.in_w, down,
            in_window - down * s_.kernel_w};
  }
  __device__ float load(const ConstFloats& image, const PixelPlace& p, const TapPlace& t,
                        bool inside) const {
    const int h = p.top + t.down;
    const int w = p.left + t.right;
    const bool there = inside && h >= 0 && h < s_.in_h && w >= 0 && w < s_.in_w;
    return TANTALUS_LOAD_IF(there, image, p.image + t.channel + h * s_.in_w + w);
  }

 private:
  ConvShape s_;
  Divisor plane_, out_w_, window_, kernel_w_;
};

/// Forward B: rows are pixels, k are taps.
struct PixelRows {
  static constexpr bool along_k = false;
  struct Row {
    PixelPlace pixel;
    int group = 0;
  };
  ConstFloats x;
  Unfolded unfolded;

  __device__ Row row(int index, int group) const { return {unfolded.pixel(index), group}; }
  __device__ float load(const Row& row, int k, bool inside) const {
    return unfolded.load(x, row.pixel, unfolded.tap(k, row.group), inside);
  }
};

/// Weight gradient B: rows are taps, k are pixels.
struct TapRows {
  static constexpr bool along_k = true;
  using Row = TapPlace;
  ConstFloats x;
  Unfolded unfolded;

  __device__ Row row(int index, int group) const { return unfolded.tap(index, group); }
  __device__ float load(const Row& row, int k, bool inside) const {
    return unfolded.load(x, unfolded.pixel(k), row, inside);
  }
};

// ---- The output, and its gradient

/// Where the values of filters and pixels lie.
class OutputPlaces {
 public:
  explicit OutputPlaces(const ConvShape& shape)
      : filters_(shape.filters()), all_filters_(shape.out_ch), plane_(shape.plane()) {}

  /// Of filter 0 of the group.
  __device__ int pixel(int index, int group) const {
    const int image = plane_.quotient(index);
    const int in_plane = index - image * plane_.value();
    return (image * all_filters_ + group * filters_) * plane_.value() + in_plane;
  }
  __device__ int filter(int index) const { return index * plane_.value(); }

 private:
  int filters_, all_filters_;
  Divisor plane_;
};

/// Weight gradient A: rows are filters, k are pixels.
struct FilterRows {
  static constexpr bool along_k = true;
  struct Row {
    int filter = 0, group = 0;
  };
  ConstFloats dy;
  OutputPlaces places;

  __device__ Row row(int index, int group) const { return {places.filter(index), group}; }
  __device__ float load(const Row& row, int k, bool inside) const {
    return TANTALUS_LOAD_IF(inside, dy, row.filter + places.pixel(k, row.group));
  }
};

/// B of the columns' gradient: rows are pixels, k are filters.
struct OutputPixelRows {
  static constexpr bool along_k = false;
  using Row = int;
  ConstFloats dy;
  OutputPlaces places;

  __device__ Row row(int index, int group) const { return places.pixel(index, group); }
  __device__ float load(Row row, int k, bool inside) const {
    return TANTALUS_LOAD_IF(inside, dy, row + places.filter(k));
  }
};

/// Forward C: rows are filters, columns are pixels.
struct OutputStore {
  using Column = int;
  Floats y;
  OutputPlaces places;

  __device__ Column column(int index, int group) const { return places.pixel(index, group); }
  __device__ void put(int row, Column column, int /*part*/, bool inside, float value) const {
    TANTALUS_STORE_IF(inside, y, column + places.filter(row), value);
  }
};

// ---- The gradient of the input, without columns

// With a stride, each input is reached by one tap in `stride` a direction only. Inputs that leave the same remainder have
// the same taps and are a product of their own: `group` numbers groups, then the remainders of rows, then of columns. Where a
// filter is smaller than its stride, some of these products have no tap and give zeros.
class Reached {
 public:
  explicit Reached(const ConvShape& shape)
      : s_(shape),
        rows_((shape.in_h - 1) / shape.stride_h + 1),
        columns_((shape.in_w - 1) / shape.stride_w + 1),
        taps_down_((shape.kernel_h - 1) / shape.stride_h + 1),
        taps_right_((shape.kernel_w - 1) / shape.stride_w + 1),
        plane_(rows_ * columns_),
        row_(columns_),
        window_(taps_down_ * taps_right_),
        tap_row_(taps_right_) {}

  int products() const { return s_.groups * s_.stride_h * s_.stride_w; }
  int inputs() const { return s_.images * plane_.value(); }  // of one product
  int depth() const { return s_.filters() * window_.value(); }

  __device__ int group_of(int product) const { return product / (s_.stride_h * s_.stride_w); }
  __device__ int row_remainder(int product) const { return product / s_.stride_w % s_.stride_h; }
  __device__ int column_remainder(int product) const { return product % s_.stride_w; }

  struct Input {
    int image = 0, h = 0, w = 0;
  };
  __device__ Input input(int index, int product) const {
    const int image = plane_.quotient(index);
    const int in_plane = index - image * plane_.value();
    const int h = row_.quotient(in_plane);
    return {image, h * s_.stride_h + row_remainder(product),
            (in_plane - h * row_.value()) * s_.stride_w + column_remainder(product)};
  }
  __device__ bool is_there(const Input& in) const { return in.h < s_.in_h && in.w < s_.in_w; }

  /// A filter and the weight of it that reaches the inputs of the product.
  struct Tap {
    int filter = 0, down = 0, right = 0;
  };
  __device__ Tap tap(int index, int product) const {
    const int filter = window_.quotient(index);
    const int in_window = index - filter * window_.value();
    const int down = tap_row_.quotient(in_window);
    const int right = in_window - down * tap_row_.value();
    return {filter, (row_remainder(product) + s_.pad_h) % s_.stride_h + down * s_.stride_h,
            (column_remainder(product) + s_.pad_w) % s_.stride_w + right * s_.stride_w};
  }
  __device__ bool is_there(const Tap& t) const {
    return t.down < s_.kernel_h && t.right < s_.kernel_w;
  }
  __device__ const ConvShape& shape() const { return s_; }

 private:
  ConvShape s_;
  int rows_, columns_, taps_down_, taps_right_;
  Divisor plane_, row_, window_, tap_row_;
};

/// A: rows are channels, k are filters and their taps.
struct ChannelRows {
  static constexpr bool along_k = true;
  struct Row {
    int channel = 0, product = 0;
  };
  ConstFloats w;
  Reached reached;

  __device__ Row row(int index, int product) const { return {index, product}; }
  __device__ float load(const Row& row, int k, bool inside) const {
    const ConvShape& s = reached.shape();
    const Reached::Tap tap = reached.tap(k, row.product);
    const int filter = reached.group_of(row.product) * s.filters() + tap.filter;
    const int at = ((filter * s.channels() + row.channel) * s.kernel_h + tap.down) * s.kernel_w;
    return TANTALUS_LOAD_IF(inside && reached.is_there(tap), w, at + tap.right);
  }
};

/// B: rows are inputs, k are filters and their taps.
struct InputRows {
  static constexpr bool along_k = false;
  struct Row {
    Reached::Input input;
    int product = 0;
  };
  ConstFloats dy;
  Reached reached;

  __device__ Row row(int index, int product) const {
    return {reached.input(index, product), product};
  }
  __device__ float load(const Row& row, int k, bool inside) const {
    const ConvShape& s = reached.shape();
    const Reached::Tap tap = reached.tap(k, row.product);
    // Both differences are whole multiples of the stride; a negative one is outside, whatever it divides to.
    const int down = row.input.h + s.pad_h - tap.down;
    const int right = row.input.w + s.pad_w - tap.right;
    const int h = down / s.stride_h;
    const int w = right / s.stride_w;
    const bool there = inside && down >= 0 && right >= 0 && h < s.out_h && w < s.out_w;
    const int filter = reached.group_of(row.product) * s.filters() + tap.filter;
    const int at = (row.input.image * s.out_ch + filter) * s.out_h + h;
    return TANTALUS_LOAD_IF(there, dy, at * s.out_w + w);
  }
};

/// C: rows are channels, columns are inputs.
struct InputStore {
  struct Column {
    int at = 0;
    bool there = false;
  };
  Floats dx;
  Reached reached;

  __device__ Column column(int index, int product) const {
    const ConvShape& s = reached.shape();
    const Reached::Input in = reached.input(index, product);
    const int first = reached.group_of(product) * s.channels();
    return {((in.image * s.in_ch + first) * s.in_h + in.h) * s.in_w + in.w, reached.is_there(in)};
  }
  __device__ void put(int row, const Column& column, int /*part*/, bool inside, float value) const {
    const ConvShape& s = reached.shape();
    TANTALUS_STORE_IF(inside && column.there, dx, column.at + row * s.in_h * s.in_w, value);
  }
};

}  // namespace tantalus::kernels
