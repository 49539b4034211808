// A GPU kernel catalogue as its YAML file describes it (`tantalus: library/1`, `kind: gpu`): which kernels a library owns and
// how well each uses an SM. It knows no device: clocks, lanes, caches and limits come from GpuSpec, so one catalogue serves
// every part of a generation. Equations: docs/modelling.md, "GPU kernels". Every constant names its source in the file.
//
// A matrix product runs in tiles of m x n results, one block a tile; a family is the tiles that share number formats and a
// main loop. Everything else is a stream: threads that each handle a few elements. Only what is listed can be chosen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/config/describe.hpp"
#include "sim/hardware/doubt.hpp"
#include "sim/workload/operation.hpp"

namespace tantalus {

/// Which arithmetic of an SM a family runs on.
enum class MathUnit : std::uint8_t { lanes, matrix };
inline constexpr EnumName<MathUnit> math_unit_names[] = {{"lanes", MathUnit::lanes},
                                                         {"matrix", MathUnit::matrix}};

struct GpuTileSpec {
  std::int64_t m = 0, n = 0;  // results of one block
  std::int64_t threads = 0, registers = 0;
  Bytes shared;
  Fraction efficiency{0.0};  // share of the unit's rate that the main loop reaches
};

/// Which products a family was made for: one at a time, or many of one shape in one launch.
enum class Batched : std::uint8_t { any, only, never };
inline constexpr EnumName<Batched> batched_names[] = {
    {"any", Batched::any}, {"only", Batched::only}, {"never", Batched::never}};

struct GpuGemmSpec {
  std::vector<std::string> types;          // number formats of the operands
  std::vector<std::string> architectures;  // generations that own it; empty: all
  std::vector<std::string> operands;       // how A and B are stored; empty: any way
  Batched batched = Batched::any;
  MathUnit unit = MathUnit::lanes;
  std::int64_t k_step = 8;   // depth of one turn of the main loop
  Cycles start{0}, step{0};  // latency before the loop, and of one turn when nothing overlaps it
  Fraction exposed{0.0};     // share of the shorter of compute and memory that adds to the longer
  double operand_traffic = 1.0;            // bytes through L2 over bytes that the tiles ask for
  Bytes in_flight{64};                     // loads that one thread keeps in flight
  std::optional<double> saturating_warps;  // that an SM needs for its full rate; absent: any number
  std::optional<BytesPerCycle>
      fed_at;  // rate of the unit, times operand size, at which the tiles' efficiencies hold
  bool fused_bias = true;            // false: the bias is a kernel of its own
  bool chosen_alone = false;         // a batch gets the tile that is best for one of its products
  std::vector<std::int64_t> splits;  // in how many parts k may be cut; 1 is always allowed
  std::optional<double>
      split_below;  // blocks an SM of the uncut product; absent: while slots are empty
  std::optional<double>
      split_until;  // blocks an SM from which on k is not cut finer; absent: until all slots are full
  std::optional<Fraction> error;  // as GpuErrorSpec's; derived: that of the unit
  std::vector<GpuTileSpec> tiles;
};

/// Threads that each handle some elements: the launch that most kernels other than products have.
struct GpuStreamSpec {
  std::int64_t threads = 256, registers = 32;
  std::int64_t elements_per_thread = 4;
  Cycles start{0};  // from the kernel's start to the first data, and draining at its end
};

/// The kernel that forms a column matrix: a thread for each window, which loads its values one after the other.
struct GpuColumnSpec {
  std::int64_t threads = 512, registers = 32;
  Cycles start{0};
  Cycles wait{0};  // from one load of a thread to its next
};

/// Kernels around the products of Winograd and FFT. A tile of edge x edge values gives (edge - filter + 1)^2 outputs.
struct GpuTransformSpec {
  std::int64_t edge = 6;  // 6: F(4x4, 3x3); 32: FFT of 32 x 32
  std::int64_t filter =
      3;  // edge of the filters that a Winograd tile takes; FFT takes up to half of its edge
  GpuStreamSpec kernel;
  double instructions = 8;      // a transformed value
  double traffic = 1.0;         // bytes over those of its operands, data and results ...
  double filter_traffic = 1.0;  // ... and filters
  Bytes workspace{1LL << 30};   // larger ones are not offered
};

/// Winograd in one kernel, 3x3 filters: a block computes `filters` x `rows` x `columns` outputs of `images` images.
struct GpuFusedWinogradSpec {
  std::int64_t output = 2;  // F(output x output, 3x3)
  std::int64_t filters = 32, images = 1, rows = 8, columns = 16;
  std::int64_t threads = 256, registers = 128;
  Bytes shared{48 * 1024};
  Fraction efficiency{0.8};
  std::int64_t k_step = 8;   // channels of one turn of the main loop
  Cycles start{0}, step{0};  // latency before the loop, and of one turn when nothing overlaps it
  Cycles epilogue{0};        // of a whole SM: transforming a block's results back
  Fraction exposed{0.0};     // share of the shorter of compute and memory that adds to the longer
  Bytes in_flight{64};       // loads that one thread keeps in flight
};

/// Which strides a convolution entry takes.
enum class Strides : std::uint8_t { any, one, above };
inline constexpr EnumName<Strides> strides_names[] = {
    {"any", Strides::any}, {"one", Strides::one}, {"above", Strides::above}};

/// Which filters: all, those of one tap (1x1), or larger ones.
enum class Taps : std::uint8_t { any, one, more };
inline constexpr EnumName<Taps> taps_names[] = {
    {"any", Taps::any}, {"one", Taps::one}, {"more", Taps::more}};

/// Convolution by matrix product, on the tiles of the GEMM families or on its own, or by Winograd or FFT. Depthwise layers
/// have kernels of their own.
struct GpuConvSpec {
  std::vector<std::string> types;
  std::vector<std::string> architectures;  // generations that own it; empty: all
  Algorithm algorithm = Algorithm::implicit_gemm;
  bool per_image = false;  // im2col: one column matrix and one product for each image and group
  bool pointwise_columns =
      false;                 // im2col: also where a 1x1 filter could read its input as it lies
  bool initialised = false;  // im2col: results are set first, then added to
  std::int64_t channel_multiple = 1;  // channels are padded to this for each filter tap
  double forward = 1.0;               // factors on the tile efficiency
  double input_gradient = 1.0, strided_input_gradient = 1.0;
  double weight_gradient = 1.0, pointwise_weight_gradient = 1.0;
  bool fused_bias = true;
  std::int64_t column_instructions = 8;  // im2col: an element of the column matrix
  std::optional<GpuColumnSpec> column;   // absent: split_reduction's launch
  double energy = 1.0;                   // of an operation, over that of matrix products
  std::vector<std::string> passes;       // that it can run; empty: all
  Strides strides = Strides::any;
  Taps taps = Taps::any;
  std::int64_t least_batch = 1;      // smaller ones are not offered to it
  std::int64_t least_channels = 1;   // of input and output, in one group
  std::vector<GpuGemmSpec> product;  // families of its own; empty: those of the catalogue
  std::optional<GpuTransformSpec> transform;
  std::optional<GpuFusedWinogradSpec> fused;
};

struct GpuDepthwiseSpec {
  GpuStreamSpec kernel;
  double instructions = 8, per_tap = 2;  // an output, and each of its filter taps
  double weight_gradient_passes = 1;     // over input and output
};

struct GpuFunctionSpec {
  ElementFn function = ElementFn::copy;
  double instructions = 1;  // an element
};

struct GpuElementwiseSpec {
  GpuStreamSpec kernel;
  double instructions = 4;  // an element, for functions without a line of their own
  std::vector<GpuFunctionSpec> functions;
};

struct GpuPoolingSpec {
  GpuStreamSpec kernel;
  double instructions = 16, per_tap = 4;  // an output, and each element of its window
  double traffic = 1.0;                   // bytes over operand sizes: windows overlap
  Bytes index{0};                         // written beside each maximum, in inference too
  Cycles wait{0};                         // from one load of a window to the next
  bool gathers =
      false;  // the gradient looks up the windows over each input: nothing is zeroed or added
};

/// Kernels that look along a row. A row is given to one warp while it has at most `warp_columns`, else to one block; with
/// `split` a long row is shared by several blocks and a second, small kernel joins their results.
struct GpuRowSpec {
  RowFn function = RowFn::softmax;
  std::int64_t threads = 256, registers = 32;
  std::int64_t warp_columns = 0;
  bool by_thread = false;   // a row is one thread's, which reads its columns one after the other
  double apply = 0;         // instructions of a second kernel, an element; 0: none
  bool keeps_scale = true;  // LRN writes what it divides by beside its result
  std::int64_t reads = 1;   // times that the input is read by a forward kernel
  std::int64_t backward_reads = 1;
  double instructions = 4;  // an element and read
  double per_window = 0;    // an element and step of its window (LRN)
  Cycles start{0};
  Cycles row_start{0}, chunk{0};  // least time of a row: row_start + chunk for each chunk_columns
  std::int64_t chunk_columns = 1024;
  Fraction exposed{0.0};
  bool split = false;
  bool per_image = false;  // a kernel for each image of the batch, as per_image of convolutions
  double traffic = 1.0;    // bytes over those of the reads
  Fraction results_in_flight{1.0};  // share of a row's results beside it in the L2
};

struct GpuEmbeddingSpec {
  GpuStreamSpec kernel;
  double instructions = 6;
};

/// The model's own error by family, as the source of the constants states it, and what is added for rates of the device that
/// nobody measured. All are shares s: 80 % of the measured times lie between prediction / (1 + s) and prediction x (1 + s).
/// The defaults for unmeasured rates are the spread of the calibrated parts of hw_configs/devices about their sheets, rounded:
/// clocks held under load are 0.87 to 1 of the sheet's; bandwidth shares 0.85 to 1.2 of their memory class's, half of them within 5 %;
/// that of power was chosen for the coverage of the two parts that run at their limit throughout (T4, L4), so theirs is in sample.
struct GpuErrorSpec {
  Fraction gemm{0.3}, matrix_gemm{0.35};
  Fraction convolution{0.4}, input_gradient{0.5}, weight_gradient{0.6};
  std::optional<Fraction> matrix_convolution, matrix_input_gradient, matrix_weight_gradient;
  Fraction elementwise{0.3}, pooling{0.4}, rows{0.4};
  std::optional<Fraction> norms, narrow_convolution;
  Fraction embedding{0.5};
  Fraction faster{1.0};
  Duration brief{0};
  Fraction unmeasured_clock{0.06}, unmeasured_memory{0.1}, unmeasured_power{0.29};
};

struct GpuLibrary {
  std::string name;
  bool generic = false;
  std::vector<GpuGemmSpec> gemm;
  std::vector<GpuGemmSpec> products;  // behind convolutions that bring none; empty: those of `gemm`
  std::vector<GpuConvSpec> convolution;
  GpuDepthwiseSpec depthwise;
  GpuElementwiseSpec elementwise;
  GpuPoolingSpec pooling;
  std::vector<GpuRowSpec> rows;
  GpuEmbeddingSpec embedding;
  GpuStreamSpec split_reduction;
  GpuErrorSpec error;
};

inline constexpr EnumName<Algorithm> conv_algorithm_names[] = {
    {"implicit_gemm", Algorithm::implicit_gemm},
    {"im2col_gemm", Algorithm::im2col_gemm},
    {"winograd", Algorithm::winograd},
    {"fft", Algorithm::fft}};
inline constexpr EnumName<ElementFn> element_fn_names[] = {
    {"copy", ElementFn::copy},
    {"add", ElementFn::add},
    {"mul", ElementFn::mul},
    {"div", ElementFn::div},
    {"pow", ElementFn::pow},
    {"relu", ElementFn::relu},
    {"gelu", ElementFn::gelu},
    {"tanh", ElementFn::tanh},
    {"sigmoid", ElementFn::sigmoid},
    {"bias", ElementFn::bias},
    {"scale", ElementFn::scale},
    {"dropout", ElementFn::dropout},
    {"sgd_momentum", ElementFn::sgd_momentum},
    {"adam", ElementFn::adam}};
inline constexpr EnumName<RowFn> row_fn_names[] = {{"softmax", RowFn::softmax},
                                                   {"layer_norm", RowFn::layer_norm},
                                                   {"batch_norm", RowFn::batch_norm},
                                                   {"lrn", RowFn::lrn},
                                                   {"reduce", RowFn::reduce}};

template <class Visitor>
void describe(Visitor& v, GpuTileSpec& s) {
  v.required("m", s.m, within(1, 4096), "rows of C in one block's tile");
  v.required("n", s.n, within(1, 4096), "columns of C in one block's tile");
  v.required("threads", s.threads, within(1, 1024), "threads of the block");
  v.required("registers", s.registers, within(1, 1024), "32-bit registers of one thread");
  v.required("shared", s.shared, not_negative, "shared memory of the block");
  v.required("efficiency", s.efficiency, positive,
             "share of the unit's rate that the main loop reaches");
}

template <class Visitor>
void describe(Visitor& v, GpuGemmSpec& s) {
  v.list("types", s.types, any_value,
         "number formats of the operands: fp32, tf32, fp16, bf16, fp8, int8");
  v.list("architectures", s.architectures, any_value,
         "generations that own the family, such as sm_80; empty: all");
  v.list("operands", s.operands, any_value,
         "how A and B are stored, by rows: nn, nt (B as n x k), tn, tt; empty: any way");
  v.choice("batched", s.batched, batched_names,
           "products of one shape launched together, or one product alone");
  v.choice("unit", s.unit, math_unit_names, "arithmetic that the family runs on");
  v.defaulted("k_step", s.k_step, within(1, 4096), "depth of one turn of the main loop");
  v.defaulted("start", s.start, not_negative, "latency before the main loop");
  v.defaulted("step", s.step, not_negative, "latency of one turn of the main loop");
  v.defaulted("exposed", s.exposed, any_value,
              "share of the shorter of compute and memory that adds to the longer");
  v.defaulted("operand_traffic", s.operand_traffic, within(0.01, 10),
              "bytes through L2 over bytes that the tiles ask for");
  v.defaulted("in_flight", s.in_flight, positive, "bytes of loads that one thread keeps in flight");
  v.optional("saturating_warps", s.saturating_warps, within(1, 64),
             "warps on an SM with which the tiles reach their rate, fewer reach their share of it; "
             "absent: any number does");
  v.optional("fed_at", s.fed_at, positive,
             "FLOPs a clock of the unit times bytes of an operand at which the efficiencies of the "
             "tiles hold; "
             "what a tile loses against the family's best is feeding, and a unit that asks for "
             "less loses less");
  v.defaulted("fused_bias", s.fused_bias, any_value,
              "false: adding the bias is a kernel of its own");
  v.defaulted("chosen_alone", s.chosen_alone, any_value,
              "the library looks at one product only: a batch gets the tile that is best for one");
  v.list("splits", s.splits, within(1, 65536),
         "in how many parts k may be cut; 1 is always allowed");
  v.optional("split_below", s.split_below, positive,
             "k is cut only below this many blocks an SM; absent: while there are empty slots");
  v.optional("split_until", s.split_until, positive,
             "k is cut no finer once there are this many blocks an SM; absent: until all slots are "
             "full");
  v.optional("error", s.error, any_value,
             "share of error in place of error.gemm or error.matrix_gemm, or of a "
             "convolution's own products in place of error.convolution");
  v.sections("tiles", s.tiles, "tiles that the library owns");
}

template <class Visitor>
void describe(Visitor& v, GpuStreamSpec& s) {
  v.defaulted("threads", s.threads, within(1, 1024), "threads of one block");
  v.defaulted("registers", s.registers, within(1, 1024), "32-bit registers of one thread");
  v.defaulted("elements_per_thread", s.elements_per_thread, within(1, 1024),
              "results of one thread");
  v.defaulted("start", s.start, not_negative, "first data and drain of one kernel");
}

template <class Visitor>
void describe(Visitor& v, GpuColumnSpec& s) {
  v.defaulted("threads", s.threads, within(1, 1024), "threads of one block");
  v.defaulted("registers", s.registers, within(1, 1024), "32-bit registers of one thread");
  v.defaulted("start", s.start, not_negative, "first data and drain of one kernel");
  v.defaulted("wait", s.wait, not_negative, "from one load of a thread to its next");
}

template <class Visitor>
void describe(Visitor& v, GpuTransformSpec& s) {
  v.defaulted("edge", s.edge, within(2, 256), "values along one side of a transformed tile");
  v.defaulted("filter", s.filter, within(2, 32), "winograd: edge of the filters that it takes");
  v.defaulted_section("kernel", s.kernel, "launch of the transforms, by transformed values");
  v.defaulted("instructions", s.instructions, not_negative, "a transformed value");
  v.defaulted("traffic", s.traffic, within(1, 100), "bytes over operand sizes, data and results");
  v.defaulted("filter_traffic", s.filter_traffic, within(1, 100), "the same, filters");
  v.defaulted("workspace", s.workspace, positive,
              "the algorithm is not offered when its transformed operands are larger");
}

template <class Visitor>
void describe(Visitor& v, GpuFusedWinogradSpec& s) {
  v.defaulted("output", s.output, within(2, 6), "edge of the outputs of one Winograd tile");
  v.defaulted("filters", s.filters, within(1, 1024), "filters of one block");
  v.defaulted("images", s.images, within(1, 1024), "images of one block");
  v.defaulted("rows", s.rows, within(1, 1024), "output rows of one block");
  v.defaulted("columns", s.columns, within(1, 1024), "output columns of one block");
  v.defaulted("threads", s.threads, within(1, 1024), "threads of the block");
  v.defaulted("registers", s.registers, within(1, 1024), "32-bit registers of one thread");
  v.defaulted("shared", s.shared, not_negative, "shared memory of the block");
  v.defaulted("efficiency", s.efficiency, positive,
              "share of the lanes' rate that the main loop reaches");
  v.defaulted("k_step", s.k_step, within(1, 4096), "channels of one turn of the main loop");
  v.defaulted("start", s.start, not_negative, "latency before the main loop");
  v.defaulted("step", s.step, not_negative, "latency of one turn of the main loop");
  v.defaulted("epilogue", s.epilogue, not_negative,
              "time of a whole SM to transform the results of one block back");
  v.defaulted("exposed", s.exposed, any_value,
              "share of the shorter of compute and memory that adds to the longer");
  v.defaulted("in_flight", s.in_flight, positive, "bytes of loads that one thread keeps in flight");
}

template <class Visitor>
void describe(Visitor& v, GpuConvSpec& s) {
  v.list("types", s.types, any_value, "number formats of the operands");
  v.list("architectures", s.architectures, any_value,
         "generations that own the entry, such as sm_80; empty: all");
  v.choice("algorithm", s.algorithm, conv_algorithm_names,
           "how the convolution becomes a matrix product");
  v.defaulted("per_image", s.per_image, any_value,
              "im2col_gemm: one product for each image and group");
  v.defaulted("pointwise_columns", s.pointwise_columns, any_value,
              "im2col_gemm: 1x1 filters at stride 1 have a column matrix too");
  v.defaulted(
      "initialised", s.initialised, any_value,
      "im2col_gemm: a kernel sets the results to the bias, or zero, and the product adds to "
      "them");
  v.defaulted("channel_multiple", s.channel_multiple, within(1, 256),
              "channels are padded to a multiple of this");
  v.defaulted("forward", s.forward, within(0.01, 2), "factor on the tile efficiency, forward pass");
  v.defaulted("input_gradient", s.input_gradient, within(0.01, 2), "the same, input gradient");
  v.defaulted("strided_input_gradient", s.strided_input_gradient, within(0.01, 2),
              "the same, stride above 1");
  v.defaulted("weight_gradient", s.weight_gradient, within(0.01, 2), "the same, weight gradient");
  v.defaulted("pointwise_weight_gradient", s.pointwise_weight_gradient, within(0.01, 2),
              "the same, 1x1 filters");
  v.defaulted("fused_bias", s.fused_bias, any_value,
              "false: adding the bias is a kernel of its own");
  v.defaulted("column_instructions", s.column_instructions, within(1, 1000),
              "im2col_gemm: an element of the column matrix");
  v.optional_section("column", s.column,
                     "im2col_gemm: the column matrix's kernel, a thread for each window; absent: "
                     "split_reduction's launch");
  v.defaulted("energy", s.energy, within(0.01, 10),
              "energy of its kernels over that of matrix products with the same work");
  v.list("passes", s.passes, any_value,
         "forward, input_gradient, weight_gradient: those that it can run; empty: all");
  v.choice("strides", s.strides, strides_names, "one: stride 1 only; above: larger ones only");
  v.choice("taps", s.taps, taps_names, "one: 1x1 filters only; more: larger filters only");
  v.defaulted("least_batch", s.least_batch, within(1, 1'000'000),
              "the library does not offer it to smaller batches");
  v.defaulted("least_channels", s.least_channels, within(1, 1'000'000),
              "nor to layers with fewer input or output channels in a group");
  v.sections("product", s.product, "matrix products of its own; empty: those of the catalogue");
  v.optional_section("transform", s.transform, "winograd, fft: the kernels around its products");
  v.optional_section("fused", s.fused, "winograd: one kernel does it all");
}

template <class Visitor>
void describe(Visitor& v, GpuDepthwiseSpec& s) {
  v.defaulted_section("kernel", s.kernel, "its launch");
  v.defaulted("instructions", s.instructions, not_negative, "an output");
  v.defaulted("per_tap", s.per_tap, not_negative, "each filter tap of an output");
  v.defaulted("weight_gradient_passes", s.weight_gradient_passes, within(1, 100),
              "passes over input and output");
}

template <class Visitor>
void describe(Visitor& v, GpuFunctionSpec& s) {
  v.choice("function", s.function, element_fn_names, "what is computed");
  v.required("instructions", s.instructions, not_negative, "an element");
}

template <class Visitor>
void describe(Visitor& v, GpuElementwiseSpec& s) {
  v.defaulted_section("kernel", s.kernel, "its launch");
  v.defaulted("instructions", s.instructions, not_negative,
              "an element, for functions that are not listed");
  v.sections("functions", s.functions, "instructions by function");
}

template <class Visitor>
void describe(Visitor& v, GpuPoolingSpec& s) {
  v.defaulted_section("kernel", s.kernel, "its launch");
  v.defaulted("instructions", s.instructions, not_negative, "an output");
  v.defaulted("per_tap", s.per_tap, not_negative, "each element of an output's window");
  v.defaulted("traffic", s.traffic, within(1, 100), "bytes over operand sizes");
  v.defaulted("index", s.index, not_negative,
              "bytes written beside each maximum, in inference too");
  v.defaulted("wait", s.wait, not_negative,
              "from one load of a window to the next, where they go one after the other");
  v.defaulted("gathers", s.gathers, any_value,
              "the gradient of max pooling reads the index of each window over an input and writes "
              "once; false: it is zeroed first and then added to");
}

template <class Visitor>
void describe(Visitor& v, GpuRowSpec& s) {
  v.choice("function", s.function, row_fn_names, "what is computed along the row");
  v.defaulted("threads", s.threads, within(1, 1024), "threads of one block");
  v.defaulted("registers", s.registers, within(1, 1024), "32-bit registers of one thread");
  v.defaulted("warp_columns", s.warp_columns, not_negative,
              "rows up to this long are one warp's work");
  v.defaulted("by_thread", s.by_thread, any_value,
              "a row is one thread's, which goes along its columns");
  v.defaulted("apply", s.apply, not_negative,
              "LRN: a second kernel reads the input and the scale: instructions an element");
  v.defaulted("keeps_scale", s.keeps_scale, any_value,
              "LRN: the scale is written beside the result, for the backward pass");
  v.defaulted("reads", s.reads, within(1, 100), "times that the forward kernel reads its input");
  v.defaulted("backward_reads", s.backward_reads, within(1, 100),
              "times that the backward kernel reads its input");
  v.defaulted("instructions", s.instructions, not_negative, "an element and read");
  v.defaulted("per_window", s.per_window, not_negative, "an element and step of its window");
  v.defaulted("start", s.start, not_negative, "first data and drain of one kernel");
  v.defaulted("row_start", s.row_start, not_negative,
              "least time of a row that a block handles ...");
  v.defaulted("chunk", s.chunk, not_negative, "... and of each chunk_columns of it");
  v.defaulted("chunk_columns", s.chunk_columns, positive, "columns of one chunk");
  v.defaulted("exposed", s.exposed, any_value,
              "share of the shorter of compute and memory that adds to the longer");
  v.defaulted("split", s.split, any_value, "long rows are shared by several blocks");
  v.defaulted("per_image", s.per_image, any_value,
              "a kernel for each image of the batch that the rows run through");
  v.defaulted("traffic", s.traffic, within(1, 100), "bytes over those of the reads");
  v.defaulted("results_in_flight", s.results_in_flight, any_value,
              "share of a row's results that lie beside it in the L2 while it is read again");
}

template <class Visitor>
void describe(Visitor& v, GpuEmbeddingSpec& s) {
  v.defaulted_section("kernel", s.kernel, "its launch");
  v.defaulted("instructions", s.instructions, not_negative, "an element");
}

template <class Visitor>
void describe(Visitor& v, GpuErrorSpec& s) {
  v.defaulted("gemm", s.gemm, any_value, "matrix products on the ordinary lanes");
  v.defaulted("matrix_gemm", s.matrix_gemm, any_value, "matrix products on the matrix units");
  v.defaulted("convolution", s.convolution, any_value, "convolution, forward");
  v.defaulted("input_gradient", s.input_gradient, any_value, "convolution, input gradient");
  v.defaulted("weight_gradient", s.weight_gradient, any_value, "convolution, weight gradient");
  v.derived("matrix_convolution", s.matrix_convolution, any_value, "convolution",
            "the same on the matrix units");
  v.derived("matrix_input_gradient", s.matrix_input_gradient, any_value, "input_gradient",
            "the same on the matrix units");
  v.derived("matrix_weight_gradient", s.matrix_weight_gradient, any_value, "weight_gradient",
            "the same on the matrix units");
  v.defaulted("elementwise", s.elementwise, any_value, "element-wise operations and updates");
  v.defaulted("pooling", s.pooling, any_value, "pooling");
  v.defaulted("rows", s.rows, any_value, "softmax, local response normalisation, reductions");
  v.derived("norms", s.norms, any_value, "rows", "layer norm and batch norm");
  v.defaulted("embedding", s.embedding, any_value, "embedding look-up and scatter");
  v.derived("narrow_convolution", s.narrow_convolution, any_value, "convolution",
            "convolution of int8 on the ordinary lanes");
  v.defaulted("faster", s.faster, any_value,
              "part of the share by which products, convolutions, their gradients and rows may be "
              "faster than predicted; the rest of the families err both ways alike");
  v.defaulted("brief", s.brief, not_negative,
              "kernels of this length err twice as much as long ones, as squares, towards slower");
  v.defaulted("unmeasured_clock", s.unmeasured_clock, any_value,
              "added where compute or a private cache binds and no calibration holds a clock");
  v.defaulted("unmeasured_memory", s.unmeasured_memory, any_value,
              "added where memory or a shared L3 binds and no calibration holds its rate");
  v.defaulted("unmeasured_power", s.unmeasured_power, any_value,
              "added where the power limit binds and no calibration holds an energy");
}

template <class Visitor>
void describe(Visitor& v, GpuLibrary& s) {
  v.text("name", s.name, "library and version");
  v.defaulted("generic", s.generic, any_value,
              "constants of no library in particular: answers say so");
  v.sections("gemm", s.gemm, "matrix products, one entry for tiles that share a main loop");
  v.sections("products", s.products,
             "products behind convolutions that bring none of their own, of a library that offers "
             "no matrix products; absent: those of gemm");
  v.sections("convolution", s.convolution, "convolutions by matrix product");
  v.defaulted_section("depthwise", s.depthwise, "convolution with one input channel a group");
  v.defaulted_section("elementwise", s.elementwise, "element-wise operations");
  v.defaulted_section("pooling", s.pooling, "pooling");
  v.sections("rows", s.rows, "operations along rows");
  v.defaulted_section("embedding", s.embedding, "embedding look-up and scatter");
  v.defaulted_section("split_reduction", s.split_reduction, "sum of the parts of a split product");
  v.defaulted_section("error", s.error,
                      "80 % of measured times lie within a factor of 1 + this of the prediction");
}

/// Number formats by the words that catalogues use; false when the word is none.
bool type_from_word(const std::string& word, DType& type);

void check(const GpuLibrary& library, SpecChecker& checker);

}  // namespace tantalus
