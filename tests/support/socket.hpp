#pragma once
// A unix stream socket with deadlines, for both ends of the tests. Plain system calls: the tests must not share the
// library that they examine.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace podfence::testing {

using Milliseconds = std::chrono::milliseconds;

/// How long a test waits for what must happen. Generous, because the machine may be busy: only failing tests wait so
/// long.
inline constexpr Milliseconds patience{8000};

class Socket {
 public:
  explicit Socket(int file = -1) : file_(file) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  static Socket listen(const std::string& path);
  static Socket connect(const std::string& path);

  int file() const { return file_; }
  void close();
  void shutdown_write();
  void shutdown_both();

  /// False when the peer is gone.
  bool send(std::string_view bytes);
  /// Some bytes; "" at the end of the stream or when the peer is gone; nullopt when nothing came in time.
  std::optional<std::string> receive(Milliseconds timeout);
  /// As receive, but the bytes stay in the socket. A socket that is closed with bytes in it resets its peer.
  std::optional<std::string> peek(Milliseconds timeout);
  /// Takes bytes out that peek() has shown.
  void skip(std::size_t size);
  /// Waits until the peer has taken every byte out of its receive buffer: what is sent next comes to it as another
  /// piece.
  void wait_taken(Milliseconds timeout);

 private:
  std::optional<std::string> receive(Milliseconds timeout, int flags);

  int file_;
};

}  // namespace podfence::testing
