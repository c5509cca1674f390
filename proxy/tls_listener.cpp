#include "proxy/tls_listener.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>

#include "proxy/accepting.hpp"
#include "proxy/concurrently.hpp"
#include "proxy/handed_sockets.hpp"
#include "proxy/log.hpp"
#include "proxy/tls_context.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;
using Socket = Connection::Socket;
using Stream = asio::ssl::stream<SocketOf<asio::ip::tcp>>;

constexpr auto as_value = asio::as_tuple(as_task);
constexpr auto handshake_time = 10s;
constexpr auto end_time = 2s;  ///< for the client's own close_notify
constexpr std::size_t max_handshakes = 64;
constexpr std::size_t max_record = 16 * 1024;  ///< the most that a record of TLS holds

/// One connection, between the ciphered and the plain side.
struct Pump {
  Stream cipher;
  Socket plain;

  Task<void> handshake(bool& done);
  Task<void> limit(std::chrono::milliseconds time);
  Task<void> to_session();
  Task<void> to_client();
  Task<void> say_end();
  Task<void> until_gone();
  bool session_ended();
  Task<void> outlast_session(std::chrono::milliseconds time);
};

Task<void> Pump::handshake(bool& done) {
  const auto [error] = co_await cipher.async_handshake(Stream::server, as_value);
  done = !error;
}

Task<void> Pump::limit(std::chrono::milliseconds time) {
  asio::steady_timer timer(cipher.get_executor(), time);
  co_await timer.async_wait(as_value);
}

/// Behind a close_notify the client may go on listening; the end of TCP is its end.
Task<void> Pump::until_gone() {
  char byte = 0;
  auto& tcp = cipher.next_layer();
  while (true) {
    const auto [error] = co_await tcp.async_wait(asio::ip::tcp::socket::wait_read, as_value);
    if (error) co_return;
    const auto size = ::recv(tcp.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size <= 0) co_return;
    // What follows a close_notify is nothing that may be read.
    if (::recv(tcp.native_handle(), &byte, 1, MSG_DONTWAIT) <= 0) co_return;
  }
}

Task<void> Pump::to_session() {
  std::array<char, max_record> piece;
  boost::system::error_code ended, ignored;
  bool taken = true;
  while (!ended && taken) {
    const auto [error, size] = co_await cipher.async_read_some(asio::buffer(piece), as_value);
    ended = error;
    if (ended) break;
    const auto [failed, sent] = co_await asio::async_write(plain, asio::buffer(piece, size), as_value);
    taken = !failed;
  }
  // A session that takes nothing more may still have something to say.
  const bool may_listen = !taken || ended == asio::error::eof;
  if (may_listen) {
    plain.shutdown(Socket::shutdown_send, ignored);
    co_await until_gone();
  }
  // The session has to see that nobody is there any more.
  plain.shutdown(Socket::shutdown_both, ignored);
}

Task<void> Pump::to_client() {
  std::array<char, max_record> piece;
  while (true) {
    const auto [error, size] = co_await plain.async_read_some(asio::buffer(piece), as_value);
    if (error) break;
    const auto [failed, sent] = co_await asio::async_write(cipher, asio::buffer(piece, size), as_value);
    if (failed) co_return;
  }
  co_await first_of(say_end(), limit(end_time));
}

/// Waits for the client's own close_notify.
Task<void> Pump::say_end() { co_await cipher.async_shutdown(as_value); }

/// Both directions, as Connection::until_peer_closed() has it.
bool Pump::session_ended() {
  pollfd entry{plain.native_handle(), 0, 0};
  return ::poll(&entry, 1, 0) > 0;
}

/// While there is a session, its limits cut off a client that does not read. What it said last is waited for no longer
/// than this: no place is taken for it any more.
Task<void> Pump::outlast_session(std::chrono::milliseconds time) {
  while (!session_ended()) {
    const auto [error] = co_await plain.async_wait(Socket::wait_error, as_value);
    if (error) co_return;
  }
  co_await limit(time);
}

AcceptorOf<asio::ip::tcp> listen(const Executor& executor, const rules::ControlListener& options) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) throw std::runtime_error("control: " + options.address + " is no IP address");
  const asio::ip::tcp::endpoint endpoint(address, options.port);
  try {
    if (File handed = take_handed(address_text(endpoint)); handed.descriptor() >= 0)
      return AcceptorOf<asio::ip::tcp>(executor, endpoint.protocol(), handed.release());
    return AcceptorOf<asio::ip::tcp>(executor, endpoint);
  } catch (const boost::system::system_error& failure) {
    throw std::runtime_error("control: cannot listen on " + options.text() + ": " + failure.code().message());
  }
}

/// Who has no certificate yet is nobody, and must not take much: the one that has been at it for longest makes room.
class Handshake {
 public:
  using Sockets = std::list<SocketOf<asio::ip::tcp>*>;

  Handshake(Sockets& all, SocketOf<asio::ip::tcp>& own) : all_(all), own_(own) {
    all.push_back(&own);
    if (all.size() <= max_handshakes) return;
    boost::system::error_code ignored;
    all.front()->close(ignored);
    all.pop_front();
  }
  ~Handshake() { std::erase(all_, &own_); }
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

 private:
  Sockets& all_;
  SocketOf<asio::ip::tcp>& own_;
};

}  // namespace

TlsListener::TlsListener(const Executor& executor, rules::ControlListener options, const Server& server,
                         Services& services, ConnectionBudget& connections)
    : ControlListener(executor, std::move(options), server, services, connections),
      close_time_(services.limits.close_time),
      acceptor_(listen(executor, options_)),
      context_(make_tls_context(options_)) {}

void TlsListener::start() {
  clients_.tasks().spawn(
      accept_all(acceptor_, [this](SocketOf<Tcp> socket) { clients_.tasks().spawn(serve(std::move(socket))); }));
}

void TlsListener::stop() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  clients_.stop();
}

std::string TlsListener::reload() {
  try {
    context_ = make_tls_context(options_);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

Task<void> TlsListener::serve(SocketOf<Tcp> socket) {
  const auto context = context_;
  boost::system::error_code ignored;
  const auto remote = address_text(socket.remote_endpoint(ignored));
  socket.set_option(Tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  Pump pump{Stream(std::move(socket), *context), Socket(acceptor_.get_executor())};
  bool done = false;
  {
    const Handshake counted(handshakes_, pump.cipher.next_layer());
    co_await first_of(pump.handshake(done), pump.limit(handshake_time));
  }
  if (!done) co_return;
  Socket session(acceptor_.get_executor());
  boost::system::error_code error;
  asio::local::connect_pair(pump.plain, session, error);
  if (error) {
    log("no sockets for another client of the control plane: " + error.message());
    co_return;
  }
  adopt(std::move(session), credentials_of(pump.cipher.native_handle()), remote);
  co_await first_of(pump.to_client(), pump.to_session(), pump.outlast_session(close_time_));
}

}  // namespace podfence::proxy
