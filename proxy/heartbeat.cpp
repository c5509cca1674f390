#include "proxy/heartbeat.hpp"

#include <boost/asio/steady_timer.hpp>

#include "proxy/log.hpp"
#include "proxy/service_manager.hpp"
#include "rules/health.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds between_questions{1};
constexpr std::size_t max_version_answer = 1024;

void tell_ready(const std::string& engine) {
  notify_status("in front of " + engine);
  notify_ready();
}

}  // namespace

void Heartbeat::begin(const std::string& engine, bool answers) {
  if (!has_service_manager()) return;
  if (const auto time = watchdog_time(); time.count() > 0) tasks_.spawn(beat(time / 2));
  if (answers) return tell_ready(engine);
  notify_status("waits for Podman on " + engine);
  tasks_.spawn(wait_for_engine(engine));
}

Task<void> Heartbeat::wait_for_engine(std::string engine) {
  asio::steady_timer timer(tasks_.executor());
  while (true) {
    BufferBudget own(max_version_answer, max_version_answer);
    BufferBudget::Share share(own, "");
    const auto asked = co_await ask_whole(services_.upstream, rules::health_request(), max_version_answer, share);
    const auto* answer = std::get_if<WholeAnswer>(&asked);
    if (answer && rules::is_healthy(answer->status, answer->content)) break;
    timer.expires_after(between_questions);
    co_await timer.async_wait(as_task);
  }
  log("Podman answers on " + engine);
  tell_ready(engine);
}

Task<void> Heartbeat::beat(std::chrono::microseconds pause) {
  asio::steady_timer timer(tasks_.executor());
  while (true) {
    notify_alive();
    timer.expires_after(pause);
    co_await timer.async_wait(as_task);
  }
}

}  // namespace podfence::proxy
