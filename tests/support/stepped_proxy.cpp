#include "tests/support/stepped_proxy.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tests/support/running_proxy.hpp"

namespace podfence::testing {
namespace {

/// What can be read without waiting; nullopt at the end of the stream.
std::optional<std::string> read_now(int file) {
  std::string bytes;
  std::array<char, 16 * 1024> piece;
  while (true) {
    const auto size = ::recv(file, piece.data(), piece.size(), MSG_DONTWAIT);
    if (size > 0) bytes.append(piece.data(), static_cast<std::size_t>(size));
    if (size > 0) continue;
    const bool ended = size == 0 || errno == ECONNRESET;
    return ended && bytes.empty() ? std::nullopt : std::optional(bytes);
  }
}

/// How much of it could be sent.
std::size_t send_now(int file, std::string_view bytes) {
  const auto size = ::send(file, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return size < 0 ? 0 : static_cast<std::size_t>(size);
}

/// The size of the request at the front, by the few forms that the proxy writes; 0 while it is not complete.
std::size_t request_size(const std::string& received) {
  const auto head = received.find("\r\n\r\n");
  if (head == std::string::npos) return 0;
  const auto field = [&](std::string_view name) {
    const auto place = received.find(name);
    return place < head ? place + name.size() : std::string::npos;
  };
  auto size = head + 4;
  if (field("\r\nTransfer-Encoding: chunked\r\n") != std::string::npos) {
    const auto end = received.find("0\r\n\r\n", head + 2);
    return end == std::string::npos ? 0 : end + 5;
  }
  if (const auto length = field("\r\nContent-Length: "); length != std::string::npos)
    size += std::stoul(received.substr(length));
  return size <= received.size() ? size : 0;
}

std::shared_ptr<const rules::Project> project() {
  rules::Project project{"p1", "appx.project", {}};
  project.policy.shared_images = {"localhost/*"};
  project.policy.quotas.fill(std::nullopt);  // rows are played hundreds of times, and nothing is to be counted
  return std::make_shared<const rules::Project>(std::move(project));
}

proxy::Task<void> run_session(proxy::Services& services, const proxy::Door& door, proxy::Connection::Socket socket,
                              boost::asio::cancellation_signal& end) {
  proxy::Session session(services, door, std::move(socket), end);
  co_await session.run();
}

}  // namespace

SteppedProxy::SteppedProxy() : SteppedProxy(short_limits()) {}

SteppedProxy::SteppedProxy(proxy::Limits limits)
    : listener_(Socket::listen(directory_.path("upstream.sock"))),
      context_(1),
      door_(project(), directory_.path("p1.sock")),
      ledger_(":memory:"),
      audit_(rules::AuditSettings{directory_.path("audit.log")}),
      services_{.limits = limits,
                .upstream =
                    proxy::Upstream(context_.get_executor(), proxy::connect_to_socket(directory_.path("upstream.sock")),
                                    {.trailer_bytes = limits.trailer_bytes}),
                .locks = proxy::NameLocks(context_.get_executor()),
                .buffers = proxy::BufferBudget(limits.buffered_bytes, limits.project_buffered_bytes),
                .requests = proxy::ConnectionBudget(limits.requests, limits.requests, 1),
                .memory = rules::OwnerMemory(),
                .usage = rules::Usage(),
                .ledger = ledger_,
                .audit = audit_,
                .spool_directory = directory_.path(),
                .spool = proxy::BufferBudget(limits.spool_bytes, limits.spool_bytes),
                .unpacking = proxy::BufferBudget(limits.unpacking_bytes, limits.unpacking_bytes)},
      sessions_(context_.get_executor()) {
  ::fcntl(listener_.file(), F_SETFL, O_NONBLOCK);
  objects.add(rules::Kind::Image, "localhost/bb:latest", "");
}

SteppedProxy::~SteppedProxy() {
  sessions_.cancel();
  services_.upstream.close_idle();
  connections_.clear();
  while (!sessions_.empty()) {
    context_.restart();
    context_.run_one();
  }
}

SteppedProxy::Client SteppedProxy::client() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  proxy::Connection::Socket socket(context_, boost::asio::local::stream_protocol(), ends[0]);
  sessions_.spawn(
      [&](boost::asio::cancellation_signal& end) { return run_session(services_, door_, std::move(socket), end); });
  settle();
  return {*this, Socket(ends[1])};
}

void SteppedProxy::settle() {
  do {
    context_.restart();
    context_.poll();
  } while (step_upstream());
}

bool SteppedProxy::step_upstream() {
  bool moved = false;
  for (int file = 0; file >= 0;) {
    file = ::accept4(listener_.file(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file >= 0) connections_.emplace_back().socket = Socket(file);
  }
  for (auto each = connections_.begin(); each != connections_.end();) {
    const auto place = each++;
    moved |= step(*place);
    if (place->socket.file() < 0) connections_.erase(place);
  }
  return moved;
}

/// Says one piece, or reads. True when something came of it.
bool SteppedProxy::step(UpstreamConnection& connection) {
  if (!connection.to_say.empty()) {
    send_now(connection.socket.file(), connection.to_say.front());
    connection.to_say.pop_front();
    if (connection.to_say.empty() && connection.closes) connection.socket.close();
    return true;
  }
  const auto bytes = read_now(connection.socket.file());
  if (!bytes) connection.socket.close();
  if (!bytes || bytes->empty()) return !bytes;
  upstream_bytes += bytes->size();
  connection.received += *bytes;
  while (const auto size = request_size(connection.received)) {
    requests.push_back(connection.received.substr(0, size));
    connection.received.erase(0, size);
    auto said = answer(requests.back());
    connection.to_say.insert(connection.to_say.end(), said.pieces.begin(), said.pieces.end());
    connection.closes = said.closes;
  }
  return true;
}

SteppedProxy::Answer SteppedProxy::answer(const std::string& request) {
  if (auto said = script_ ? script_(request) : std::nullopt) return *std::move(said);
  const auto method = request.substr(0, request.find(' '));
  const auto target = request.substr(method.size() + 1, request.find(' ', method.size() + 1) - method.size() - 1);
  auto bytes = objects.answer(method, target, request.substr(request.find("\r\n\r\n") + 4));
  if (method == "HEAD") bytes.resize(bytes.find("\r\n\r\n") + 4);
  return {{std::move(bytes)}};
}

void SteppedProxy::Client::send(std::string_view bytes) {
  for (auto sent = std::size_t{1}; !bytes.empty() && sent > 0;) {
    sent = send_now(socket_.file(), bytes);
    bytes.remove_prefix(sent);
    proxy_.settle();
  }
}

void SteppedProxy::Client::half_close() {
  socket_.shutdown_write();
  proxy_.settle();
}

std::string SteppedProxy::Client::read() {
  std::string all;
  while (!ended_) {
    const auto bytes = read_now(socket_.file());
    ended_ = !bytes;
    if (!bytes || bytes->empty()) break;
    all += *bytes;
    proxy_.settle();
  }
  return all;
}

}  // namespace podfence::testing
