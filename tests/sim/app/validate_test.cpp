#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "sim/app/csv_table.hpp"
#include "tests/sim/app/console.hpp"

namespace tantalus::testing {

namespace {

using Json = nlohmann::json;

const std::string header = "op,dtype,m,n,k,rows,cols,inputs,measured_ms,label\n";
const std::string two_rows =
    header + "gemm,fp32,1024,1024,1024,,,,0.2,square\nadd,fp32,,,,1024,1024,2,0.001,small\n";

Answer validate(const std::string& table, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"validate", "a100-80gb-pcie", "--measured", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return answer_of(arguments, table);
}

}  // namespace

TEST_CASE("each row has its signed error, and its prediction is the one of ops") {
  const Answer answer = validate(two_rows, {"--format", "json"});
  const Answer ops = answer_of({"ops", "a100-80gb-pcie", "-", "--format", "json"}, two_rows);

  REQUIRE(answer.code == 0);
  const Json document = Json::parse(answer.out), predicted = Json::parse(ops.out);
  CHECK(document["schema"] == "tantalus.validate/1");
  REQUIRE(document["rows"].size() == 2);
  const Json& row = document["rows"][0];
  CHECK(row["line"] == 2);
  CHECK(row["family"] == "gemm fp32");
  CHECK(row["label"] == "square");
  CHECK(row["predicted_ms"] == predicted["rows"][0]["predicted_ms"]);
  const double error = row["predicted_ms"].get<double>() / 0.2 - 1.0;
  CHECK(row["error"].get<double>() == doctest::Approx(error).epsilon(1e-4));
}

TEST_CASE("the roofline beside it comes from listed peaks alone") {
  const Json row = Json::parse(validate(two_rows, {"--format", "json"}).out)["rows"][0];

  // 2 x 1024^3 FLOPs over 108 SMs x 64 lanes x 2 x 1.41 GHz
  const double peak = 108.0 * 64.0 * 2.0 * 1.41e9;
  CHECK(row["roofline_ms"].get<double>() == doctest::Approx(2.0 * 1073741824.0 / peak * 1e3));
}

TEST_CASE("small rows are summed up apart, not hidden") {
  const Json document =
      Json::parse(validate(two_rows, {"--format", "json", "--least", "0.1 ms"}).out);

  CHECK(document["summary"]["count"] == 1);
  CHECK(document["below"]["summary"]["count"] == 1);
  CHECK(document["below"]["least_ms"] == 0.1);
  CHECK(document["rows"].size() == 1);
}

TEST_CASE("the exit code says whether the mean error is within the tolerance") {
  CHECK(validate(two_rows).code == 0);
  CHECK(validate(two_rows, {"--tolerance", "100"}).code == 0);
  CHECK(validate(two_rows, {"--tolerance", "0.0001"}).code == 1);
}

TEST_CASE("rows of all sizes come back as CSV") {
  const Answer answer = validate(two_rows, {"--format", "csv", "--least", "0.1 ms"});

  const Result<CsvTable> table = parse_csv(answer.out, "out");
  REQUIRE(table.ok());
  CHECK(table->rows.size() == 2);
  CHECK(table->column("error").has_value());
}

TEST_CASE("a table without measured times is refused with the remedy") {
  const Answer answer = validate("op,m,n,k\ngemm,64,64,64\n");

  CHECK(answer.code == 3);
  CHECK(contains(answer.err, "standard input:1:1: error[missing-column]: measured_ms"));
}

TEST_CASE("every bad measured time is reported at its place") {
  const Answer answer =
      validate("op,m,n,k,measured_ms\ngemm,64,64,64,0\ngemm,64,64,64,fast\ngemm,64,64,64,\n");

  CHECK(answer.code == 3);
  CHECK(contains(answer.err, "standard input:2:15: error[bad-number]: measured_ms"));
  CHECK(contains(answer.err, "standard input:3:15: error[bad-number]: measured_ms"));
  CHECK(contains(answer.err, "standard input:4:15: error[bad-number]: measured_ms"));
  CHECK(answer.out.empty());
}

TEST_CASE("without a table there is nothing to compare with") {
  const Answer answer = answer_of({"validate", "a100-80gb-pcie"});

  CHECK(answer.code == 2);
  CHECK(contains(answer.err, "--measured"));
}

}  // namespace tantalus::testing
