#pragma once
// What came of a request, in short: `podfence replay` prints it and holds it against another one, of the same request
// decided once more or under another policy. The long form is a trace (trace.hpp).

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/trace.hpp"

namespace podfence::rules {

struct Verdict {
  std::string method;  ///< as the client sent them
  std::string target;
  const Endpoint* endpoint = nullptr;  ///< nullptr when none was found
  std::string_view decision;           ///< as the audit log has it: "allow", "rewrite", "hide", "refuse" or "error"
  int status = 0;                      ///< of the answer without Podman; 0 where Podman answers
  std::string rule;                    ///< of a refusal
  std::string subject;                 ///< likewise
  std::string answer;                  ///< content of the answer without Podman
  std::vector<std::string> ledger;     ///< what would be recorded: "own tag docker.io/library/alpine:3.20"
  std::vector<std::string> sent;       ///< to Podman, in order, whole messages; heads only of content that is streamed
  WrittenMembers members;              ///< of such content: what is written anew in an archive, or left out
  std::string fetched;                 ///< the image that is pulled first; what is decided then depends on it
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// All but `sent`, which the wire writes.
Verdict verdict_of(const Judged& judged, const Decision& decision);

/// What is between two verdicts on one request: "decision", "answer", "ledger" or "request" (what is sent), the first
/// that differs;
/// "" for nothing.
std::string_view difference_between(const Verdict& one, const Verdict& other);

/// Which request it was: the file (or a name for what came otherwise), and its number in there, from 1.
struct RequestPlace {
  std::string input;
  std::size_t number = 1;
};

// Lines without their end. docs/fuzzing.md tells the columns and members.

std::string verdict_tsv(const RequestPlace& place, const Verdict& verdict);
std::string verdict_json(const RequestPlace& place, const Verdict& verdict);
/// nullptr: the request was not read there, behind one that ended the connection.
std::string difference_tsv(const RequestPlace& place, const Verdict* one, const Verdict* other);
std::string difference_json(const RequestPlace& place, const Verdict* one, const Verdict* other);

}  // namespace podfence::rules
