#pragma once
// The bounds of one proxy process, as the configuration says them.

#include "rules/http_limits.hpp"

namespace podfence::proxy {

using Limits = rules::HttpLimits;

}  // namespace podfence::proxy
