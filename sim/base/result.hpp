// Result<T>: a value, possibly with warnings, or the diagnostics that say why there is none. All mistakes of a stage travel
// together. Asking a failed Result for its value is a broken invariant, not undefined behaviour.
#pragma once

#include <optional>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/diagnostic.hpp"

namespace tantalus {

template <class T>
class Result {
 public:
  Result(T value, Diagnostics warnings =  // NOLINT(google-explicit-constructor): `return value;`
                  {})
      : value_(std::move(value)), diagnostics_(std::move(warnings)) {
    TANTALUS_CHECK(!has_errors(diagnostics_), "a value does not come with errors");
  }
  Result(Diagnostics errors)  // NOLINT(google-explicit-constructor): likewise
      : diagnostics_(std::move(errors)) {
    TANTALUS_CHECK(has_errors(diagnostics_), "a failed result says why");
  }
  Result(Diagnostic error)  // NOLINT(google-explicit-constructor): likewise
      : Result(Diagnostics{std::move(error)}) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    TANTALUS_CHECK(ok(), "the result has no value");
    return *value_;
  }
  T& value() & {
    TANTALUS_CHECK(ok(), "the result has no value");
    return *value_;
  }
  T&& value() && {
    TANTALUS_CHECK(ok(), "the result has no value");
    return std::move(*value_);
  }
  const T* operator->() const { return &value(); }
  const T& operator*() const& { return value(); }

  /// Warnings beside a value, or everything that prevented it.
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  std::optional<T> value_;
  Diagnostics diagnostics_;
};

}  // namespace tantalus
