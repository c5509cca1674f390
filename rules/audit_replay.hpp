#pragma once
// A line of the audit log as a request again, as far as the line goes, and its decision of then beside that of now.

#include <string>
#include <variant>
#include <vector>

#include "rules/trace.hpp"

namespace podfence::rules {

struct AuditedRequest {
  std::string bytes;                 ///< as a client would send them
  std::vector<std::string> missing;  ///< see Recorded
};

/// Or why there is nothing to be made of it, in a phrase.
std::variant<AuditedRequest, std::string> request_of(const AuditRecord& record);

enum class Comparison {
  Same,
  Other,    ///< and the line tells all of the request: policy or objects are not what they were
  Unknown,  ///< another verdict, or none that can be compared; it may come of what is missing
};
/// `trace` has `recorded`.
Comparison compared(const Trace& trace);
std::string_view comparison_word(Comparison comparison);
/// For people.
std::string comparison_text(const Trace& trace);

}  // namespace podfence::rules
