#pragma once
// An end for what nobody else ends: what podfence asks for itself has no client who gives up.

#include <chrono>

#include "proxy/task.hpp"

namespace podfence::proxy {

/// False: it was not over by then, and was cancelled. What it has said of that itself is worth nothing.
Task<bool> in_time(Task<> task, std::chrono::milliseconds time);

}  // namespace podfence::proxy
