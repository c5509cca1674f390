#pragma once
// Every request of many inputs, decided twice: once by what has just started, once by what remembers the first time.
// Whoever fuzzes or tests a policy wants the decisions; two that differ are a fault of ours.

#include <string>
#include <string_view>
#include <vector>

#include "proxy/rehearsal.hpp"
#include "rules/verdict.hpp"

namespace podfence::proxy {

class Replay {
 public:
  /// Both live longer.
  Replay(const rules::Project& project, const rules::StatedObjects& facts)
      : project_(project), rehearsal_(project, {&facts, "", ""}) {}

  struct Result {
    std::vector<rules::Verdict> verdicts;  ///< of each request, in order
    bool closed = false;                   ///< bytes behind the last request were not read
    std::string_view differs = "";         ///< what the second time decided otherwise: "decision", "request", …
  };
  /// `bytes` is all that a client sends on one connection. Nothing but line ends is no request.
  Result decide(std::string_view bytes);

 private:
  Result decide_once(std::string_view bytes);

  const rules::Project& project_;
  Rehearsal rehearsal_;
};

}  // namespace podfence::proxy
