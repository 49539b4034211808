#include "sim/hardware/cache/access_trace.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

namespace tantalus {

namespace {

constexpr std::string_view magic = "TNTACC1\n";
constexpr std::size_t record = 16;
constexpr std::size_t most_mistakes = 20;
constexpr std::string_view lackey_hint =
    "I, L, S or M, then ADDRESS,BYTES in hexadecimal and decimal, e.g. ' L 7fff0010,8'";
constexpr std::string_view din_hint =
    "LABEL ADDRESS: 0 load, 1 store or 2 instruction, then hexadecimal, e.g. '0 7fff0010'";

/// One line, read from left to right.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line) {}

  void skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
  }
  bool at_end() const { return at_ == line_.size(); }
  std::size_t at() const { return at_; }
  char next() { return at_end() ? '\0' : line_[at_++]; }

  /// The characters up to a blank or `stop`.
  std::string_view word(char stop = ' ') {
    const std::size_t begin = at_;
    while (at_ < line_.size() && !is_blank(line_[at_]) && line_[at_] != stop) ++at_;
    return line_.substr(begin, at_ - begin);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  std::string_view line_;
  std::size_t at_ = 0;
};

template <class T>
bool read_number(std::string_view text, T& value, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// What is wrong with a line.
struct Fault {
  std::string field;
  std::string message;
  std::size_t column = 0;  // from 0
  std::size_t width = 1;
};

Fault fault(std::string_view field, std::string_view word, std::size_t column,
            std::string_view what) {
  std::string message = word.empty() ? "is missing" : "'" + std::string(word.substr(0, 40)) + "' ";
  if (!word.empty()) message += what;
  return {std::string(field), std::move(message), column, std::max<std::size_t>(1, word.size())};
}

std::optional<Fault> past_the_end(const Access& access, std::size_t column) {
  if (access.address + (access.bytes - 1) >= access.address) return std::nullopt;
  return Fault{"address", "the last byte has no address of 64 bits", column, 1};
}

std::optional<AccessKind> lackey_kind(std::string_view letter) {
  if (letter == "I") return AccessKind::instruction;
  if (letter == "L") return AccessKind::load;
  if (letter == "S") return AccessKind::store;
  if (letter == "M") return AccessKind::modify;
  return std::nullopt;
}

std::optional<Fault> read_lackey(LineReader line, Access& access) {
  line.skip_blanks();
  std::size_t at = line.at();
  const std::string_view letter = line.word();
  const std::optional<AccessKind> kind = lackey_kind(letter);
  if (!kind) return fault("kind", letter, at, "is none of I, L, S and M");
  access.kind = *kind;
  line.skip_blanks();
  const std::size_t address_at = line.at();
  const std::string_view address = line.word(',');
  if (!read_number(address, access.address, 16))
    return fault("address", address, address_at, "is no hexadecimal address of 64 bits");
  line.next();  // the comma, if any
  at = line.at();
  const std::string_view bytes = line.word();
  if (!read_number(bytes, access.bytes, 10) || access.bytes == 0 || access.bytes > longest_access)
    return fault("bytes", bytes, at, "is no number of bytes from 1 to 4096");
  line.skip_blanks();
  if (!line.at_end()) {
    at = line.at();
    return fault("bytes", line.word(), at, "follows the access");
  }
  return past_the_end(access, address_at);
}

std::optional<Fault> read_din(LineReader line, Access& access) {
  line.skip_blanks();
  std::size_t at = line.at();
  const std::string_view label = line.word();
  unsigned kind = 0;
  if (!read_number(label, kind, 10) || kind > 2)
    return fault("label", label, at, "is none of 0, 1 and 2");
  access.kind = static_cast<AccessKind>(kind);
  access.bytes = 4;
  line.skip_blanks();
  at = line.at();
  const std::string_view address = line.word();
  if (!read_number(address, access.address, 16))
    return fault("address", address, at, "is no hexadecimal address of 64 bits");
  return past_the_end(access, at);
}

bool is_remark(std::string_view line) { return line.starts_with("==") || line.starts_with("--"); }

Diagnostic bad_trace(const std::string& file, int line, Fault found, std::string_view hint) {
  Diagnostic d;
  d.code = "bad-trace";
  d.where = {file, line, line == 0 ? 0 : static_cast<int>(found.column) + 1};
  d.path = std::move(found.field);
  d.message = std::move(found.message);
  d.hint = std::string(hint);
  d.width = static_cast<int>(found.width);
  return d;
}

Diagnostic no_access(const std::string& file) {
  return bad_trace(file, 0, {"", "the trace holds no access", 0, 1},
                   "record one: valgrind --tool=lackey --trace-mem=yes --log-file=FILE PROGRAM");
}

Result<Accesses> read_lines(std::string_view text, const std::string& file) {
  Accesses accesses;
  Diagnostics wrong;
  bool known = false, din = false;
  for (int number = 1; !text.empty() && wrong.size() < most_mistakes; ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    LineReader reader(line);
    reader.skip_blanks();
    if (reader.at_end() || is_remark(line)) continue;
    if (!known) {
      const char first = reader.next();
      din = first >= '0' && first <= '9';
      known = true;
    }
    Access access;
    std::optional<Fault> found =
        din ? read_din(LineReader(line), access) : read_lackey(LineReader(line), access);
    if (found)
      wrong.push_back(bad_trace(file, number, std::move(*found), din ? din_hint : lackey_hint));
    accesses.push_back(access);
  }
  if (!wrong.empty()) return wrong;
  if (accesses.empty()) return no_access(file);
  return accesses;
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

void append_little_endian(std::string& text, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xffU);
}

std::optional<Access> read_record(std::string_view bytes) {
  Access access;
  access.address = little_endian(bytes.substr(0, 8));
  access.bytes = static_cast<std::uint32_t>(little_endian(bytes.substr(8, 4)));
  const auto kind = static_cast<unsigned char>(bytes[12]);
  access.core = static_cast<std::uint16_t>(little_endian(bytes.substr(14, 2)));
  if (kind >= access_kinds || bytes[13] != '\0' || access.bytes == 0 ||
      access.bytes > longest_access || past_the_end(access, 0))
    return std::nullopt;
  access.kind = static_cast<AccessKind>(kind);
  return access;
}

Result<Accesses> read_binary(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) return no_access(file);
  if (bytes.size() % record != 0)
    return bad_trace(file, 0, {"", "the trace ends inside a record of 16 bytes", 0, 1},
                     "was it cut off?");
  Accesses accesses;
  accesses.reserve(bytes.size() / record);
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    const std::optional<Access> access = read_record(bytes.substr(at, record));
    if (!access)
      return bad_trace(file, 0, {"records." + std::to_string(at / record), "is no access", 0, 1},
                       "address (8 bytes), bytes (4, from 1 to 4096), kind (1, from 0 to 3), zero "
                       "(1), core (2), all little-endian");
    accesses.push_back(*access);
  }
  return accesses;
}

}  // namespace

Result<Accesses> read_access_trace(std::string_view text, const std::string& file) {
  if (text.starts_with(magic)) return read_binary(text.substr(magic.size()), file);
  return read_lines(text, file);
}

std::string access_trace_bytes(const Accesses& accesses) {
  std::string bytes(magic);
  bytes.reserve(magic.size() + accesses.size() * record);
  for (const Access& access : accesses) {
    append_little_endian(bytes, access.address, 8);
    append_little_endian(bytes, access.bytes, 4);
    append_little_endian(bytes, static_cast<std::uint64_t>(access.kind), 2);
    append_little_endian(bytes, access.core, 2);
  }
  return bytes;
}

}  // namespace tantalus
