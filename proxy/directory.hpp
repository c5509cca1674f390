#pragma once
// Directories of the host that containers may mount.

#include <string>

namespace podfence::proxy {

/// "" when it is a directory and no part of its path is a symbolic link; else what is wrong, in a phrase for people.
std::string wrong_with_directory(const std::string& path);

}  // namespace podfence::proxy
