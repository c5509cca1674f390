#pragma once
// The whole policy as one function, without a socket, an engine or a file: request and facts in, decision out. For
// fuzzers and tests of other people, who link librules (docs/fuzzing.md).

#include <string>
#include <string_view>

#include "rules/decision.hpp"
#include "rules/project.hpp"
#include "rules/stated_ledger.hpp"
#include "rules/stated_objects.hpp"

namespace podfence::rules {

class OfflineJudge {
 public:
  /// Texts of a configuration file and of a facts file (docs/configuration.md, docs/explain.md); "" states nothing.
  /// Policy files that the configuration names cannot be read. Throws std::invalid_argument with the error's text.
  OfflineJudge(std::string_view configuration, std::string_view project, std::string_view facts);

  /// As the proxy decides when this is the first request that it gets; never Ask. `target` is origin-form as sent,
  /// `content` the whole of it without its framing, "" for none. Any bytes will do; archives are not looked into.
  Decision decide(std::string_view method, std::string_view target, std::string_view content = "") const;

 private:
  Project project_;
  StatedObjects facts_;
  StatedLedger ledger_;
};

}  // namespace podfence::rules
