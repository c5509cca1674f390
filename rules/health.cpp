#include "rules/health.hpp"

namespace podfence::rules {

UpstreamRequest health_request() { return {Method::Get, "/_ping", {}, std::nullopt}; }

bool is_healthy(int status, std::string_view content) { return status == 200 && content == "OK"; }

}  // namespace podfence::rules
