#pragma once
// `podfence explain`: what would become of a request, found out by the code that would serve it. Nothing is changed:
// the questions that Podman is asked are those of a decision, and nothing is sent behind it.

#include <string>
#include <vector>

#include "proxy/raw_request.hpp"
#include "proxy/rehearsal.hpp"
#include "rules/trace.hpp"

namespace podfence::proxy {

/// Of each request, in order: a connection carries one after the other. Throws std::runtime_error with a sentence for
/// people.
std::vector<rules::Trace> explain(const rules::Project& project, const RawRequest& request, const FactSources& sources);

}  // namespace podfence::proxy
