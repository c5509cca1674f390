#pragma once
// From the bytes of one head to a RequestHead or AnswerHead, or a refusal. Beast's parser is the tokenizer; it accepts
// far more than may be forwarded, so every field that has a meaning here is checked again, in its raw text. What is
// left out of the result (all other fields) cannot be forwarded by anybody.

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "proxy/head.hpp"
#include "proxy/limits.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

/// A head that is refused, and what could be read of it, for the audit log.
struct RefusedHead {
  rules::Deny deny;
  std::string method;
  std::string target;
};

/// `head` is one whole head with its empty line, found by HeadScan. `max_fields`: how many it may have.
std::variant<RequestHead, RefusedHead> parse_request_head(std::string_view head,
                                                          std::size_t max_fields = Limits{}.fields);

/// nullopt: not an answer that can be passed on. `to_head`: of a HEAD request, which has no content whatever it says.
std::optional<AnswerHead> parse_answer_head(std::string_view head, bool to_head);

/// The phrase behind a status code.
std::string_view reason_phrase(int status);

}  // namespace podfence::proxy
