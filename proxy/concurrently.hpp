#pragma once
// Two or three things at the same time, as children of the one that awaits them: nothing outlives the call. Compiled
// once, because every use of Asio's parallel groups costs the compiler seconds.

#include "proxy/task.hpp"

namespace podfence::proxy {

/// Ends with the first; the others are cancelled and have ended too when this returns. Gives the first one's index, or
/// throws what it threw.
Task<std::size_t> first_of(Task<> first, Task<> second);
Task<std::size_t> first_of(Task<> first, Task<> second, Task<> third);

/// Ends with the last, or when one throws: with that exception.
Task<> both(Task<> first, Task<> second);

}  // namespace podfence::proxy
