#include "sim/hardware/cache/access_patterns.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

namespace tantalus {

namespace {

constexpr std::uint32_t element = 4;
constexpr std::uint64_t page = 4096;
constexpr std::int64_t line = 64;

/// Collects accesses and hands them over when there are enough for a call not to matter. When the sink wants no more the rest
/// is dropped; loops ask `done` where that saves them much.
class Writer {
 public:
  explicit Writer(const AccessSink& sink) : sink_(sink) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { flush(); }

  void load(std::uint64_t address) { put({address, element, AccessKind::load, 0}); }
  void store(std::uint64_t address) { put({address, element, AccessKind::store, 0}); }
  bool done() const { return done_; }

  /// n loads of each of two rows of elements in turn; steps in bytes.
  void load_pairs(std::uint64_t a, std::uint64_t a_step, std::uint64_t b, std::uint64_t b_step,
                  std::int64_t n) {
    while (n > 0) {
      if (chunk_.size() - size_ < 2) flush();
      const std::int64_t pairs = std::min(n, static_cast<std::int64_t>(chunk_.size() - size_) / 2);
      Access* out = chunk_.data() + size_;
      for (std::int64_t i = 0; i < pairs; ++i, a += a_step, b += b_step) {
        *out++ = {a, element, AccessKind::load, 0};
        *out++ = {b, element, AccessKind::load, 0};
      }
      size_ += static_cast<std::size_t>(2 * pairs);
      n -= pairs;
    }
  }

 private:
  void put(const Access& access) {
    if (size_ == chunk_.size()) flush();
    chunk_[size_++] = access;
  }
  void flush() {
    if (size_ > 0 && !done_) done_ = !sink_({chunk_.data(), size_});
    size_ = 0;
  }

  const AccessSink& sink_;
  std::array<Access, 1024>
      chunk_;  // 16 KiB: stays in the first level of the machine that simulates
  std::size_t size_ = 0;
  bool done_ = false;
};

/// A row-major matrix or a vector in memory.
struct Array {
  std::uint64_t base = 0;
  std::int64_t width = 1;
  std::uint64_t at(std::int64_t row, std::int64_t column) const {
    return base + static_cast<std::uint64_t>(row * width + column) * element;
  }
  std::uint64_t row_bytes() const { return static_cast<std::uint64_t>(width) * element; }
};

/// Hands out arrays one behind the other, each at the start of a page.
class Layout {
 public:
  Array array(std::int64_t rows, std::int64_t width) {
    const Array a{next_, width};
    const auto bytes = static_cast<std::uint64_t>(rows * width) * element;
    next_ += (bytes + page - 1) / page * page;
    return a;
  }

 private:
  std::uint64_t next_ = page;  // nothing lies at address zero
};

class Random {  // a fixed sequence on every machine: a 64-bit congruence, upper bits used
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 32U) * n >> 32U;
  }

 private:
  std::uint64_t state_;
};

struct Block {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

struct Product {  // C[m x n] += A[m x k] B[k x n]
  Array a, b, c;
};

void multiply_block(const Product& p, Block m, Block n, Block k, Writer& out) {
  for (std::int64_t i = m.begin; i < m.end; ++i) {
    for (std::int64_t j = n.begin; j < n.end; ++j) {
      out.load(p.c.at(i, j));
      out.load_pairs(p.a.at(i, k.begin), element, p.b.at(k.begin, j), p.b.row_bytes(), k.size());
      out.store(p.c.at(i, j));
    }
  }
}

void multiply_tiled(const Product& p, std::int64_t m, std::int64_t n, std::int64_t k,
                    std::int64_t tile, Writer& out) {
  const auto block = [&](std::int64_t at, std::int64_t end) {
    return Block{at, std::min(at + tile, end)};
  };
  for (std::int64_t i = 0; i < m && !out.done(); i += tile) {
    for (std::int64_t j = 0; j < n; j += tile) {
      for (std::int64_t l = 0; l < k; l += tile)
        multiply_block(p, block(i, m), block(j, n), block(l, k), out);
    }
  }
}

void multiply_recursive(const Product& p, Block m, Block n, Block k, std::int64_t leaf,
                        Writer& out) {
  const std::int64_t longest = std::max({m.size(), n.size(), k.size()});
  if (out.done()) return;
  if (longest <= leaf) return multiply_block(p, m, n, k, out);
  Block& side = m.size() == longest ? m : n.size() == longest ? n : k;
  const std::int64_t middle = side.begin + side.size() / 2, end = side.end;
  side.end = middle;
  multiply_recursive(p, m, n, k, leaf, out);
  side.begin = middle;
  side.end = end;
  multiply_recursive(p, m, n, k, leaf, out);
}

Product square_product(std::int64_t n) {
  Layout layout;
  const Array a = layout.array(n, n), b = layout.array(n, n);
  return {a, b, layout.array(n, n)};
}

/// What a tap of one output element sees along one axis, or a negative number in the padding.
std::int64_t seen(std::int64_t out, std::int64_t stride, std::int64_t tap, std::int64_t dilation,
                  std::int64_t pad, std::int64_t extent) {
  const std::int64_t at = out * stride + tap * dilation - pad;
  return at < extent ? at : -1;
}

/// The arrays of a convolution of one image; all images share the filters.
class Convolution {
 public:
  Convolution(const ConvShape& shape, Layout& layout)
      : s(shape),
        channels(s.in_ch / s.groups),
        filters_of_group(s.out_ch / s.groups),
        taps(channels * s.kernel_h * s.kernel_w),
        image(layout.array(s.batch * s.in_ch * s.in_h, s.in_w)),
        filters(layout.array(s.out_ch, taps)),
        result(layout.array(s.batch * s.out_ch * s.out_h, s.out_w)) {}

  std::int64_t row_seen(std::int64_t out, std::int64_t tap) const {
    return seen(out, s.stride_h, tap, s.dilation_h, s.pad_h, s.in_h);
  }
  std::int64_t column_seen(std::int64_t out, std::int64_t tap) const {
    return seen(out, s.stride_w, tap, s.dilation_w, s.pad_w, s.in_w);
  }
  std::uint64_t input_at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
    return image.at((n * s.in_ch + c) * s.in_h + y, x);
  }

  const ConvShape s;
  const std::int64_t channels, filters_of_group, taps;
  const Array image, filters, result;
};

void direct_output(const Convolution& conv, std::int64_t n, std::int64_t o, std::int64_t oy,
                   std::int64_t ox, Writer& out) {
  const ConvShape& s = conv.s;
  const std::int64_t first = o / conv.filters_of_group * conv.channels;
  std::int64_t tap = 0;
  for (std::int64_t c = 0; c < conv.channels; ++c) {
    for (std::int64_t ky = 0; ky < s.kernel_h; ++ky) {
      const std::int64_t y = conv.row_seen(oy, ky);
      for (std::int64_t kx = 0; kx < s.kernel_w; ++kx, ++tap) {
        const std::int64_t x = conv.column_seen(ox, kx);
        if (y < 0 || x < 0) continue;
        out.load(conv.input_at(n, first + c, y, x));
        out.load(conv.filters.at(o, tap));
      }
    }
  }
  out.store(conv.result.at((n * s.out_ch + o) * s.out_h + oy, ox));
}

/// One row of the column matrix: what one tap of channel `c` of image `n` sees.
void unfold_tap(const Convolution& conv, const Array& columns, std::int64_t n, std::int64_t c,
                std::int64_t tap, Writer& out) {
  const ConvShape& s = conv.s;
  const std::int64_t ky = tap / s.kernel_w % s.kernel_h, kx = tap % s.kernel_w;
  std::int64_t pixel = 0;
  for (std::int64_t oy = 0; oy < s.out_h; ++oy) {
    const std::int64_t y = conv.row_seen(oy, ky);
    for (std::int64_t ox = 0; ox < s.out_w; ++ox, ++pixel) {
      const std::int64_t x = conv.column_seen(ox, kx);
      if (y >= 0 && x >= 0) out.load(conv.input_at(n, c, y, x));
      out.store(columns.at(tap, pixel));
    }
  }
}

}  // namespace

void stream_pattern(Bytes size, std::int64_t passes, const AccessSink& sink) {
  strided_pattern(size, Bytes{element}, passes, sink);
}

void strided_pattern(Bytes size, Bytes stride, std::int64_t passes, const AccessSink& sink) {
  Writer out(sink);
  for (std::int64_t pass = 0; pass < passes && !out.done(); ++pass) {
    for (std::int64_t at = 0; at < size.count(); at += stride.count())
      out.load(page + static_cast<std::uint64_t>(at));
  }
}

void random_pattern(Bytes size, std::int64_t count, std::uint64_t seed, const AccessSink& sink) {
  Writer out(sink);
  Random random(seed);
  const auto elements = static_cast<std::uint64_t>(size.count()) / element;
  for (std::int64_t i = 0; i < count && !out.done(); ++i)
    out.load(page + random.below(elements) * element);
}

void chase_pattern(Bytes size, std::int64_t passes, std::uint64_t seed, const AccessSink& sink) {
  Writer out(sink);
  Random random(seed);
  std::vector<std::uint32_t> next(
      static_cast<std::size_t>(std::max<std::int64_t>(1, size.count() / line)));
  std::iota(next.begin(), next.end(), 0U);
  for (std::size_t i = next.size() - 1; i > 0; --i) std::swap(next[i], next[random.below(i)]);
  std::size_t at = 0;
  for (std::int64_t step = passes * static_cast<std::int64_t>(next.size()); step > 0 && !out.done();
       --step) {
    out.load(page + at * static_cast<std::uint64_t>(line));
    at = next[at];
  }
}

void naive_matmul_pattern(std::int64_t n, const AccessSink& sink) {
  Writer out(sink);
  const Product p = square_product(n);
  for (std::int64_t i = 0; i < n && !out.done(); ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      out.load_pairs(p.a.at(i, 0), element, p.b.at(0, j), p.b.row_bytes(), n);
      out.store(p.c.at(i, j));
    }
  }
}

void tiled_matmul_pattern(std::int64_t n, std::int64_t tile, const AccessSink& sink) {
  Writer out(sink);
  multiply_tiled(square_product(n), n, n, n, tile, out);
}

void recursive_matmul_pattern(std::int64_t n, std::int64_t leaf, const AccessSink& sink) {
  Writer out(sink);
  multiply_recursive(square_product(n), {0, n}, {0, n}, {0, n}, leaf, out);
}

void direct_conv_pattern(const ConvShape& shape, const AccessSink& sink) {
  Writer out(sink);
  Layout layout;
  const Convolution conv(shape, layout);
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    for (std::int64_t o = 0; o < shape.out_ch; ++o) {
      for (std::int64_t oy = 0; oy < shape.out_h && !out.done(); ++oy) {
        for (std::int64_t ox = 0; ox < shape.out_w; ++ox) direct_output(conv, n, o, oy, ox, out);
      }
    }
  }
}

void im2col_conv_pattern(const ConvShape& shape, std::int64_t tile, const AccessSink& sink) {
  Writer out(sink);
  Layout layout;
  const Convolution conv(shape, layout);
  const std::int64_t pixels = shape.out_h * shape.out_w, rows = conv.filters_of_group;
  const std::int64_t taps_of_channel = shape.kernel_h * shape.kernel_w;
  const Array columns = layout.array(conv.taps, pixels);  // used again by every group and image
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    for (std::int64_t g = 0; g < shape.groups && !out.done(); ++g) {
      for (std::int64_t tap = 0; tap < conv.taps; ++tap)
        unfold_tap(conv, columns, n, g * conv.channels + tap / taps_of_channel, tap, out);
      const std::int64_t first_row = (n * shape.out_ch + g * rows) * shape.out_h;
      const Product product{{conv.filters.at(g * rows, 0), conv.taps},
                            columns,
                            {conv.result.at(first_row, 0), pixels}};
      multiply_tiled(product, rows, pixels, conv.taps, tile, out);
    }
  }
}

}  // namespace tantalus
