// Plain relays to measure others by: bytes from one unix socket to another, and nothing else.
//
//   bench_relay copy|big|splice LISTEN=CONNECT...
//
// copy: 64 KiB reads, the kernel's socket buffers. big: 256 KiB reads and 1 MiB of buffer. splice: through pipes of 1
// MiB, no byte is copied, and 1 MiB of buffer.

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/bench/files.hpp"

namespace podfence::bench {
namespace {

enum class Way { Copy, Big, Splice };

constexpr int large = 1 << 20;

struct Pair;

/// Bytes in one direction: read, and not written yet.
struct Flow {
  std::vector<char> kept = {};
  std::size_t sent = 0;
  std::array<int, 2> pipe{-1, -1};
  std::size_t in_pipe = 0;
  bool ended = false;
  bool waiting() const { return sent < kept.size() || in_pipe > 0; }
};

struct End {
  Pair* pair;
  int file;
  Flow out = {};  ///< what goes to the other end
  std::uint32_t wanted = EPOLLIN;
};

struct Pair {
  std::array<End, 2> ends;
  std::list<std::unique_ptr<Pair>>::iterator place = {};
};

struct Front {
  int file;
  std::string upstream;
};

class Relay {
 public:
  explicit Relay(Way way) : way_(way), buffer_(way == Way::Copy ? 64 * 1024 : 256 * 1024) {}

  void listen(const std::string& path, const std::string& upstream) {
    fronts_.push_back({listen_at(path), upstream});
    poll_.add(fronts_.back().file, EPOLLIN, &fronts_.back());
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 64> events;
    while (true) {
      const int count = poll_.wait(events.data(), static_cast<int>(events.size()), -1);
      gone_.clear();
      for (int i = 0; i < count; ++i) on(events[static_cast<std::size_t>(i)]);
    }
  }

 private:
  void on(const epoll_event& event) {
    for (auto& front : fronts_)
      if (event.data.ptr == &front) return accept_all(front);
    auto& end = *static_cast<End*>(event.data.ptr);
    auto& pair = *end.pair;
    if (pair.ends[0].file < 0) return;  // went with the other end
    auto& other = &end == &pair.ends[0] ? pair.ends[1] : pair.ends[0];
    const bool fine = ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0 || move(end, other)) &&
                      ((event.events & EPOLLOUT) == 0 || move(other, end));
    const bool unheard = (event.events & EPOLLHUP) != 0 && end.out.ended;
    if (!fine || unheard || (end.out.ended && other.out.ended && !end.out.waiting() && !other.out.waiting()))
      return drop(pair);
    want(end, other);
    want(other, end);
  }

  void accept_all(Front& front) {
    for (int file; (file = ::accept4(front.file, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
      pairs_.push_back(std::make_unique<Pair>(Pair{{{{nullptr, file}, {nullptr, connect_to(front.upstream)}}}}));
      auto& pair = *pairs_.back();
      pair.place = std::prev(pairs_.end());
      for (auto& end : pair.ends) {
        end.pair = &pair;
        if (way_ != Way::Copy) ::setsockopt(end.file, SOL_SOCKET, SO_SNDBUF, &large, sizeof large);
        poll_.add(end.file, EPOLLIN, &end);
      }
    }
  }

  /// False: it is over.
  bool move(End& from, End& to) {
    auto& flow = from.out;
    if (!flush(flow, to)) return false;
    while (!flow.waiting() && !flow.ended) {
      const auto size = way_ == Way::Splice ? fill_pipe(flow, from) : fill(from);
      if (size < 0) return errno == EAGAIN;
      if (size == 0) {
        flow.ended = true;
        ::shutdown(to.file, SHUT_WR);
      }
      const bool all = static_cast<std::size_t>(size) >= buffer_.size();
      if (!flush(flow, to)) return false;
      if (!all) break;
    }
    return true;
  }

  ssize_t fill(End& from) {
    const auto size = ::recv(from.file, buffer_.data(), buffer_.size(), 0);
    if (size > 0) given_ = {buffer_.data(), static_cast<std::size_t>(size)};
    return size;
  }

  ssize_t fill_pipe(Flow& flow, End& from) {
    if (flow.pipe[0] < 0) {
      if (::pipe2(flow.pipe.data(), O_NONBLOCK | O_CLOEXEC) != 0) die("pipe");
      ::fcntl(flow.pipe[0], F_SETPIPE_SZ, large);
    }
    const auto size = ::splice(from.file, nullptr, flow.pipe[1], nullptr, static_cast<std::size_t>(large),
                               SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (size > 0) flow.in_pipe += static_cast<std::size_t>(size);
    return size;
  }

  bool flush(Flow& flow, End& to) {
    while (flow.in_pipe > 0) {
      const auto size =
          ::splice(flow.pipe[0], nullptr, to.file, nullptr, flow.in_pipe, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
      if (size < 0) return errno == EAGAIN;
      flow.in_pipe -= static_cast<std::size_t>(size);
    }
    while (flow.sent < flow.kept.size()) {
      const auto size = ::send(to.file, flow.kept.data() + flow.sent, flow.kept.size() - flow.sent, MSG_NOSIGNAL);
      if (size < 0) return errno == EAGAIN;
      flow.sent += static_cast<std::size_t>(size);
    }
    flow.kept.clear();
    flow.sent = 0;
    const auto given = std::exchange(given_, {});
    if (given.empty()) return true;
    const auto size = ::send(to.file, given.data(), given.size(), MSG_NOSIGNAL);
    if (size < 0 && errno != EAGAIN) return false;
    const auto done = size < 0 ? 0 : static_cast<std::size_t>(size);
    flow.kept.assign(given.begin() + static_cast<std::ptrdiff_t>(done), given.end());
    return true;
  }

  void want(End& end, const End& other) {
    const auto wanted = (end.out.waiting() || end.out.ended ? 0u : static_cast<std::uint32_t>(EPOLLIN)) |
                        (other.out.waiting() ? static_cast<std::uint32_t>(EPOLLOUT) : 0u);
    if (wanted == end.wanted) return;
    end.wanted = wanted;
    poll_.change(end.file, wanted, &end);
  }

  void drop(Pair& pair) {
    for (auto& end : pair.ends) {
      ::close(end.file);
      end.file = -1;
      for (const int file : end.out.pipe)
        if (file >= 0) ::close(file);
    }
    gone_.splice(gone_.end(), pairs_, pair.place);  // an event of the other end may be in the same batch
  }

  Way way_;
  std::vector<char> buffer_;
  std::string_view given_ = {};  ///< in the buffer, just read
  Poll poll_ = {};
  std::list<Front> fronts_ = {};
  std::list<std::unique_ptr<Pair>> pairs_ = {}, gone_ = {};
};

}  // namespace
}  // namespace podfence::bench

int main(int argc, char** argv) {
  using namespace podfence::bench;
  std::signal(SIGPIPE, SIG_IGN);
  allow_many_files();
  const std::string_view way = argc > 1 ? argv[1] : "";
  if (way != "copy" && way != "big" && way != "splice") {
    std::fprintf(stderr, "bench_relay copy|big|splice LISTEN=CONNECT...\n");
    return 2;
  }
  Relay relay(way == "copy" ? Way::Copy : way == "big" ? Way::Big : Way::Splice);
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const auto mark = word.find('=');
    relay.listen(word.substr(0, mark), word.substr(mark + 1));
  }
  relay.run();
}
