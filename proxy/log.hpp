#pragma once
// What podfence tells its operator: one line on standard error at a time.

#include <string_view>

namespace podfence::proxy {

void log(std::string_view line);

}  // namespace podfence::proxy
