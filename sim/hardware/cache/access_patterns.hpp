// Address streams of well-known programs, made on the fly and handed over in chunks, so that their length costs no memory.
// Elements are fp32. Arrays follow one another, each at the start of a page; sizes in elements unless they say bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "sim/base/units.hpp"
#include "sim/hardware/cache/access.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// Takes the next accesses of a pattern; the span is valid during the call. False: no more, please.
using AccessSink = std::function<bool(std::span<const Access>)>;

/// Loads every element of `size` bytes in order, `passes` times.
void stream_pattern(Bytes size, std::int64_t passes, const AccessSink& sink);
/// Loads one element every `stride` bytes of `size` bytes, `passes` times.
void strided_pattern(Bytes size, Bytes stride, std::int64_t passes, const AccessSink& sink);
/// Loads `count` elements drawn evenly from `size` bytes.
void random_pattern(Bytes size, std::int64_t count, std::uint64_t seed, const AccessSink& sink);
/// Follows one cycle through all lines of 64 bytes of `size` bytes (Sattolo's shuffle), `passes` times. At most 2^32 lines.
void chase_pattern(Bytes size, std::int64_t passes, std::uint64_t seed, const AccessSink& sink);

/// C = A x B, all n x n and row by row: for each element of C the sum over k in a register, then one store.
void naive_matmul_pattern(std::int64_t n, const AccessSink& sink);
/// The same in blocks of tile x tile; C is loaded and stored once a k-block. Edges may be shorter.
void tiled_matmul_pattern(std::int64_t n, std::int64_t tile, const AccessSink& sink);
/// The same by halving the longest side down to `leaf` (cache-oblivious).
void recursive_matmul_pattern(std::int64_t n, std::int64_t leaf, const AccessSink& sink);

/// A convolution, image by image, channels first. For each output element: all taps of all channels, the sum in a register,
/// one store. Padding is not loaded.
void direct_conv_pattern(const ConvShape& shape, const AccessSink& sink);
/// The column matrix of an image is written, group by group, then multiplied by the filters with the loops of
/// tiled_matmul_pattern.
void im2col_conv_pattern(const ConvShape& shape, std::int64_t tile, const AccessSink& sink);

}  // namespace tantalus
