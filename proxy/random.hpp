#pragma once
// Random texts that nobody can guess.

#include <string>

namespace podfence::proxy {

/// 128 bits as 32 hexadecimal digits. Throws std::runtime_error when there are none.
std::string random_digits();
/// The same for what is no secret, such as the id of a request: taken from a stock.
std::string random_id();

}  // namespace podfence::proxy
