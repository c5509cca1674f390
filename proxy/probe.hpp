#pragma once
// Is somebody there? Blocking questions for the time before the first client is let in.

#include <chrono>
#include <string>

namespace podfence::proxy {

/// "" when an engine answers on that socket in time; else why not, in a phrase for people.
std::string wrong_with_engine(const std::string& socket, std::chrono::seconds time);

}  // namespace podfence::proxy
