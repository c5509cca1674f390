#include "proxy/departure.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <utility>

namespace podfence::proxy {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto between_looks = 25ms;

}  // namespace

/// Of the exchanges of one context that are under way.
class Departures : public asio::execution_context::service {
 public:
  inline static asio::execution_context::id id;

  explicit Departures(asio::execution_context& context)
      : service(context), timer_(static_cast<asio::io_context&>(context)) {}

  void add(Departure& departure) {
    all_.push_back(departure);
    if (!std::exchange(looks_, true)) look_later();
  }
  void remove(Departure& departure) { all_.erase(all_.iterator_to(departure)); }

 private:
  void shutdown() override {}

  void look_later() {
    timer_.expires_after(between_looks);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) look();
    });
  }

  void look() {
    const auto now = Departure::Clock::now();
    for (auto& departure : all_)
      if (!std::exchange(departure.is_new_, false)) departure.look(now);
    looks_ = !all_.empty();
    if (looks_) look_later();
  }

  asio::steady_timer timer_;
  bool looks_ = false;
  boost::intrusive::list<Departure> all_;
};

Departure::Departure(Connection& client, std::chrono::milliseconds close_time, asio::cancellation_signal& session)
    : all_(asio::use_service<Departures>(asio::query(client.executor(), asio::execution::context))),
      client_(client),
      close_time_(close_time),
      session_(session) {}

Departure::Exchange::Exchange(Departure& departure) : departure_(departure) {
  departure.means_ = Means::Cancel;
  departure.is_new_ = true;
  departure.gone_ = false;
  departure.end_ = Clock::time_point::max();
  departure.all_.add(departure);
}

Departure::Exchange::~Exchange() { departure_.all_.remove(departure_); }

void Departure::send_away() {
  sent_away_ = true;
  if (is_linked()) look(Clock::now());  // else the next exchange is looked at
}

/// What the exchange means when its client goes decides, not what it means later.
void Departure::look(Clock::time_point now) {
  if (!gone_ && (sent_away_ || (means_ != Means::Outlast && client_.peer_closed()))) {
    gone_ = true;
    if (means_ != Means::Finish)
      end_ = means_ == Means::Drain ? now + close_time_ : now;
    else if (sent_away_)
      client_.cut();  // one that sends or reads slowly must not hold up the end
  }
  if (end_ == Clock::time_point::max() || (end_ > now && !sent_away_)) return;
  end_ = Clock::time_point::max();
  session_.emit(asio::cancellation_type::terminal);
}

}  // namespace podfence::proxy
