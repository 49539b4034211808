// Writing comma-separated values (RFC 4180 with LF line ends): a field with a comma, a quote or a line end is quoted.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tantalus {

std::string csv_field(std::string_view text);

/// The fields with commas between and a line end.
std::string csv_line(std::span<const std::string> fields);

}  // namespace tantalus
