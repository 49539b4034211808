#include "sim/base/diagnostic.hpp"

#include <string>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

Diagnostic unknown_key() {
  Diagnostic d;
  d.code = "unknown-key";
  d.where = {"x.yaml", 2, 5};
  d.path = "sm.warps_per_sms";
  d.message = "no such field";
  d.hint = "did you mean 'warps_per_sm'?";
  d.width = 13;
  return d;
}

TEST_CASE("a diagnostic prints its place, its path, the line with a caret, and the hint") {
  const std::string text = render(unknown_key(), "sm:\n    warps_per_sms: 64\n");

  CHECK(text ==
        "x.yaml:2:5: error[unknown-key]: sm.warps_per_sms: no such field\n"
        "    2 |     warps_per_sms: 64\n"
        "      |     ^~~~~~~~~~~~~\n"
        "  hint: did you mean 'warps_per_sm'?\n");
}

TEST_CASE("without the source there is no excerpt, without a hint no hint line") {
  Diagnostic d = unknown_key();
  d.hint.clear();

  CHECK(render(d) == "x.yaml:2:5: error[unknown-key]: sm.warps_per_sms: no such field\n");
}

TEST_CASE("line 0 means the file as a whole") {
  Diagnostic d = unknown_key();
  d.where = {"x.yaml", 0, 0};

  CHECK(render(d, "abc").substr(0, 28) == "x.yaml: error[unknown-key]: ");
}

TEST_CASE("a place outside the text prints no excerpt and does not crash") {
  Diagnostic d = unknown_key();
  d.where = {"x.yaml", 99, 99};
  CHECK(render(d, "one line").find('|') == std::string::npos);
  d.where = {"x.yaml", 1, 99};
  CHECK(render(d, "one line").find('|') == std::string::npos);
}

TEST_CASE("a tab before the caret does not move it") {
  Diagnostic d = unknown_key();
  d.where = {"x.yaml", 1, 3};
  d.width = 1;

  CHECK(render(d, "\t\tx").find("    1 |   x\n      |   ^\n") != std::string::npos);
}

TEST_CASE("the underline ends with the line") {
  Diagnostic d = unknown_key();
  d.where = {"x.yaml", 1, 2};
  d.width = 100;

  CHECK(render(d, "abc\n").find("      |  ^~\n") != std::string::npos);
}

TEST_CASE("the name of a file outlives the text and the place that it was made of") {
  FileName copy;
  {
    std::string text = "x.yaml";
    const SourcePos where{text, 1, 2};
    text = "other";
    copy = where.file;
  }

  CHECK(copy.text() == "x.yaml");
  CHECK(copy == FileName("x.yaml"));
  CHECK(copy < FileName("y.yaml"));
}

TEST_CASE("without a name a file is empty, whatever it was made of") {
  CHECK(FileName().empty());
  CHECK(FileName("").empty());
  CHECK(FileName() == FileName(""));
  CHECK(FileName().text().empty());
}

TEST_CASE("diagnostics sort by file, line and column, and equal places keep their order") {
  Diagnostics all(4, unknown_key());
  all[0].where = {"b.yaml", 1, 1};
  all[1].where = {"a.yaml", 2, 1};
  all[1].message = "first";
  all[2].where = {"a.yaml", 2, 1};
  all[2].message = "second";
  all[3].where = {"a.yaml", 1, 9};

  sort_by_place(all);

  CHECK(all[0].where.column == 9);
  CHECK(all[1].message == "first");
  CHECK(all[2].message == "second");
  CHECK(all[3].where.file == "b.yaml");
}

TEST_CASE("what equal parts say of one line of one file is said once") {
  Diagnostics all(4, unknown_key());
  all[0].path = "gpu0.sm.warps_per_sms";
  all[1].path = "gpu1.sm.warps_per_sms";
  all[2].where.line = 3;
  all[3].message = "another mistake";

  drop_repeats(all);

  REQUIRE(all.size() == 3);
  CHECK(all[0].path == "gpu0.sm.warps_per_sms");
}

TEST_CASE("without a line, different paths are different mistakes") {
  Diagnostics all(2, unknown_key());
  all[0].where = all[1].where = {"--set", 0, 0};
  all[1].path = "sm.cuont";

  drop_repeats(all);

  CHECK(all.size() == 2);
}

TEST_CASE("warnings and notes are not errors") {
  Diagnostics all(2, unknown_key());
  all[0].severity = Severity::warning;
  all[1].severity = Severity::note;
  CHECK_FALSE(has_errors(all));
  all[1].severity = Severity::error;
  CHECK(has_errors(all));
}

}  // namespace
}  // namespace tantalus
