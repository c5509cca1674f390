#pragma once
// A tar archive (POSIX ustar) of plain files that podfence itself puts somewhere, with the directories above them.
// Archives of clients are read and written in proxy/archive.cpp.

#include <span>
#include <string>

namespace podfence::rules {

struct TarFile {
  std::string path;  ///< clean and relative, less than 100 bytes
  std::string content;
  unsigned mode = 0644;
};

/// Everything is root's, and as old as can be: no clock here.
std::string write_tar(std::span<const TarFile> files);

}  // namespace podfence::rules
