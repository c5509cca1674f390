#pragma once
// What people read of an exception.

#include <exception>
#include <string>

namespace podfence::proxy {

/// Boost's own text says besides in which of its headers the error was thrown.
std::string said_by(const std::exception& failure);

/// std::system_error: what a system call that has just failed says.
[[noreturn]] void throw_errno(const std::string& what);

}  // namespace podfence::proxy
