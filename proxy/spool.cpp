#include "proxy/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "proxy/failure.hpp"

namespace podfence::proxy {

Spool::Spool(const std::string& directory)
    : file_(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600)) {
  if (file_.descriptor() < 0) throw_errno("no file for an upload can be made in " + directory);
}

void Spool::append(std::string_view piece) {
  while (!piece.empty()) {
    const auto written = ::write(file_.descriptor(), piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno("an upload cannot be kept");
    size_ += static_cast<std::uint64_t>(written);
    piece.remove_prefix(static_cast<std::size_t>(written));
  }
}

int Spool::rewound() const {
  if (::lseek(file_.descriptor(), 0, SEEK_SET) != 0) throw_errno("an upload cannot be read");
  return file_.descriptor();
}

std::string_view Spool::read(std::uint64_t position, std::span<char> buffer) const {
  while (true) {
    const auto size = ::pread(file_.descriptor(), buffer.data(), buffer.size(), static_cast<off_t>(position));
    if (size >= 0) return {buffer.data(), static_cast<std::size_t>(size)};
    if (errno != EINTR) throw_errno("an upload cannot be read");
  }
}

}  // namespace podfence::proxy
