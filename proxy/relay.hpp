#pragma once
// The way back: upstream's answer, moved by the row's answer rule. What cannot be passed on whole is never made to look
// complete: 502 while the client has seen nothing, afterwards the end of its connection.

#include "proxy/client_answer.hpp"
#include "proxy/inquiry.hpp"
#include "proxy/request_content.hpp"
#include "proxy/upstream.hpp"

namespace podfence::proxy {

/// The rewritten content of an answer that is read whole.
Task<std::variant<std::string, rules::Deny>> whole_answer(UpstreamCall& call, Inquiry& inquiry, Services& services,
                                                          BufferBudget::Share& share);

/// Upstream's error (400 or above), rewritten.
Task<std::variant<rules::Reply, rules::Deny>> error_answer_of(UpstreamCall& call, Inquiry& inquiry, Services& services,
                                                              BufferBudget::Share& share);

/// Everything but tunnels. A refusal has not been answered yet.
Task<std::optional<rules::Deny>> relay_answer(UpstreamCall& call, Inquiry& inquiry, Services& services,
                                              ClientAnswer& answer);

}  // namespace podfence::proxy
