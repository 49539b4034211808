// A CPU kernel catalogue as its YAML file describes it (`tantalus: library/1`, `kind: cpu`): what a BLAS or DNN library on a
// certain instruction set spends, in cycles, on the inner loops that docs/modelling.md ("CPU kernels") names. It knows no
// machine: clocks, cores, caches and memory come from CpuSpec. Every constant names its source in the file.
//
// "Cycles of a loop" count one vector of `vector` bits when `loops.vectorised`, one element otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/hardware/doubt.hpp"

namespace tantalus {

/// Matrix products. The library computes column-major, so its inner tile is `mr` wide along n and `nr` along m of a
/// row-major C[m x n].
struct CpuGemmSpec {
  std::int64_t mr = 0, nr = 0;
  Fraction efficiency{0.97};  // of the multiply-add rate, inner kernel on packed panels
  std::optional<Fraction> threaded_efficiency;  // the same on all cores; derived: efficiency
  double pack_a = 0, pack_b = 0;                // cycles an element of A (m x k) and B (k x n)
  std::optional<double> pack_transposed;  // cycles an element of a transposed B; derived: pack_b
  double update_c = 0;                    // cycles an element of C, once per k_block
  std::int64_t k_block = 384;
  std::int64_t unpacked_below = 0;       // products with m x n x k up to this are not packed ...
  std::int64_t unpacked_transposed = 0;  // ... with B transposed only when m x n is at most this
  Fraction unpacked_efficiency{0.92};
  std::optional<Fraction>
      edge;                   // part of a tile's time that each power of two of a rest of n takes
  Fraction packed_rate{1.0};  // share of main memory's rate that packing of large B reaches
  std::optional<Fraction>
      aliased_rate;            // with rows of B a multiple of 4 KiB apart; derived: packed_rate
  std::int64_t row_block = 0;  // rows of A for which B is streamed once; 0: all
  Fraction aliased_efficiency{1.0};  // rows of C a multiple of 4 KiB apart fall into few sets of L1
  Duration call{80'000};
  double cold_lines =
      12;  // of code, arguments and descriptors that a call waits for, one after the other
  Fraction exposed{1.0};       // overlap of compute and memory: 0 hidden, 1 added
  std::int64_t thin_rows = 0;  // below so many rows of A ...
  Fraction thin_exposed{1.0};  // ... memory overlaps this well instead
};

/// Direct convolution on a channel-blocked layout.
struct CpuDirectConvSpec {
  std::vector<Fraction>
      block_efficiency;          // of the rate with 1, 2, ... channel blocks kept in registers
  bool whole_blocks = false;     // the number of blocks must divide the channels (AVX2 kernels)
  std::int64_t row_outputs = 0;  // outputs of a row in flight; 0: no loss at the end of a row
  double row = 0;                // cycles of a kernel call: one an output row and 4 channel blocks
  double pack = 0;  // cycles a vector of inputs that is packed, once for each filter tap
  std::int64_t widest_strided = 0;  // wider kernels with padding and stride have none; 0: no limit
  Duration call{150'000};
  Fraction exposed{1.0};
  double input_gradient = 1.0, weight_gradient = 1.0;  // time over that of the forward pass
};

/// Column matrix and one matrix product an image, as Caffe does it.
struct CpuIm2colSpec {
  double element = 0;  // cycles an element of the column matrix
  double row = 0;      // cycles an output row of each of its rows: one branch goes wrong
};

/// One tile of Winograd's minimal filtering, outputs x outputs results of a 3x3 filter.
struct CpuWinogradTileSpec {
  std::int64_t outputs = 4;
  double input = 0, output = 0;  // cycles a vector of transformed values, of data and of results
};

/// Convolution by Winograd's minimal filtering, forward, weights transformed beforehand.
struct CpuWinogradSpec {
  std::vector<CpuWinogradTileSpec> tiles;
  std::int64_t least_channels = 1;  // on one side at least
  std::int64_t widest_int8 = 4;     // larger tiles overflow the 16 bits of transformed int8
  double int8_rate = 1.0;           // multiply-adds of 16 bits for one of fp32
};

struct CpuThreadSpec {
  bool loops = true;                  // false: only matrix products are parallel (Caffe)
  std::int64_t loop_elements = 0;     // loops over fewer elements stay on one core
  std::int64_t min_m = 1, min_n = 1;  // smaller matrix products stay on one core
  Duration sync{20'000'000};          // fork and join of one parallel region ...
  Duration sync_per_core{0};          // ... and for each core that takes part
  std::int64_t spin_ticks = 0;  // of the base clock: waiting threads spin that long, then sleep
  Fraction serial_share{0.0};   // of a convolution of one sample that more cores do not make faster
};

struct CpuLoopSpec {
  bool vectorised = true;
  bool channels_last =
      false;  // layout of vectorised pooling; false: channels in blocks of a vector
  bool relu_in_place = true;
  double simple = 0;  // copy, add, mul, scale, relu
  double bias = 0;    // always an element; 0: fused into the product before it
  double divide = 0, power = 0;
  double transcendental = 0;  // gelu, tanh, sigmoid
  double dropout = 0, sgd_momentum = 0, adam = 0;
  std::optional<double> copy;                             // derived: simple
  std::optional<double> relu_gradient, dropout_gradient;  // derived: simple, dropout
  std::optional<double> max_gradient;   // an output of it; left out: as max pooling itself
  std::optional<double> lrn_gradient;   // derived: 1.1 x lrn
  double max_tap = 0, average_tap = 0;  // an element of a pooling window
  double pool_output = 0;               // an output of pooling
  double cold_lines = 12;  // of code and descriptors that a call waits for, one after the other
  std::optional<double> pool_cold_lines;  // the same of pooling; derived: cold_lines
  double pool_row = 0;                    // a tap, divided by the output rows
  double pool_line =
      0;  // always an output row: of all channels when they are last, of a block else
  Fraction pool_exposed{0.5};
  Fraction pool_rate{1.0};  // share of the memory rate that overlapping windows reach
  double lrn = 0;
  double lrn_row = 0;           // always a position, all its channels
  bool lrn_keeps_scale = true;  // writes the scale, which the gradient needs
  double softmax = 0;           // always an element
  double softmax_row = 0;       // always a row
  double norm = 0;              // layer norm, batch norm
  double reduce = 0;
  Duration call{150'000};
};

/// The model's own error by family, as the source of the constants states it, and what is added for rates of the device that
/// nobody measured. All are shares s: 80 % of the measured times lie between prediction / (1 + s) and prediction x (1 + s).
/// The defaults: the two calibrated servers held 1.1 to 1.3 times their base clock; whole networks and
/// single products on many cores err by half on average, and its share was chosen after seeing them (docs/validation.md: Xeon Phi, two Xeons, EPYC, Core i9).
struct CpuErrorSpec {
  Fraction gemm{0.3}, convolution{0.3};
  std::optional<Fraction> gradients, pooling, rows;
  Fraction loops{0.4};
  Fraction threads{0.5};
  Fraction unmeasured_clock{0.25}, unmeasured_memory{0.25}, unmeasured_caches{0.25};
};

struct CpuLibrary {
  std::string name;
  bool generic = false;
  BitWidth vector;         // of the kernels; a narrower machine runs them at its own width
  double int8_rate = 1.0;  // int8 multiply-adds for one of fp32
  CpuGemmSpec gemm;
  std::optional<CpuDirectConvSpec> direct;
  std::optional<CpuIm2colSpec> im2col;
  std::optional<CpuWinogradSpec> winograd;
  CpuThreadSpec threads;
  CpuLoopSpec loops;
  CpuErrorSpec error;
};

template <class Visitor>
void describe(Visitor& v, CpuGemmSpec& s) {
  v.required("mr", s.mr, within(1, 1024), "columns of C in one inner tile");
  v.required("nr", s.nr, within(1, 1024), "rows of C in one inner tile");
  v.defaulted("efficiency", s.efficiency, positive,
              "share of the multiply-add rate on packed panels");
  v.derived("threaded_efficiency", s.threaded_efficiency, positive, "efficiency",
            "the same on all cores together");
  v.defaulted("pack_a", s.pack_a, not_negative, "cycles to pack one element of A");
  v.defaulted("pack_b", s.pack_b, not_negative, "cycles to pack one element of B");
  v.derived("pack_transposed", s.pack_transposed, not_negative, "pack_b",
            "cycles to pack one element of a transposed B");
  v.defaulted("update_c", s.update_c, not_negative,
              "cycles to read, add and write one element of C, once per k_block");
  v.defaulted("k_block", s.k_block, positive, "depth of one panel");
  v.defaulted("unpacked_below", s.unpacked_below, not_negative,
              "products with m x n x k up to this are not packed");
  v.defaulted("unpacked_transposed", s.unpacked_transposed, not_negative,
              "the same with B transposed, if m x n is also at most this");
  v.defaulted("unpacked_efficiency", s.unpacked_efficiency, positive,
              "share of the multiply-add rate without packing");
  v.optional(
      "edge", s.edge, positive,
      "a rest of n runs in powers of two, each this part of a whole tile; left out: as a tile");
  v.defaulted("packed_rate", s.packed_rate, positive,
              "share of main memory's rate that packing reaches, which jumps from row to row");
  v.derived("aliased_rate", s.aliased_rate, positive, "packed_rate",
            "the same where rows of B lie a multiple of 4 KiB apart");
  v.defaulted("row_block", s.row_block, not_negative,
              "rows of A for which B is streamed once; 0: all of them");
  v.defaulted("aliased_efficiency", s.aliased_efficiency, positive,
              "factor when rows of C lie a multiple of 4 KiB apart");
  v.defaulted("call", s.call, not_negative, "fixed cost of one call");
  v.defaulted("cold_lines", s.cold_lines, not_negative,
              "lines of code and descriptors that a cold product or convolution waits for");
  v.defaulted("exposed", s.exposed, any_value,
              "share of the shorter of compute and memory that adds to the longer");
  v.defaulted("thin_rows", s.thin_rows, not_negative,
              "unpacked products with fewer rows use thin_exposed");
  v.defaulted("thin_exposed", s.thin_exposed, any_value, "as exposed, for thin products");
}

template <class Visitor>
void describe(Visitor& v, CpuDirectConvSpec& s) {
  v.list("block_efficiency", s.block_efficiency, positive,
         "share of the rate with 1, 2, ... channel blocks in registers");
  v.defaulted("whole_blocks", s.whole_blocks, any_value,
              "blocks in registers must divide the channel blocks");
  v.defaulted("row_outputs", s.row_outputs, within(0, 64),
              "outputs of a row in flight; 0: rows end without loss");
  v.defaulted("row", s.row, not_negative,
              "cycles of one kernel call, an output row and 4 channel blocks");
  v.defaulted(
      "pack", s.pack, not_negative,
      "cycles to pack a vector of inputs for one filter tap; 0: kernels read them in place");
  v.defaulted("widest_strided", s.widest_strided, not_negative,
              "wider kernels with padding and stride go by im2col; 0: no limit");
  v.defaulted("call", s.call, not_negative, "fixed cost of one convolution");
  v.defaulted("exposed", s.exposed, any_value,
              "share of the shorter of compute and memory that adds to the longer");
  v.defaulted("input_gradient", s.input_gradient, within(1, 100),
              "time of the data gradient over the forward pass");
  v.defaulted("weight_gradient", s.weight_gradient, within(1, 100),
              "time of the weight gradient over the forward pass");
}

template <class Visitor>
void describe(Visitor& v, CpuIm2colSpec& s) {
  v.required("element", s.element, not_negative, "cycles an element of the column matrix");
  v.required("row", s.row, not_negative, "cycles for each output row of each of its rows");
}

template <class Visitor>
void describe(Visitor& v, CpuWinogradTileSpec& s) {
  v.required("outputs", s.outputs, within(2, 6), "edge of the results of one tile");
  v.required("input", s.input, not_negative, "cycles to transform a vector of inputs");
  v.required("output", s.output, not_negative, "cycles to transform a vector of results back");
}

template <class Visitor>
void describe(Visitor& v, CpuWinogradSpec& s) {
  v.sections("tiles", s.tiles, "the tiles that the library has; the fastest is chosen");
  v.defaulted("least_channels", s.least_channels, positive,
              "not offered to layers with fewer input and fewer output channels");
  v.defaulted("widest_int8", s.widest_int8, within(2, 6), "outputs of the largest tile of int8");
  v.defaulted("int8_rate", s.int8_rate, within(1, 64),
              "transformed int8 multiply-adds in the time of one of fp32");
}

template <class Visitor>
void describe(Visitor& v, CpuThreadSpec& s) {
  v.defaulted("loops", s.loops, any_value, "false: only matrix products are parallel");
  v.defaulted("loop_elements", s.loop_elements, not_negative,
              "loops over fewer elements stay on one core");
  v.defaulted("min_m", s.min_m, positive, "matrix products with fewer rows stay on one core");
  v.defaulted("min_n", s.min_n, positive, "matrix products with fewer columns stay on one core");
  v.defaulted("sync", s.sync, not_negative, "fork and join of a parallel region");
  v.defaulted("sync_per_core", s.sync_per_core, not_negative,
              "the same for each core that takes part");
  v.defaulted("spin_ticks", s.spin_ticks, not_negative,
              "ticks of the base clock that waiting threads, one on each hardware thread, spin");
  v.defaulted("serial_share", s.serial_share, any_value,
              "share of the convolution of one sample that more cores do not make faster");
}

template <class Visitor>
void describe(Visitor& v, CpuLoopSpec& s) {
  v.defaulted("vectorised", s.vectorised, any_value, "cycles below count a vector, not an element");
  v.defaulted("channels_last", s.channels_last, any_value,
              "layout of vectorised pooling; false: channels in blocks of a vector");
  v.defaulted("relu_in_place", s.relu_in_place, any_value, "ReLU overwrites its input");
  v.required("simple", s.simple, not_negative, "copy, add, multiply, scale, ReLU");
  v.defaulted("bias", s.bias, not_negative, "an element; 0: fused into the product before it");
  v.required("divide", s.divide, not_negative, "division");
  v.required("power", s.power, not_negative, "x to the power y");
  v.required("transcendental", s.transcendental, not_negative, "GELU, tanh, sigmoid");
  v.required("dropout", s.dropout, not_negative, "dropout");
  v.required("sgd_momentum", s.sgd_momentum, not_negative, "one parameter of SGD with momentum");
  v.required("adam", s.adam, not_negative, "one parameter of Adam");
  v.derived("copy", s.copy, not_negative, "simple", "copies and changes of layout");
  v.derived("relu_gradient", s.relu_gradient, not_negative, "simple", "gradient of ReLU");
  v.derived("dropout_gradient", s.dropout_gradient, not_negative, "dropout",
            "gradient of dropout, which draws no numbers");
  v.optional("max_gradient", s.max_gradient, not_negative,
             "an output in the gradient of max pooling; left out: as max pooling");
  v.required("max_tap", s.max_tap, not_negative, "an element of a max-pooling window");
  v.required("average_tap", s.average_tap, not_negative, "an element of an average-pooling window");
  v.required("pool_output", s.pool_output, not_negative, "an output of pooling");
  v.defaulted("pool_row", s.pool_row, not_negative, "a window element, divided by the output rows");
  v.defaulted("cold_lines", s.cold_lines, not_negative,
              "lines of code and descriptors that a cold loop waits for");
  v.derived("pool_cold_lines", s.pool_cold_lines, not_negative, "cold_lines",
            "the same of pooling");
  v.defaulted("pool_line", s.pool_line, not_negative,
              "an output row of all channels when they are last, of a block of them else");
  v.defaulted("pool_exposed", s.pool_exposed, any_value,
              "share of the shorter of compute and memory that adds");
  v.defaulted("pool_rate", s.pool_rate, positive,
              "share of the memory rate that overlapping windows reach");
  v.required("lrn", s.lrn, not_negative, "local response normalisation");
  v.defaulted("lrn_row", s.lrn_row, not_negative, "a position of it with all its channels");
  v.derived("lrn_gradient", s.lrn_gradient, not_negative, "1.1 x lrn", "its gradient");
  v.defaulted("lrn_keeps_scale", s.lrn_keeps_scale, any_value,
              "it writes the scale that its gradient reads");
  v.required("softmax", s.softmax, not_negative, "an element of softmax");
  v.required("softmax_row", s.softmax_row, not_negative, "a row of softmax");
  v.required("norm", s.norm, not_negative, "layer norm and batch norm");
  v.required("reduce", s.reduce, not_negative, "sums");
  v.defaulted("call", s.call, not_negative, "fixed cost of one loop");
}

template <class Visitor>
void describe(Visitor& v, CpuErrorSpec& s) {
  v.defaulted("gemm", s.gemm, any_value, "matrix products");
  v.defaulted("convolution", s.convolution, any_value, "convolution, forward");
  v.derived("gradients", s.gradients, any_value, "convolution",
            "gradients of convolutions and products");
  v.derived("pooling", s.pooling, any_value, "loops", "pooling");
  v.derived("rows", s.rows, any_value, "loops", "softmax, normalisation, reductions");
  v.defaulted("loops", s.loops, any_value, "everything else");
  v.defaulted("threads", s.threads, any_value,
              "added to products and convolutions on a processor of several cores");
  v.defaulted("unmeasured_clock", s.unmeasured_clock, any_value,
              "added where compute binds and no calibration holds a clock");
  v.defaulted("unmeasured_memory", s.unmeasured_memory, any_value,
              "added where memory or a shared L3 binds and no calibration holds its rate");
  v.defaulted("unmeasured_caches", s.unmeasured_caches, any_value,
              "added where an L1 or L2 binds and no calibration holds its rate");
}

template <class Visitor>
void describe(Visitor& v, CpuLibrary& s) {
  v.text("name", s.name, "library, version and instruction set");
  v.defaulted("generic", s.generic, any_value,
              "constants of no library in particular: answers say so");
  v.required("vector", s.vector, power_of_two, "bits of the vectors that its kernels use");
  v.defaulted("int8_rate", s.int8_rate, within(1, 64),
              "int8 multiply-adds in the time of one of fp32");
  v.section("gemm", s.gemm, "matrix products");
  v.optional_section("direct", s.direct, "direct convolution");
  v.optional_section("im2col", s.im2col, "convolution through a column matrix");
  v.optional_section("winograd", s.winograd, "3x3 convolution by minimal filtering");
  v.defaulted_section("threads", s.threads, "what runs on many cores");
  v.section("loops", s.loops, "element-wise, pooling and row loops");
  v.defaulted_section("error", s.error,
                      "80 % of measured times lie within a factor of 1 + this of the prediction");
}

void derive(CpuGemmSpec& spec);
void derive(CpuLoopSpec& spec);
void check(const CpuLibrary& library, SpecChecker& checker);

}  // namespace tantalus
