// Every difference between parsers that was found has its row in the smuggling tests: by its id, so that none gets
// lost. F framing, L length, H fields, T target, V version, M method, C chunks, P pipelining, R answers: what
// Beast 1.81 does with them (docs/http-framing.md). D: what Podman's own decoders do with heads, in the order in which
// it was tried.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

constexpr const char* known[] = {
    "F01", "F02", "F03", "F04", "F05", "F06", "F07", "F08", "F09", "F10", "F11", "F13", "F14", "F15", "F16",
    "F17", "F18", "F20", "F21", "F22", "F23", "L01", "L02", "L03", "L04", "L05", "L06", "L07", "L08", "L09",
    "L10", "L11", "L12", "L13", "L14", "L17", "L18", "L19", "H01", "H02", "H03", "H04", "H05", "H06", "H07",
    "H08", "H09", "H10", "H11", "H12", "H13", "H14", "H15", "H16", "H17", "H18", "H20", "H24", "H25", "H26",
    "T01", "T02", "T03", "T04", "T05", "T06", "T07", "T08", "T09", "T10", "T17", "T19", "V01", "V02", "V03",
    "V04", "V05", "V06", "V07", "M01", "M02", "M03", "M07", "S01", "S02", "S03", "S04", "S05", "C01", "C02",
    "C03", "C04", "C05", "C06", "C07", "C08", "C09", "C10", "C11", "C13", "C14", "C15", "C16", "C17", "C18",
    "P01", "P02", "R02", "R03", "R07", "R09", "R14", "R16", "R17", "D01", "D02", "D03", "D04", "D05", "D06",
    "D07", "D08", "D09", "D10", "D11", "D12", "D13", "D14", "D15", "D16", "D17", "D18", "D19", "D20", "D21"};

std::set<std::string> ids_in_tests() {
  std::set<std::string> ids;
  const std::regex id("[FLHTVMSCPRD][0-9][0-9]");
  for (const auto& entry : std::filesystem::directory_iterator(PODFENCE_SOURCE_DIR "/tests/proxy")) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("smuggling_") || name == "smuggling_rows_test.cpp") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator found(text.begin(), text.end(), id), end; found != end; ++found) ids.insert(found->str());
  }
  return ids;
}

}  // namespace

TEST_CASE("every known difference between parsers has a row") {
  const auto rows = ids_in_tests();
  for (const auto* id : known) {
    CAPTURE(id);
    CHECK(rows.contains(id));
  }
}
