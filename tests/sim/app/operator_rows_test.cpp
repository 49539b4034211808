#include "sim/app/operator_rows.hpp"

#include <doctest/doctest.h>

namespace tantalus::testing {

namespace {

Result<std::vector<OperatorRow>> read(const std::string& text) {
  const Result<CsvTable> table = parse_csv(text, "t.csv");
  REQUIRE(table.ok());
  return read_operators(*table);
}

OperatorRow only_row(const std::string& text) {
  const Result<std::vector<OperatorRow>> rows = read(text);
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 1);
  return rows->front();
}

std::int64_t bytes_of(const Operation& operation) { return operand_bytes(operation).count(); }

// "line:column code" of every complaint.
std::vector<std::string> places(const Result<std::vector<OperatorRow>>& rows) {
  std::vector<std::string> texts;
  for (const Diagnostic& d : rows.diagnostics()) {
    texts.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " " +
                    d.code + " " + d.path);
  }
  return texts;
}

}  // namespace

TEST_CASE("a gemm row is a matrix product with its operands") {
  const OperatorRow row = only_row(
      "op,dtype,batch,m,n,k,trans_b,bias,timing\ngemm,fp16,2,64,512,128,1,1,single_call\n");

  const auto& shape = std::get<GemmShape>(row.operation.work);
  CHECK(shape == GemmShape{2, 64, 512, 128, false, true});
  CHECK(row.operation.type == DType::fp16);
  CHECK(row.operation.macs == 2LL * 64 * 512 * 128);
  CHECK(row.operation.bias);
  CHECK(row.timing == Timing::single_call);
  // A and B twice, one bias, C twice; two bytes each.
  CHECK(bytes_of(row.operation) == 2 * (2 * 64 * 128 + 2 * 128 * 512 + 512 + 2 * 64 * 512));
}

TEST_CASE("a gradient of a gemm is the product that makes it") {
  const std::string header = "op,m,n,k,pass\n";

  const OperatorRow input = only_row(header + "gemm,5,6,7,input_gradient\n");
  CHECK(std::get<GemmShape>(input.operation.work) == GemmShape{1, 5, 7, 6, false, true});

  const OperatorRow weight = only_row(header + "gemm,5,6,7,weight_gradient\n");
  CHECK(std::get<GemmShape>(weight.operation.work) == GemmShape{1, 7, 6, 5, true, false});
  CHECK(weight.operation.macs == 5 * 6 * 7);
}

TEST_CASE("a convolution row knows its output size") {
  const OperatorRow row = only_row(
      "op,batch,in_ch,in_h,in_w,out_ch,kernel_h,kernel_w,stride,pad,groups\nconv2d,2,3,224,224,64,"
      "11,11,4,2,1\n");

  const auto& shape = std::get<ConvShape>(row.operation.work);
  CHECK(shape.out_h == 55);  // (224 + 4 - 11) / 4 + 1
  CHECK(shape.out_w == 55);
  CHECK(row.operation.macs == 2LL * 64 * 55 * 55 * 3 * 11 * 11);
  CHECK(bytes_of(row.operation) ==
        4 * (2LL * 3 * 224 * 224 + 64 * 3 * 11 * 11 + 2LL * 64 * 55 * 55));
}

TEST_CASE("stride, pad, groups and batch have their usual defaults") {
  const OperatorRow row =
      only_row("op,in_ch,in_h,in_w,out_ch,kernel_h,kernel_w\nconv2d,8,10,10,16,3,3\n");

  const auto& shape = std::get<ConvShape>(row.operation.work);
  CHECK(shape.out_h == 8);
  CHECK(shape.groups == 1);
  CHECK(shape.batch == 1);
  CHECK(row.operation.type == DType::fp32);
  CHECK(row.timing == Timing::queued);
}

TEST_CASE("element-wise rows read one or two tensors and write one") {
  const std::string header = "op,dtype,rows,cols,inputs\n";

  CHECK(bytes_of(only_row(header + "add,fp32,10,100,2\n").operation) == 3 * 4000);
  CHECK(bytes_of(only_row(header + "add,fp32,10,100,1\n").operation) == 2 * 4000);
  CHECK(bytes_of(only_row(header + "add,fp32,10,100,\n").operation) == 3 * 4000);
  CHECK(bytes_of(only_row(header + "relu,fp16,10,100,\n").operation) == 2 * 2000);
}

TEST_CASE("an element-wise row may say its tensor as an image") {
  const OperatorRow row = only_row("op,batch,in_ch,in_h,in_w\nrelu,2,3,4,5\n");

  CHECK(std::get<ElementwiseShape>(row.operation.work).elements == 120);
}

TEST_CASE("pooling, normalisation and softmax rows are operations along windows and rows") {
  const OperatorRow pool =
      only_row("op,batch,in_ch,in_h,in_w,kernel_h,kernel_w,stride\nmaxpool,2,64,55,55,3,3,2\n");
  CHECK(std::get<PoolShape>(pool.operation.work).out_h == 27);

  const OperatorRow softmax = only_row("op,rows,cols\nsoftmax,128,1000\n");
  CHECK(std::get<RowShape>(softmax.operation.work) == RowShape{RowFn::softmax, 128, 1000, 1});

  const OperatorRow lrn = only_row("op,batch,in_ch,in_h,in_w\nlrn,2,96,55,55\n");
  CHECK(std::get<RowShape>(lrn.operation.work) == RowShape{RowFn::lrn, 2 * 55 * 55, 96, 5});
}

TEST_CASE("every bad cell of a table is reported with its place") {
  const auto rows = read(
      "op,dtype,m,n,k,timing\n"
      "gemm,fp32,abc,-5,16,queued\n"
      "gem,fp32,1,1,1,queued\n"
      ",fp32,1,1,1,queued\n"
      "gemm,fp33,,16,16,quued\n");

  CHECK_FALSE(rows.ok());
  CHECK(places(rows) ==
        std::vector<std::string>{"2:11 bad-number m", "2:15 out-of-range n", "3:1 unknown-word op",
                                 "4:1 missing-value op", "5:6 unknown-word dtype",
                                 "5:18 unknown-word timing", "5:11 missing-value m"});
}

TEST_CASE("a column that looks misspelt is warned about, and others pass through") {
  const auto rows = read("op,m,n,k,timming,label\ngemm,1,1,1,queued,x\n");

  REQUIRE(rows.ok());
  REQUIRE(rows.diagnostics().size() == 1);
  CHECK(rows.diagnostics()[0].code == "unknown-column");
  CHECK(rows.diagnostics()[0].hint == "did you mean 'timing'?");
}

TEST_CASE("shapes that cannot be are refused, and sizes beyond all memory too") {
  CHECK(
      places(read("op,in_ch,in_h,in_w,out_ch,kernel_h,kernel_w,groups\nconv2d,8,2,2,16,3,3,3\n")) ==
      std::vector<std::string>{"2:21 bad-shape groups"});
  CHECK(places(read("op,in_ch,in_h,in_w,out_ch,kernel_h,kernel_w\nconv2d,8,2,2,16,3,3\n")) ==
        std::vector<std::string>{"2:17 bad-shape kernel_h"});
  CHECK(places(read("op,m,n,k\ngemm,200000000000,200000000000,200000000000\n")) ==
        std::vector<std::string>{"2:1 too-large op"});
  CHECK(places(read("op,rows,cols,pass\nadd,1,1,input_gradient\n")) ==
        std::vector<std::string>{"2:9 unknown-word pass"});
}

TEST_CASE("a table without a column op says so") {
  CHECK(places(read("kind,m\ngemm,1\n")) == std::vector<std::string>{"1:1 missing-column op"});
}

}  // namespace tantalus::testing
