#include "proxy/probe.hpp"

#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "proxy/unix_socket.hpp"
#include "rules/health.hpp"

namespace podfence::proxy {
namespace {

std::string text_of(int error) { return std::generic_category().message(error); }

/// The status of an answer's first line, or 0.
int status_of(std::string_view answer) {
  constexpr std::string_view version = "HTTP/1.1 ";
  int status = 0;
  if (answer.starts_with(version))
    std::from_chars(answer.data() + version.size(), answer.data() + answer.size(), status);
  return status;
}

std::string_view content_of(std::string_view answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string_view::npos ? std::string_view() : answer.substr(end + 4);
}

/// Everything until the other side closes, at most a few KiB.
std::string read_answer(int descriptor) {
  std::string answer;
  char piece[1024];
  while (answer.size() < 8 * sizeof piece) {
    const ssize_t size = recv(descriptor, piece, sizeof piece, 0);
    if (size <= 0) break;
    answer.append(piece, static_cast<std::size_t>(size));
  }
  return answer;
}

}  // namespace

std::string wrong_with_engine(const std::string& socket, std::chrono::seconds time) {
  const auto [file, error] = connect_to(unix_address(socket), 0);
  if (error != 0) return text_of(error);
  const timeval limit{time.count(), 0};
  setsockopt(file.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const auto request = rules::health_request();
  const std::string text = std::string(rules::text(request.method)) + " " + request.target +
                           " HTTP/1.1\r\nHost: podman\r\nConnection: close\r\n\r\n";
  if (send(file.descriptor(), text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
    return text_of(errno);
  const std::string answer = read_answer(file.descriptor());
  return rules::is_healthy(status_of(answer), content_of(answer)) ? "" : "it does not answer as an engine does";
}

}  // namespace podfence::proxy
