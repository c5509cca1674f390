#pragma once
// Asked of upstream before the first client is let in: does an engine answer?

#include <string_view>

#include "rules/decision.hpp"

namespace podfence::rules {

UpstreamRequest health_request();
bool is_healthy(int status, std::string_view content);

}  // namespace podfence::rules
