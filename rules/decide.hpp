#pragma once
// The decision about one request. Pure: bytes and facts in, decision out. The caller answers an Ask by learning the
// facts (Facts::request_for, Facts::learn) and calls again; every other decision is final. The number of rounds is
// bounded by the depth of references (exec session → container): a caller may give up after eight.

#include "rules/decision.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

/// Questions of one request that are open at once, each of which costs a request upstream: more are a refusal.
inline constexpr std::size_t max_references = 256;

Decision decide(Exchange& exchange);

}  // namespace podfence::rules
