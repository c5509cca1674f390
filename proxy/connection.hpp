#pragma once
// One end of a unix stream socket: a bounded buffer of bytes received and not yet used, and the few waits that the
// proxy needs. Expected ends (end of stream, reset, cancellation) are values, not exceptions.

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

#include "proxy/task.hpp"
#include "proxy/turn.hpp"

namespace podfence::proxy {

class Connection {
 public:
  using Socket = SocketOf<boost::asio::local::stream_protocol>;
  using Acceptor = AcceptorOf<boost::asio::local::stream_protocol>;
  static constexpr std::size_t buffer_size = 64 * 1024;
  /// Enough for most heads of requests: what a connection has until it receives more at once.
  static constexpr std::size_t first_buffer_size = 512;
  /// The buffer of a connection whose reads fill the usual one; also the largest piece of content that moves at once.
  static constexpr std::size_t stream_buffer_size = 256 * 1024;

  /// That are sent together.
  static constexpr std::size_t max_pieces = 4;
  using Pieces = std::array<boost::asio::const_buffer, max_pieces>;

  explicit Connection(Socket socket);
  /// Of a client that is not there: receives these bytes, which stay where they are, and then the end. What is sent is
  /// dropped. Nothing ever waits.
  Connection(const Executor& executor, std::string_view written);
  Executor executor() { return socket_.get_executor(); }
  /// Of the loop that it is on.
  Turn& turn() { return turn_; }
  /// Nothing has been received yet.
  Socket release() && { return std::move(socket_); }

  /// Received and not yet consumed. Valid until the next receive().
  std::string_view received() const { return {buffer_.get() + begin_, end_ - begin_}; }
  void consume(std::size_t size);
  /// Gives back the memory of a buffer that is empty and larger than the first.
  void shrink();
  /// The same, where the last read would have found room in the first: most streams say little at a time.
  void shrink_when_little_comes();

  /// More bytes at the end of received(). False: end of stream, error, interrupted, or the buffer is full.
  Task<bool> receive();
  /// All bytes, or false. Few of them wait for the end of a turn that is shared: others run meanwhile.
  Task<bool> send(std::string_view bytes);
  Task<bool> send(Pieces pieces);

  /// Until there is something to read: bytes, the end, or an error.
  Task<void> until_readable();
  /// Until the peer has closed both directions: unlike the end of stream this is no half-close (Linux reports EPOLLHUP
  /// on a unix socket for the former only). Or until interrupted.
  Task<void> until_peer_closed();
  bool peer_closed() const;
  /// Neither bytes nor an end wait in the socket: an idle connection that can still be used.
  bool is_quiet() const;

  /// Bytes that were sent and that the peer has not read, and what the kernel needs for keeping them.
  std::size_t unread_by_peer() const;

  /// Ends what is waited for here and all that comes after, until resume().
  void interrupt();
  bool interrupted() const { return interrupted_; }
  void resume() { interrupted_ = false; }

  /// Half-close: the peer sees the end of our bytes.
  void finish_sending();
  /// As if the peer had gone: nothing is sent any more, and what is waited for here ends.
  void cut();

  struct Peer {
    std::int64_t uid = -1;
    std::int64_t pid = -1;
  };
  Peer peer() const;

  /// All that receive() and send() wait is added to that, until another one is named; nullptr: to nothing.
  void add_waits_to(std::chrono::steady_clock::duration* sum) { waits_ = sum; }

 private:
  class Wait;
  std::size_t take_written();
  void make_room();
  void grow(std::size_t capacity);
  std::size_t send_now(const Pieces& pieces, boost::system::error_code& error);

  Socket socket_;
  Turn& turn_;
  std::optional<std::string_view> written_;  ///< what is left of it, in place of the socket
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t last_read_ = 0;
  bool filled_ = false;     ///< by the last read, to the end
  bool streaming_ = false;  ///< large pieces have been sent: the kernel keeps more for the peer
  bool interrupted_ = false;
  std::chrono::steady_clock::duration* waits_ = nullptr;
};

}  // namespace podfence::proxy
