#pragma once
// What a client gets to see of upstream's answer.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/exchange.hpp"

namespace podfence::rules {

namespace answer {
class LineRule;
}

/// A whole successful answer, judged and written anew. Ask: learn and call again. Deny: upstream.answer.
std::variant<std::string, Ask, Deny> rewrite_answer(Answer answer, Exchange& exchange, std::string_view content);

/// Notes what the judge of events must know before the first one comes that the client's filters let through: a removal
/// is told by what was there. Pods and networks go into the owner memory by being listed.
void ask_what_is_there(Exchange& exchange);

/// What upstream has made has to be recorded, whether the client waits for the answer or not, and after an error too: a
/// part may have been made.
bool is_recorded(const Exchange& exchange);

/// Answers that come as JSON lines. Pure state machine over lines; the wire cuts the lines.
class LineJudge {
 public:
  LineJudge(Answer answer, Exchange& exchange);
  LineJudge(LineJudge&&) noexcept;
  LineJudge& operator=(LineJudge&&) = delete;
  ~LineJudge();

  /// The line to send on (without its newline), nullopt to drop it, or facts to learn first.
  std::variant<std::optional<std::string>, Ask> judge(std::string_view line);
  /// Behind the last line: what the ledger must record. May need facts.
  std::variant<std::vector<Claim>, Ask> finish();
  /// Behind finish(): something that the lines have told of is gone already, and the client must not believe them.
  bool lost() const;
  /// Behind finish(): lines that were kept back, with their newlines.
  std::string last_lines();

 private:
  Exchange& exchange_;
  std::unique_ptr<answer::LineRule> rule_;
};

/// An answer with a status of 400 or more: Podman's error shape, without the ids of objects that the request neither
/// named nor resolved to; when the object of the path is gone meanwhile, the hidden answer.
Reply rewrite_error(Exchange& exchange, int status, std::string_view content);

/// The report of a batch, in the shape Podman's own endpoint has. The outcome's order is the batch's.
struct Outcome {
  std::string name;
  int status = 0;
  std::string content;
};
Reply report(Exchange& exchange, const std::vector<Outcome>& outcomes);

/// Header fields of upstream's answer that cross to the client, by allow-list (Api-Version, Content-Type, …).
Fields answer_fields(Fields upstream);

}  // namespace podfence::rules
