#pragma once

#include <stdexcept>

namespace podfence::proxy {

/// An archive, or its compression, cannot be read or written. The text is a sentence of the library's.
struct ArchiveError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace podfence::proxy
