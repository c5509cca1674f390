// A fuzz target of your own over podfence's whole policy, for libFuzzer and for AFL++ in persistent mode: both call
// this one function. docs/fuzzing.md tells how to build it. An input is `METHOD target` on its first line and the
// content behind it, as in fuzz/corpus/decision; what your fuzzer makes of it is your own choice.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "rules/offline_judge.hpp"

namespace {

using podfence::rules::Forward;
using podfence::rules::OfflineJudge;

// Put in your own.
constexpr const char* configuration = R"({"projects": {"p1": {"images": {"shared": ["localhost/*"]}}, "p10": {}}})";
constexpr const char* facts = R"({"containers": [{"name": "web", "project": "p1"}, {"name": "db", "project": "p10"}],
                                  "volumes": [{"name": "data10", "project": "p10"}],
                                  "images": [{"id": "1111111111111111111111111111111111111111111111111111111111111111",
                                              "tags": {"localhost/shared/base:latest": []}}]})";

/// A claim about what goes to Podman.
void claim(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const OfflineJudge judge(configuration, "p1", facts);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.substr(0, text.find('\n'));
  const auto space = line.find(' ');
  if (line.size() == size || space == std::string_view::npos) return 0;
  const auto decision = judge.decide(line.substr(0, space), line.substr(space + 1), text.substr(line.size() + 1));
  const auto* forward = std::get_if<Forward>(&decision);
  if (!forward) return 0;
  const auto content = forward->request.content.value_or("");
  claim(content.find(R"("Privileged":true)") == std::string::npos, "nothing is privileged");
  claim(forward->request.target.find("/db/") == std::string::npos, "nothing is done to the container db");
  return 0;
}
