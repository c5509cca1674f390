// The bench's engine: answers as Podman 4.3.1 does, at once and from memory, so that what is in front of it is
// measured.
//
//   bench_engine SOCKET=CONTAINERS...
//
// One engine on each socket, with so many containers. Beside Podman's paths: `/bench/requests` tells how many requests
// came in on that socket. The export of container 0 comes in chunks, that of others with a length; `/events` without
// `until` is a stream with an event of the project each millisecond, and a silent one when it is for volumes; uploads
// are read and forgotten; exec is an echo.

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <vector>

#include "tests/bench/files.hpp"
#include "tests/bench/message_reader.hpp"
#include "tests/bench/objects.hpp"

namespace podfence::bench {
namespace {

constexpr std::size_t piece_size = 32 * 1024;  ///< of Go's chunks
constexpr std::size_t pieces = 8;
constexpr std::uint64_t export_size = 1u << 30;
constexpr int event_pause = 1;  // milliseconds

struct Engine;

struct Client {
  Engine& engine;
  int file;
  MessageReader request = {};
  std::string out = {};  ///< not sent yet, from `sent` on
  std::size_t sent = 0;
  std::uint64_t exported = 0;  ///< bytes of a stream that are still to be sent, behind `out`
  bool chunked = false;
  std::size_t at = 0;  ///< in the stream's pattern
  bool echoes = false, follows = false, closes = false;
  std::list<std::unique_ptr<Client>>::iterator place = {};
};

struct Engine {
  Engine(Poll& poll_, std::string path, std::size_t containers)
      : poll(poll_), objects(containers), file(listen_at(path)) {}
  Poll& poll;
  Objects objects;
  int file;
  std::uint64_t requests = 0;
  std::list<std::unique_ptr<Client>> clients = {};
  std::list<Client*> followers = {};  ///< of events

  void accept_all();
  void on(Client& client, std::uint32_t events);
  void drop(Client& client);
  void tell_event();
  bool read(Client& client);
  void take(Client& client, std::string_view bytes);
  void answer(Client& client);
  bool write(Client& client);
  bool write_export(Client& client);
};

/// What is sent of an export, over and over: chunks, or the same bytes without chunk heads.
const std::string& pattern(bool chunked) {
  static const std::string data(piece_size, 'x');
  static const std::string plain = [] {
    std::string text;
    for (std::size_t i = 0; i < pieces; ++i) text += data;
    return text;
  }();
  static const std::string cut = [] {
    std::string text;
    for (std::size_t i = 0; i < pieces; ++i) text += chunk(data);
    return text;
  }();
  return chunked ? cut : plain;
}

void Engine::accept_all() {
  for (int client; (client = ::accept4(file, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    clients.push_back(std::make_unique<Client>(Client{*this, client}));
    clients.back()->place = std::prev(clients.end());
    poll.add(client, EPOLLIN, clients.back().get());
  }
}

void Engine::drop(Client& client) {
  ::close(client.file);
  if (client.follows) followers.remove(&client);
  clients.erase(client.place);
}

void Engine::answer(Client& client) {
  const auto& head = client.request.head();
  const std::string_view line(head.data(), head.find('\r'));
  const auto first = line.find(' '), second = line.find(' ', first + 1);
  const auto method = line.substr(0, first), target = line.substr(first + 1, second - first - 1);
  if (target == "/bench/requests") {
    client.out += sized_answer(200, std::to_string(requests));
    return;
  }
  ++requests;
  client.closes = client.request.field("connection") == "close";
  if (!client.request.field("upgrade").empty()) {
    client.out +=
        "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: "
        "tcp\r\n\r\n";
    client.echoes = true;
  } else if (const auto& known = objects.answer(method, target); !known.empty()) {
    client.out += known;
  } else if (target.find("/events") != target.npos) {
    client.out += chunked_head();
    client.follows = target.find("volume") == target.npos;
    if (client.follows) followers.push_back(&client);
  } else if (target.find("/build") != target.npos) {
    client.out += chunked_head() + chunk("{\"stream\":\"done\\n\"}\n") + "0\r\n\r\n";
  } else if (method == "GET" && target.find("/export") != target.npos) {
    client.chunked = target.find(container_id(0)) != target.npos;
    client.out += client.chunked ? chunked_head()
                                 : "HTTP/1.1 200 OK\r\nContent-Type: application/x-tar\r\nContent-Length: " +
                                       std::to_string(export_size) + "\r\n\r\n";
    client.exported = export_size / (pieces * piece_size) * pattern(client.chunked).size();
    client.at = 0;
  } else {
    client.out += sized_answer(200, "");
  }
}

void Engine::take(Client& client, std::string_view bytes) {
  if (client.echoes) {
    client.out += bytes;
    return;
  }
  while (!bytes.empty() && !client.echoes) {
    bytes.remove_prefix(client.request.take(bytes));
    if (!client.request.complete()) break;
    answer(client);
    client.request.reset();
  }
  if (client.echoes) client.out += bytes;
}

/// False: the client is gone.
bool Engine::read(Client& client) {
  static std::array<char, 256 * 1024> buffer;
  const auto size = ::recv(client.file, buffer.data(), buffer.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  take(client, {buffer.data(), static_cast<std::size_t>(size)});
  return true;
}

bool Engine::write_export(Client& client) {
  const auto& text = pattern(client.chunked);
  while (client.exported > 0) {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(text.size() - client.at, client.exported));
    const auto size = ::send(client.file, text.data() + client.at, most, MSG_NOSIGNAL);
    if (size < 0) return errno == EAGAIN;
    client.at = (client.at + static_cast<std::size_t>(size)) % text.size();
    client.exported -= static_cast<std::size_t>(size);
  }
  if (client.chunked) client.out = "0\r\n\r\n";
  client.chunked = false;
  return true;
}

/// False: the client is gone, or has all.
bool Engine::write(Client& client) {
  while (client.sent < client.out.size() || client.exported > 0) {
    if (client.sent == client.out.size()) {
      client.out.clear();
      client.sent = 0;
      if (!write_export(client)) return false;
      if (client.exported > 0) break;
      continue;
    }
    const auto size =
        ::send(client.file, client.out.data() + client.sent, client.out.size() - client.sent, MSG_NOSIGNAL);
    if (size < 0 && errno != EAGAIN) return false;
    if (size < 0) break;
    client.sent += static_cast<std::size_t>(size);
  }
  const bool waits = client.sent < client.out.size() || client.exported > 0;
  if (!waits) {
    client.out.clear();
    client.sent = 0;
  }
  poll.change(client.file, waits ? EPOLLIN | EPOLLOUT : EPOLLIN, &client);
  return waits || !client.closes;
}

void Engine::on(Client& client, std::uint32_t events) {
  const bool there = ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0 || read(client));
  if (there && client.out.empty() && client.exported == 0) return;
  if (!there || !write(client)) drop(client);
}

void Engine::tell_event() {
  if (followers.empty()) return;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto text = chunk(event_line(0, now.tv_sec * 1'000'000'000LL + now.tv_nsec));
  for (auto place = followers.begin(); place != followers.end();) {
    auto& client = **place++;
    client.out += text;
    if (!write(client)) drop(client);
  }
}

[[noreturn]] void serve(Poll& poll, std::list<Engine>& engines) {
  std::array<epoll_event, 64> events;
  while (true) {
    const bool followed = std::ranges::any_of(engines, [](const Engine& engine) { return !engine.followers.empty(); });
    const int count = poll.wait(events.data(), static_cast<int>(events.size()), followed ? event_pause : -1);
    for (int i = 0; i < count; ++i) {
      auto* const data = events[static_cast<std::size_t>(i)].data.ptr;
      const auto listening = std::ranges::find_if(engines, [&](const Engine& engine) { return &engine == data; });
      if (listening != engines.end()) {
        listening->accept_all();
      } else {
        auto& client = *static_cast<Client*>(data);
        client.engine.on(client, events[static_cast<std::size_t>(i)].events);
      }
    }
    if (followed && count == 0)
      for (auto& engine : engines) engine.tell_event();
  }
}

}  // namespace
}  // namespace podfence::bench

int main(int argc, char** argv) {
  using namespace podfence::bench;
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_files();
  Poll poll;
  std::list<Engine> engines;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto mark = word.find('=');
    if (mark == std::string::npos) {
      std::fprintf(stderr, "bench_engine SOCKET=CONTAINERS...\n");
      return 2;
    }
    engines.emplace_back(poll, word.substr(0, mark), std::strtoul(word.c_str() + mark + 1, nullptr, 10));
    poll.add(engines.back().file, EPOLLIN, &engines.back());
  }
  serve(poll, engines);
}
