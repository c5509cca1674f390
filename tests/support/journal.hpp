#pragma once
// Stands in for systemd's journal: a datagram socket, and the entries that came.

#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/socket.hpp"

namespace podfence::testing {

class Journal {
 public:
  explicit Journal(const std::string& path) : path_(path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    bound_ = ::bind(socket_.file(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Journal() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  bool bound() const { return bound_; }
  /// The next one; nullopt: none came in time.
  std::optional<std::string> entry(Milliseconds timeout = patience) { return socket_.receive(timeout); }

  /// Of an entry, "" for none.
  static std::string field(const std::string& entry, std::string_view name) {
    std::istringstream lines(entry);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(std::string(name) + "=")) return line.substr(name.size() + 1);
    return {};
  }

 private:
  std::string path_;
  Socket socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  bool bound_ = false;
};

}  // namespace podfence::testing
