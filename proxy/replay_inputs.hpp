#pragma once
// Where replayed requests come from: files, folders and standard input.

#include <functional>
#include <string>
#include <vector>

namespace podfence::proxy {

/// What a client sends on one connection. False: no more are wanted.
using TakeInput = std::function<bool(const std::string& name, std::string bytes)>;

/// In the order of the paths; of a folder all files in it and below, by name. "-" is standard input, cut at NUL bytes
/// into inputs "-:1", "-:2", ... Throws std::runtime_error for what cannot be read.
void each_input(const std::vector<std::string>& paths, const TakeInput& take);

}  // namespace podfence::proxy
