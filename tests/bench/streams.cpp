// Loads of bench_load that are streams: contents up and down, a terminal's echo, events as they happen, and connections
// that do nothing.

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "tests/bench/files.hpp"
#include "tests/bench/load.hpp"
#include "tests/bench/message_reader.hpp"
#include "tests/bench/objects.hpp"
#include "tests/bench/requests.hpp"

namespace podfence::bench {

namespace {

constexpr std::size_t echo_size = 64;
constexpr unsigned long long upload_size = 1ull << 30;

void wait_for(int file, short events) {
  pollfd entry{file, events, 0};
  while (::poll(&entry, 1, -1) < 0 && errno == EINTR) {
  }
}

/// What is there; waits for it. The text is valid until the next call.
std::string_view receive(int file) {
  static std::array<char, 256 * 1024> buffer;
  while (true) {
    const auto size = ::recv(file, buffer.data(), buffer.size(), 0);
    if (size > 0) return {buffer.data(), static_cast<std::size_t>(size)};
    if (size == 0 || errno != EAGAIN) die("the connection ended");
    wait_for(file, POLLIN);
  }
}

void check_status(const MessageReader& answer, int wanted) {
  if (answer.status() == wanted) return;
  std::fprintf(stderr, "not what was asked for: %s%s\n", answer.head().c_str(), answer.content.c_str());
  std::exit(1);
}

/// Until the answer's head is there; gives what came behind it, unread.
std::string begin(int file, std::string_view request, int status) {
  send_whole(file, request);
  std::string received;
  while (received.find("\r\n\r\n") == std::string::npos) received += receive(file);
  MessageReader answer;
  const auto end = received.find("\r\n\r\n") + 4;
  answer.take(std::string_view(received).substr(0, end));
  if (answer.status() != status) answer.content = received.substr(end);
  check_status(answer, status);
  return received.substr(end);
}

struct Clock {
  explicit Clock(const LoadOptions& options) : end(begun + static_cast<std::int64_t>(options.seconds * 1e9)) {}
  std::int64_t begun = now();
  std::int64_t end;
  bool over() const { return now() >= end; }
  double seconds() const { return static_cast<double>(now() - begun) / 1e9; }
};

void download(const LoadOptions& options, bool chunked) {
  const int file = connect_to(options.socket);
  const auto request = export_request(chunked);
  std::uint64_t bytes = 0;
  Times times;
  const Clock clock(options);
  while (!clock.over()) {
    MessageReader answer;
    send_whole(file, request);
    while (!answer.complete() && !clock.over()) answer.take(receive(file));
    check_status(answer, 200);
    bytes += answer.size();
    times.all.push_back(1);
  }
  times.tell(clock.seconds(), bytes);
}

/// Over and over the same chunks, or plain bytes.
void upload(const LoadOptions& options, bool chunked) {
  const int file = connect_to(options.socket);
  std::string pattern;
  for (int i = 0; i < 8; ++i) pattern += chunked ? chunk(std::string(32 * 1024, 'x')) : std::string(32 * 1024, 'x');
  send_whole(file, upload_head(chunked ? std::nullopt : std::optional(1024 * upload_size)));
  std::uint64_t bytes = 0;
  std::size_t at = 0;
  const Clock clock(options);
  while (!clock.over()) {
    const auto size = ::send(file, pattern.data() + at, pattern.size() - at, MSG_NOSIGNAL);
    if (size < 0 && errno == EAGAIN) {
      wait_for(file, POLLOUT);
    } else if (size < 0) {
      die("send: " + std::string(receive(file)));
    } else {
      bytes += static_cast<std::uint64_t>(size);
      at = (at + static_cast<std::size_t>(size)) % pattern.size();
    }
  }
  Times times;
  times.all.push_back(1);
  times.tell(clock.seconds(), bytes);
}

void echo(const LoadOptions& options) {
  const int file = connect_to(options.socket);
  begin(file, hijack_request(), 101);
  Times times;
  const std::string piece(echo_size, 'e');
  const Clock clock(options);
  while (!clock.over()) {
    const auto sent = now();
    send_whole(file, piece);
    for (std::size_t received = 0; received < piece.size();) received += receive(file).size();
    times.all.push_back(now() - sent);
  }
  times.tell(clock.seconds(), 2 * echo_size * times.all.size());
}

/// The time between an event and its coming here: the engine writes into each when it was.
void live(const LoadOptions& options) {
  const int file = connect_to(options.socket);
  std::string received = begin(file, live_request(), 200);
  Times times;
  const Clock clock(options);
  constexpr std::string_view mark = "\"timeNano\":";
  while (!clock.over()) {
    const auto time = now();
    for (auto at = received.find(mark); at != std::string::npos; at = received.find(mark)) {
      const auto line_end = received.find('\n', at);
      if (line_end == std::string::npos) break;
      std::int64_t told = 0;
      std::from_chars(received.data() + at + mark.size(), received.data() + line_end, told);
      times.all.push_back(time - told);
      received.erase(0, line_end);
    }
    received += receive(file);
  }
  times.tell(clock.seconds(), 0);
}

/// The head of a member of an archive (POSIX ustar), and of `size` bytes.
std::string member_head(std::string_view name, std::uint64_t size) {
  std::string head(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { head.replace(at, text.size(), text); };
  std::array<char, 16> octal{};
  std::snprintf(octal.data(), octal.size(), "%011llo", static_cast<unsigned long long>(size));
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  // From 8 GiB on the size would be written in another form.
  put(124, octal.data());
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, std::string_view("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  std::snprintf(octal.data(), octal.size(), "%06o", sum);
  put(148, std::string_view(octal.data(), 7));
  return head;
}

std::string padded(std::string text) {
  text.resize((text.size() + 511) / 512 * 512);
  return text;
}

/// A build context with one file of `count` MiB, sent in chunks, and its answer.
void build(const LoadOptions& options) {
  const int file = connect_to(options.socket);
  const std::string dockerfile = "FROM localhost/hello:latest\nCOPY large /\n";
  const std::string mebibyte(1 << 20, 'x');
  const Clock clock(options);
  send_whole(file, build_head());
  send_whole(file, chunk(member_head("Dockerfile", dockerfile.size()) + padded(dockerfile) +
                         member_head("large", options.count << 20)));
  for (std::size_t i = 0; i < options.count; ++i) send_whole(file, chunk(mebibyte));
  const auto rest = begin(file, chunk(std::string(1024, '\0')) + "0\r\n\r\n", 200);
  Times times;
  times.all.push_back(now() - clock.begun);
  times.tell(clock.seconds(), options.count << 20);
}

void hold(const LoadOptions& options, std::string_view request) {
  for (std::size_t i = 0; i < options.connections; ++i) begin(connect_to(options.socket), request, 200);
  std::printf("{\"count\": %zu}\n", options.connections);
  std::fflush(stdout);
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

}  // namespace

bool run_stream(const LoadOptions& options) {
  if (options.kind == "down_chunked" || options.kind == "down_length")
    download(options, options.kind == "down_chunked");
  else if (options.kind == "up_chunked" || options.kind == "up_length")
    upload(options, options.kind == "up_chunked");
  else if (options.kind == "echo")
    echo(options);
  else if (options.kind == "live")
    live(options);
  else if (options.kind == "build")
    build(options);
  else if (options.kind == "idle")
    hold(options, *request_text("ping", 0));
  else if (options.kind == "streams")
    hold(options, silent_request());
  else
    return false;
  return true;
}

}  // namespace podfence::bench
