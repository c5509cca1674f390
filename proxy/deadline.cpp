#include "proxy/deadline.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <limits>
#include <utility>

namespace podfence::proxy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr int looks = 4;  // in one limit
/// Limits that end close together are looked at together.
constexpr auto least_pause = 5ms;

}  // namespace

/// Those of one context. The timer runs only while there are some: it must not keep the context busy.
class Deadlines : public asio::execution_context::service {
 public:
  inline static asio::execution_context::id id;
  using Clock = Deadline::Clock;

  explicit Deadlines(asio::execution_context& context)
      : service(context), timer_(static_cast<asio::io_context&>(context)) {}

  void add(Deadline& deadline) { all_.push_back(deadline); }
  void remove(Deadline& deadline) {
    all_.erase(all_.iterator_to(deadline));
    if (!all_.empty()) return;
    timer_.cancel();
    next_ = Clock::time_point::max();
  }
  /// Nothing has to be done for an end that is later than the next look.
  void note(Clock::time_point end) {
    if (end >= next_) return;
    next_ = end;
    timer_.expires_at(end);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) look();
    });
  }

 private:
  void shutdown() override {}

  /// A limit that was cleared already is looked at as well: the next one will most likely be no earlier.
  void look() {
    const auto now = Clock::now();
    auto next = Clock::time_point::max();
    next_ = now;  // nothing is noted meanwhile
    for (auto& deadline : all_) {
      if (deadline.end_ <= now) deadline.look(now);
      if (deadline.end_ > now) next = std::min(next, deadline.end_);
    }
    next_ = Clock::time_point::max();
    if (next < Clock::time_point::max()) note(std::max(next, now + least_pause));
  }

  asio::steady_timer timer_;
  Clock::time_point next_ = Clock::time_point::max();
  boost::intrusive::list<Deadline> all_;
};

Deadline::Deadline(const Executor& executor, Connection& connection)
    : all_(asio::use_service<Deadlines>(asio::query(executor, asio::execution::context))), connection_(connection) {
  all_.add(*this);
}

Deadline::~Deadline() { all_.remove(*this); }

void Deadline::set(std::chrono::milliseconds time, Kind kind) {
  time_ = time;
  sending_ = kind == Kind::Sending;
  untaken_ = std::numeric_limits<std::size_t>::max();
  taken_at_ = Clock::now();
  end_ = taken_at_ + (sending_ ? time / looks : time);
  active_ = true;
  passed_ = false;
  connection_.resume();
  all_.note(end_);
}

/// The kernel says that there is room for more only when most of what it has was taken: a reader that is slow looks
/// like one that reads nothing.
bool Deadline::goes_on(Clock::time_point now) {
  if (!sending_) return false;
  const auto before = std::exchange(untaken_, connection_.unread_by_peer());
  if (untaken_ < before) taken_at_ = now;
  if (now - taken_at_ >= time_) return false;
  end_ = now + time_ / looks;
  return true;
}

/// The end has come.
void Deadline::look(Clock::time_point now) {
  if (!active_ || goes_on(now)) return;
  active_ = false;
  passed_ = true;
  connection_.interrupt();
}

}  // namespace podfence::proxy
