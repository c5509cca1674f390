#pragma once
// How a request was decided, told step by step: `podfence explain`. Nothing in the rules is watched while they decide;
// what became of the request is found by holding what the client sent against what the decision sends.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/audit.hpp"
#include "rules/configuration.hpp"
#include "rules/exchange.hpp"
#include "rules/json_difference.hpp"

namespace podfence::rules {

/// A change from what the client sent, and the rule's sentence for it.
struct Rewrite {
  json::Difference difference;
  std::string says;
};

/// An object that the request named, and whose it is.
struct Reference {
  Kind kind = Kind::None;
  std::string name;
  Ownership ownership = Ownership::Missing;
  std::string project;  ///< that its label names; "" where it carries none
  std::string id;
};

/// Of a request that a line of the audit log tells of: what was decided then.
struct Recorded {
  AuditRecord record;
  std::vector<std::string> missing;  ///< what the decision may have depended on and the line does not tell, in phrases
};

struct Trace {
  std::string project;
  std::string method;
  std::string target;
  std::vector<std::string> notes;      ///< about the request as it was read, and where the facts are from
  std::string framing;                 ///< "" when the head was refused
  const Endpoint* endpoint = nullptr;  ///< nullptr when none was found
  std::optional<Rewrite> path;
  std::vector<Rewrite> query;
  std::vector<Rewrite> content;
  std::vector<Reference> references;
  Decision decision;
  // Of a refusal:
  std::string truth;   ///< of a hidden one: what the client does not learn
  std::string policy;  ///< key that could allow it, "" for none
  std::optional<PolicyPlace> place;
  std::optional<Recorded> recorded;
};

/// What is known when a judgement is over. What was not reached is nullptr.
struct Judged {
  const Project& project;
  std::string_view method;  ///< as the client sent them
  std::string_view target;
  const Match* match = nullptr;
  const Request* request = nullptr;
  const Facts* facts = nullptr;
};

Trace trace_of(const Judged& judged, Decision decision);

/// For people; `configuration` is what the place of a policy calls the configuration itself.
std::string trace_text(const Trace& trace, std::string_view configuration);
/// One line of JSON. Credentials are left out of both.
std::string trace_json(const Trace& trace, std::string_view configuration);

/// Would the client be served?
bool is_refused(const Trace& trace);

}  // namespace podfence::rules
