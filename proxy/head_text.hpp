#pragma once
// Heads out: what is written is made of values that were judged, with our framing.

#include <string>

#include "proxy/head.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

/// The head of a request to upstream: our Host, our framing, the request's own fields, nothing else.
std::string write_request_head(const rules::UpstreamRequest& request, const Framing& content, bool upgrade);

/// The head of an answer. `fields` are written as they are; the framing is written by its kind.
std::string write_answer_head(int status, const rules::Fields& fields, const Framing& content);

}  // namespace podfence::proxy
