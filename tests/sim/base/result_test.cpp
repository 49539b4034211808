#include "sim/base/result.hpp"

#include <memory>
#include <string>

#include <doctest/doctest.h>

namespace tantalus {
namespace {

Diagnostic with_severity(Severity severity) {
  Diagnostic d;
  d.severity = severity;
  d.code = "some-code";
  return d;
}

TEST_CASE("a result holds a value and may carry warnings beside it") {
  const Result<int> result(7, {with_severity(Severity::warning)});

  CHECK(result.ok());
  CHECK(*result == 7);
  CHECK(result.diagnostics().size() == 1);
}

TEST_CASE("a failed result holds every reason and no value") {
  const Result<int> result(Diagnostics(3, with_severity(Severity::error)));

  CHECK_FALSE(result.ok());
  CHECK(result.diagnostics().size() == 3);
}

TEST_CASE("asking a failed result for its value is a broken invariant") {
  const Result<int> result(with_severity(Severity::error));

  CHECK_THROWS_AS(result.value(), InvariantError);
}

TEST_CASE("a value does not come with errors, and a failure does not come without one") {
  CHECK_THROWS_AS(Result<int>(7, {with_severity(Severity::error)}), InvariantError);
  CHECK_THROWS_AS(Result<int>(Diagnostics{}), InvariantError);
  CHECK_THROWS_AS(Result<int>(with_severity(Severity::warning)), InvariantError);
}

TEST_CASE("a value that can only be moved moves out") {
  Result<std::unique_ptr<std::string>> result(std::make_unique<std::string>("moved"));

  const std::unique_ptr<std::string> value = std::move(result).value();

  CHECK(*value == "moved");
}

}  // namespace
}  // namespace tantalus
