#include "proxy/connector.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>

#include "proxy/failure.hpp"
#include "proxy/send_message.hpp"
#include "proxy/system_calls.hpp"

namespace podfence::proxy {
namespace {

// A message each way (unix(7), SOCK_SEQPACKET). A question is a path, or "" for a connection to upstream; an answer is
// an error number, 0 for a connection, which comes with it when it is upstream's.

constexpr int channel_of_connector = 3;
constexpr int life_of_connector = 4;  ///< its end of a pipe, which nobody else has: it is closed with the process
constexpr timeval connect_patience{10, 0};

/// The control message that carries one descriptor (SCM_RIGHTS).
union Rights {
  cmsghdr head;
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

void answer(const Connected& connected, bool hands_over) {
  const std::string_view bytes(reinterpret_cast<const char*>(&connected.error), sizeof connected.error);
  send_message(channel_of_connector, bytes, hands_over ? connected.socket.descriptor() : -1);
}

/// Until podfence is gone.
[[noreturn]] void serve(const sockaddr_un& upstream) {
  std::array<char, 1 + sizeof upstream.sun_path> question;
  for (;;) {
    const ssize_t size = ::recv(channel_of_connector, question.data(), question.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) ::_exit(0);
    const std::string path(question.data() + 1, static_cast<std::size_t>(size) - 1);
    const auto connected = connect_to(path.empty() ? upstream : unix_address(path), SOCK_NONBLOCK);
    answer(connected, path.empty());
  }
}

/// Behind the fork. Signals that end podfence are podfence's: the last requests still need connections.
[[noreturn]] void become_connector(const sockaddr_un& upstream, int channel, int life, const sigset_t& signals,
                                   bool confined) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
  ::sigprocmask(SIG_SETMASK, &signals, nullptr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(channel, channel_of_connector);
  ::dup2(life, life_of_connector);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, descriptor);
  ::close_range(life_of_connector + 1, ~0U, 0);
  ::prctl(PR_SET_NAME, "podfence-connect");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(1);
  try {
    if (confined) restrict_system_calls(connecting_calls());
  } catch (const std::exception&) {
    ::_exit(1);
  }
  serve(upstream);
}

}  // namespace

Connector::Connector(const std::string& upstream, bool confined) {
  const auto address = unix_address(upstream);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
  channel_ = File(ends[0]);
  const File other(ends[1]);
  int life[2];
  if (::pipe2(life, O_CLOEXEC) != 0) throw_errno("pipe");
  end_ = File(life[0]);
  const File alive(life[1]);
  // None finds the child before it ignores them.
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  id_ = ::fork();
  if (id_ == 0) become_connector(address, other.descriptor(), alive.descriptor(), before, confined);
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (id_ < 0) throw std::system_error(error, std::generic_category(), "fork");
  ::setsockopt(channel_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &connect_patience, sizeof connect_patience);
}

Connector::~Connector() {
  channel_ = File();
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED) != 0 && errno == EINTR) {
  }
}

Connected Connector::ask(const std::string& path) {
  const std::string question = "?" + path;
  if (::send(channel_.descriptor(), question.data(), question.size(), MSG_NOSIGNAL) < 0) return {File(), errno};
  int error = 0;
  iovec part{&error, sizeof error};
  Rights rights{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = rights.bytes.data();
  message.msg_controllen = rights.bytes.size();
  ssize_t size = 0;
  do size = ::recvmsg(channel_.descriptor(), &message, MSG_CMSG_CLOEXEC);
  while (size < 0 && errno == EINTR);
  if (size != sizeof error) {
    channel_ = File();  // a late answer must not be taken for that of another question
    return {File(), ECONNRESET};
  }
  if (message.msg_controllen < sizeof rights.head || rights.head.cmsg_type != SCM_RIGHTS) return {File(), error};
  int socket = -1;
  std::memcpy(&socket, CMSG_DATA(&rights.head), sizeof socket);
  return {File(socket), error};
}

Connected Connector::connect() {
  auto connected = ask("");
  // A descriptor for which there is no room is dropped on the way, and nothing else is said of it (unix(7)).
  if (connected.error == 0 && connected.socket.descriptor() < 0) connected.error = EMFILE;
  return connected;
}

bool Connector::is_listening(const std::string& path) {
  unix_address(path);  // throws; what would mean upstream is never asked for so
  const int error = ask(path).error;
  return error == 0 || error == EAGAIN;  // a full backlog has somebody who listens
}

}  // namespace podfence::proxy
