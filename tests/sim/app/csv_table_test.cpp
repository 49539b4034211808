#include "sim/app/csv_table.hpp"

#include <doctest/doctest.h>

namespace tantalus::testing {

TEST_CASE("cells keep their text and their place") {
  const Result<CsvTable> table = parse_csv("op,m,n\ngemm,1,22\n", "t.csv");

  REQUIRE(table.ok());
  REQUIRE(table->rows.size() == 1);
  CHECK(table->rows[0][2].text == "22");
  CHECK(table->rows[0][2].where == SourcePos{"t.csv", 2, 8});
  CHECK(table->rows[0][2].width == 2);
  CHECK(table->column("n") == 2);
  CHECK_FALSE(table->column("k").has_value());
}

TEST_CASE("quoted cells may hold commas, quotes and line ends") {
  const Result<CsvTable> table = parse_csv("op,label\ngemm,\"a, \"\"b\"\"\nc\"\nadd,d\n", "t.csv");

  REQUIRE(table.ok());
  REQUIRE(table->rows.size() == 2);
  CHECK(table->rows[0][1].text == "a, \"b\"\nc");
  CHECK(table->rows[1][0].where.line == 4);
}

TEST_CASE("line ends, blank lines, a byte order mark and a missing last line end read the same") {
  const Result<CsvTable> table = parse_csv("\xEF\xBB\xBFop,m\r\n\r\ngemm,1\r\n\nadd,2", "t.csv");

  REQUIRE(table.ok());
  CHECK(table->header[0].text == "op");
  REQUIRE(table->rows.size() == 2);
  CHECK(table->rows[1][1].text == "2");
}

TEST_CASE("rows of another length, open quotes and repeated columns are all reported") {
  const Result<CsvTable> table = parse_csv("op,m,m\ngemm,1\nadd,\"2\"x,3\ncopy,\"4,5\n", "t.csv");

  REQUIRE(!table.ok());
  const Diagnostics& found = table.diagnostics();
  std::vector<std::string> codes;
  for (const Diagnostic& d : found) codes.push_back(d.code + "@" + std::to_string(d.where.line));
  CHECK(codes == std::vector<std::string>{"bad-quote@3", "bad-quote@4", "duplicate-column@1",
                                          "wrong-cell-count@2", "wrong-cell-count@4"});
}

TEST_CASE("an empty table has no header line") {
  const Result<CsvTable> table = parse_csv("\n\n", "t.csv");

  REQUIRE(!table.ok());
  CHECK(table.diagnostics().front().code == "empty-file");
}

}  // namespace tantalus::testing
