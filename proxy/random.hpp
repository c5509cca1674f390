#pragma once
// Random texts that nobody can guess.

#include <string>

namespace podfence::proxy {

/// 128 bits as 32 hexadecimal digits. Throws std::runtime_error when there are none.
std::string random_digits();

}  // namespace podfence::proxy
