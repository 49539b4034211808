#include <chrono>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "sim/app/csv_table.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

const std::string header = "op,dtype,m,n,k,rows,cols,inputs,timing,label\n";

CsvTable table_of(const Answer& answer) {
  INFO(answer.err);
  REQUIRE(answer.code == 0);
  Result<CsvTable> table = parse_csv(answer.out, "out");
  REQUIRE(table.ok());
  return *table;
}

double number(const CsvTable& table, std::size_t row, const std::string& column) {
  return std::strtod(table.rows[row][*table.column(column)].text.c_str(), nullptr);
}

}  // namespace

TEST_CASE("rows come back as they were with the prediction behind them") {
  const CsvTable table = table_of(
      answer_of({"ops", "a100-80gb-pcie", "-"},
                header + "gemm,fp32,1024,1024,1024,,,,,\"a, b\"\nadd,fp32,,,,1024,1024,2,,x\n"));

  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0][*table.column("label")].text == "a, b");
  CHECK(number(table, 0, "predicted_ms") > 0.1);  // 2.1 GFLOP at 19.5 TFLOP/s
  CHECK(number(table, 0, "low_ms") < number(table, 0, "predicted_ms"));
  CHECK(number(table, 0, "high_ms") > number(table, 0, "predicted_ms"));
  CHECK_FALSE(table.rows[0][*table.column("bound")].text.empty());
}

TEST_CASE("what the data sheet alone says is less certain than with a calibration") {
  const std::string row = header + "relu,fp32,,,,4096,65536,1,,\n";
  const auto width = [&](const char* knowledge) {
    const CsvTable table =
        table_of(answer_of({"ops", "p100-pcie-16gb", "-", "--knowledge", knowledge}, row));
    return number(table, 0, "high_ms") / number(table, 0, "low_ms");
  };

  CHECK(width("datasheet") > width("all"));
}

TEST_CASE("a single call costs more than a queued launch, and a framework's timer lies between") {
  const CsvTable table = table_of(
      answer_of({"ops", "a100-80gb-pcie", "-"},
                header + "add,fp32,,,,1024,1024,2,queued,\nadd,fp32,,,,1024,1024,2,framework,\n"
                         "add,fp32,,,,1024,1024,2,single_call,\n"));

  CHECK(number(table, 0, "predicted_ms") < number(table, 2, "predicted_ms"));
  CHECK(number(table, 1, "predicted_ms") < number(table, 2, "predicted_ms"));
}

TEST_CASE("a single call under the library of a published table costs what its software does") {
  const std::string row = "add,fp32,64,64,2,single_call,";
  const std::string text =
      "op,dtype,rows,cols,inputs,timing,library\n" + row + "\n" + row + "pytorch-2.1-cuda-12.1\n";
  const CsvTable usual = table_of(answer_of({"ops", "a100-80gb-pcie", "-"}, text));
  const CsvTable chosen =
      table_of(answer_of({"ops", "a100-80gb-pcie", "-", "--stack", "pytorch-2-eager"}, text));

  CHECK(number(usual, 1, "predicted_ms") > 2.0 * number(usual, 0, "predicted_ms"));
  CHECK(number(chosen, 1, "predicted_ms") == number(chosen, 0, "predicted_ms"));
}

TEST_CASE("the products of a table stored by columns are read the other way round") {
  const std::string head = "op,dtype,m,n,k,trans_a,trans_b,library\n";
  const CsvTable columns = table_of(
      answer_of({"ops", "v100-sxm2", "-"}, head + "gemm,fp32,512,16,100000,1,0,deepbench\n"));
  const CsvTable rows = table_of(
      answer_of({"ops", "v100-sxm2", "-"}, head + "gemm,fp32,16,512,100000,0,1,cuda-generic\n"));

  CHECK(number(columns, 0, "predicted_ms") == number(rows, 0, "predicted_ms"));
}

TEST_CASE("a catalogue that is not there is answered by the device's own, with one warning") {
  const Answer answer =
      answer_of({"ops", "a100-80gb-pcie", "-"},
                "op,m,n,k,library\ngemm,64,64,64,nonesuch\ngemm,64,64,64,nonesuch\n");

  CHECK(answer.code == 0);
  CHECK(contains(answer.err, "standard input:2:15: warning[unknown-library]"));
  CHECK_FALSE(contains(answer.err, "standard input:3"));
}

TEST_CASE("a row is answered by the catalogue that it names") {
  const Answer answer = answer_of({"ops", "epyc-9755", "-"},
                                  "op,m,n,k,library\ngemm,8192,8192,8192,onednn-avx512\n"
                                  "gemm,8192,8192,8192,onednn-avx2\n");
  const CsvTable table = table_of(answer);

  CHECK_FALSE(contains(answer.err, "unknown-library"));
  CHECK(number(table, 1, "predicted_ms") > 1.5 * number(table, 0, "predicted_ms"));
}

TEST_CASE("bad cells are reported with file, line and column, all at once") {
  const TemporaryFile file("bad.csv", "op,m,n,k\ngemm,x,1,1\ngem,1,1,1\n");

  const Answer answer = answer_of({"ops", "a100-80gb-pcie", file.path()});

  CHECK(answer.code == 3);
  CHECK(answer.out.empty());
  CHECK(contains(answer.err, "bad.csv:2:6: error[bad-number]: m"));
  CHECK(contains(answer.err, "bad.csv:3:1: error[unknown-word]: op"));
}

TEST_CASE("a row that the device cannot run stays empty and the exit code says so") {
  const Answer answer = answer_of({"ops", "gtx580", "-"},
                                  header + "gemm,fp8,64,64,64,,,,,\ngemm,fp32,64,64,64,,,,,\n");

  CHECK(answer.code == 4);
  CHECK(contains(answer.out, "gemm,fp8,64,64,64,,,,,,,,,,\n"));
  CHECK(contains(answer.err, "standard input:2:1: error["));
}

TEST_CASE("the JSON of ops is a document with schema and fingerprint") {
  const Answer answer =
      answer_of({"ops", "a100-80gb-pcie", "-", "--format", "json"}, "op,m,n,k\ngemm,64,64,64\n");

  const auto document = nlohmann::json::parse(answer.out);
  CHECK(document["schema"] == "tantalus.ops/1");
  CHECK(document["fingerprint"].get<std::string>().size() == 16);
  CHECK(document["rows"][0]["m"] == "64");
  CHECK(document["rows"][0]["predicted_ms"] > 0.0);
}

TEST_CASE("an empty table with a header is answered with a header") {
  CHECK(answer_of({"ops", "a100-80gb-pcie", "-"}, "op,m\n").out ==
        "op,m,predicted_ms,low_ms,high_ms,bound,algorithm_used\n");
}

}  // namespace tantalus::testing
