// The bench's clients. One line of JSON tells what came of it: requests (or bytes, or pieces), seconds, times in
// microseconds.
//
//   bench_load SOCKET KIND [--connections N] [--seconds S] [--rate R] [--new] [--count N]
//
// KIND: ping, inspect, inspect_name, list, events, create, mix: a closed loop, or with --rate so many a second in all,
// whether answers come or not; with --new each on a connection of its own. Else: down_chunked, down_length, up_chunked,
// up_length, echo, live, build (of a context of --count MiB), and idle or streams, which hold their connections until
// their standard input ends.

#include "tests/bench/load.hpp"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>

#include "tests/bench/files.hpp"
#include "tests/bench/message_reader.hpp"
#include "tests/bench/requests.hpp"

namespace podfence::bench {

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void send_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const auto size = ::send(file, text.data(), text.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EAGAIN) die("send");
    if (size > 0) text.remove_prefix(static_cast<std::size_t>(size));
  }
}

void Times::tell(double seconds, std::uint64_t bytes) {
  std::ranges::sort(all);
  const auto at = [&](double part) {
    return all.empty()
               ? 0.0
               : static_cast<double>(all[static_cast<std::size_t>(part * static_cast<double>(all.size() - 1))]) / 1e3;
  };
  std::printf("{\"count\": %zu, \"seconds\": %.6f, \"bytes\": %llu, \"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f}\n",
              all.size(), seconds, static_cast<unsigned long long>(bytes), at(.5), at(.9), at(.99));
}

namespace {

struct Client {
  int file;
  std::int64_t begun = 0;
  MessageReader answer = {};
};

class Load {
 public:
  explicit Load(const LoadOptions& options) : options_(options) {
    for (std::size_t i = 0; i < options.connections; ++i) {
      clients_.push_back(std::make_unique<Client>(Client{-1}));
      if (!options.fresh) open(*clients_.back());
    }
  }

  void run() {
    const auto begun = now(), end = begun + static_cast<std::int64_t>(options_.seconds * 1e9);
    next_ = begun;
    if (options_.rate == 0)
      for (auto& client : clients_) begin(*client, now());
    else
      for (auto& client : clients_) idle_.push_back(client.get());
    while (options_.count > 0 ? times_.all.size() < options_.count : now() < end) turn();
    times_.tell(static_cast<double>(now() - begun) / 1e9, bytes_);
  }

 private:
  void open(Client& client) {
    client.file = connect_to(options_.socket);
    poll_.add(client.file, EPOLLIN, &client);
  }

  void begin(Client& client, std::int64_t due) {
    if (options_.fresh) open(client);
    client.begun = due;
    auto text = *request_text(options_.kind, turn_++);
    if (options_.fresh) text.insert(text.find("\r\n") + 2, "Connection: close\r\n");
    send_whole(client.file, text);
  }

  /// What is due goes to who is idle; what waits for one counts from when it was due.
  void send_due() {
    for (; !idle_.empty() && next_ <= now(); next_ += 1'000'000'000 / options_.rate) {
      auto* client = idle_.front();
      idle_.pop_front();
      begin(*client, next_);
    }
  }

  void turn() {
    if (options_.rate > 0) send_due();
    std::array<epoll_event, 64> events;
    const auto left = next_ - now();
    const bool soon = options_.rate > 0 && !idle_.empty() && left < 1'000'000;
    if (soon && left > 0) {
      const timespec pause{0, left};
      ::nanosleep(&pause, nullptr);
    }
    const int count = poll_.wait(events.data(), static_cast<int>(events.size()), soon ? 0 : 100);
    for (int i = 0; i < count; ++i) receive(*static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr));
  }

  void receive(Client& client) {
    static std::array<char, 256 * 1024> buffer;
    const auto size = ::recv(client.file, buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) die("the connection ended before the answer");
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (client.answer.take(bytes) < bytes.size()) die("more than an answer: " + std::string(bytes));
    if (!client.answer.complete()) return;
    if (client.answer.status() >= 300) {
      std::fprintf(stderr, "%s: %s%s\n", options_.kind.c_str(), client.answer.head().c_str(),
                   std::string(bytes).c_str());
      std::exit(1);
    }
    times_.all.push_back(now() - client.begun);
    bytes_ += client.answer.size();
    client.answer.reset();
    if (options_.fresh) ::close(client.file);
    if (options_.rate > 0)
      idle_.push_back(&client);
    else
      begin(client, now());
  }

  const LoadOptions& options_;
  Poll poll_ = {};
  std::vector<std::unique_ptr<Client>> clients_ = {};
  std::deque<Client*> idle_ = {};
  std::int64_t next_ = 0;
  std::size_t turn_ = 0;
  std::uint64_t bytes_ = 0;
  Times times_ = {};
};

}  // namespace
}  // namespace podfence::bench

int main(int argc, char** argv) {
  using namespace podfence::bench;
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_files();
  if (argc < 3) {
    std::fprintf(stderr, "bench_load SOCKET KIND [--connections N] [--seconds S] [--rate R] [--new]\n");
    return 2;
  }
  LoadOptions options{argv[1], argv[2]};
  for (int i = 3; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--new") {
      options.fresh = true;
      continue;
    }
    if (i + 1 == argc) return 2;
    const double value = std::atof(argv[++i]);
    if (word == "--connections") options.connections = static_cast<std::size_t>(value);
    if (word == "--seconds") options.seconds = value;
    if (word == "--count") options.count = static_cast<std::size_t>(value);
    if (word == "--rate") options.rate = static_cast<std::int64_t>(value);
  }
  if (run_stream(options)) return 0;
  if (!request_text(options.kind, 0)) {
    std::fprintf(stderr, "bench_load: no such kind of load: %s\n", options.kind.c_str());
    return 2;
  }
  Load(options).run();
}
