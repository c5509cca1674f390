#pragma once
// What came of a probe: by the answer, and by what Podman has afterwards.

#include <string>
#include <string_view>
#include <vector>

#include "rules/verify/probe.hpp"
#include "rules/verify/survey.hpp"

namespace podfence::rules::verify {

struct Answer {
  int status = 0;  ///< 0: there was none
  std::string content = {};
};

/// Something that was not there before the probe.
struct Made {
  Thing thing;
  std::string document = {};  ///< as Podman inspects it
};

struct Observed {
  Answer answer;
  Answer twin = {};                       ///< of the same request for things that are not there
  std::vector<std::string> changes = {};  ///< of the decoy
  std::vector<Made> made = {};
  std::vector<Thing> claiming = {};  ///< what carries the decoy's label and is not the decoy's
};

struct Verdict {
  enum class Result { Pass, Fail, Skip } result = Result::Skip;
  std::string seen = {};  ///< evidence, or why it could not be carried out
};

Verdict judge(const Probe& probe, const Scene& scene, const Observed& observed);

/// "403 mount.host-path: a path of the host cannot be mounted", "no answer".
std::string text_of(const Answer& answer);

}  // namespace podfence::rules::verify
