#include "sim/hardware/cache/access_trace.hpp"

#include <doctest/doctest.h>

namespace tantalus {
namespace {

Diagnostics mistakes_of(std::string_view text) {
  return read_access_trace(text, "a.trace").diagnostics();
}

TEST_CASE("a lackey trace is read past its remarks") {
  const auto trace = read_access_trace(
      "==12== Lackey, an example tool\n--12-- more\nI  0401ab,3\n L 1ffeff,8\n S 1FFF00,4\n M "
      "10,1\n\n",
      "a.trace");
  REQUIRE(trace.ok());
  CHECK(*trace == Accesses{{0x401ab, 3, AccessKind::instruction},
                           {0x1ffeff, 8, AccessKind::load},
                           {0x1fff00, 4, AccessKind::store},
                           {0x10, 1, AccessKind::modify}});
}

TEST_CASE("a Dinero trace is read with its remarks behind the address") {
  const auto trace = read_access_trace("2 430d70\r\n0 7fff0a0 the stack\n1 7fff0a4\n", "a.din");
  REQUIRE(trace.ok());
  CHECK(*trace == Accesses{{0x430d70, 4, AccessKind::instruction},
                           {0x7fff0a0, 4, AccessKind::load},
                           {0x7fff0a4, 4, AccessKind::store}});
}

TEST_CASE("the own form comes back as it was") {
  const Accesses accesses{{0x123456789abcdefULL, 64, AccessKind::load, 0},
                          {1, 1, AccessKind::store, 7},
                          {2, 4096, AccessKind::modify, 65535}};
  const auto back = read_access_trace(access_trace_bytes(accesses), "a.bin");
  REQUIRE(back.ok());
  CHECK(*back == accesses);
  CHECK(access_trace_bytes(accesses).size() == 8 + 3 * 16);
}

TEST_CASE("each bad line is reported at its column with the field") {
  const Diagnostics found = mistakes_of(" L 10,4\n X 10,4\n L 1g,4\n L 10,0\n L 10\n L 10,4 5\n");
  REQUIRE(found.size() == 5);
  CHECK(found[0].where.line == 2);
  CHECK(found[0].where.column == 2);
  CHECK(found[0].path == "kind");
  CHECK(found[1].path == "address");
  CHECK(found[1].where.column == 4);
  CHECK(found[1].width == 2);
  CHECK(found[2].path == "bytes");
  CHECK(found[2].where.column == 7);
  CHECK(found[3].message == "is missing");
  CHECK(found[4].message == "'5' follows the access");
  for (const Diagnostic& d : found) CHECK(d.code == "bad-trace");
}

TEST_CASE("labels of a Dinero trace are 0, 1 or 2") {
  const Diagnostics found = mistakes_of("0 10\n3 10\n1\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "label");
  CHECK(found[1].path == "address");
}

TEST_CASE("no more than twenty bad lines are reported") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += " L x,4\n";
  CHECK(mistakes_of(text).size() == 20);
}

TEST_CASE("an access past the last address is refused") {
  CHECK(mistakes_of(" L ffffffffffffffff,1\n").empty());
  CHECK(mistakes_of(" L ffffffffffffffff,2\n").size() == 1);
  CHECK(mistakes_of("0 fffffffffffffffe\n").size() == 1);
}

TEST_CASE("traces that are empty, cut off or of no known kind are refused") {
  CHECK(mistakes_of("").size() == 1);
  CHECK(mistakes_of("== only remarks\n").size() == 1);
  CHECK(mistakes_of("TNTACC1\n").size() == 1);
  CHECK(mistakes_of("TNTACC1\nshort").size() == 1);
  std::string bytes = access_trace_bytes({{1, 1, AccessKind::load}});
  bytes[8 + 12] = 9;
  CHECK(mistakes_of(bytes)[0].path == "records.0");
}

}  // namespace
}  // namespace tantalus
