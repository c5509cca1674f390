#pragma once
// What of the host containers may mount.

#include <string>

namespace podfence::proxy {

/// "" when it is a directory and no part of its path is a symbolic link; else what is wrong, in a phrase for people.
std::string wrong_with_directory(const std::string& path);

/// Is there a file or a directory at that path below the directory, reached without a symbolic link and without leaving
/// it?
bool is_below_directory(const std::string& directory, const std::string& below);

}  // namespace podfence::proxy
