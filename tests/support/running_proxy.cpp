#include "tests/support/running_proxy.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

namespace podfence::testing {
namespace {

constexpr const char* projects[] = {"p1", "p10"};

std::vector<proxy::ListenerOptions> listeners(const std::string& directory, rules::Policy policy) {
  std::vector<proxy::ListenerOptions> options;
  for (const auto* id : projects) {
    rules::Project project{id, "appx.project", std::exchange(policy, {})};
    project.policy.shared_images = {"localhost/*"};
    options.push_back(
        {std::make_shared<const rules::Project>(std::move(project)), directory + "/" + id + "/podman.sock"});
  }
  return options;
}

}  // namespace

proxy::Limits short_limits() {
  proxy::Limits limits;
  limits.head_bytes = 4096;
  limits.json_bytes = 32 * 1024;
  limits.answer_bytes = 256 * 1024;
  limits.line_bytes = 16 * 1024;
  limits.project_connections = 64;
  limits.head_time = Milliseconds(2000);
  limits.idle_time = Milliseconds(20000);
  limits.content_idle_time = Milliseconds(2000);
  limits.send_idle_time = Milliseconds(2000);
  limits.stream_send_idle_time = Milliseconds(2000);
  limits.lock_time = Milliseconds(4000);
  limits.close_time = Milliseconds(1000);
  limits.drain_time = Milliseconds(200);
  return limits;
}

RunningProxy::RunningProxy(proxy::Limits limits) : RunningProxy(limits, rules::Policy{}) {}

RunningProxy::RunningProxy(rules::Policy policy) : RunningProxy(short_limits(), std::move(policy)) {}

RunningProxy::RunningProxy(proxy::Limits limits, rules::Policy policy, bool bodies)
    : podman(directory_.path() + "/upstream.sock"),
      ledger_(":memory:"),
      audit_(rules::AuditSettings{directory_.path() + "/audit.log", bodies}),
      context_(1),
      server_(context_, proxy::connect_to_socket(directory_.path() + "/upstream.sock"),
              listeners(directory_.path(), std::move(policy)), limits, ledger_, audit_, directory_.path()) {
  podman.add(rules::Kind::Image, "localhost/bb:latest", "");
  server_.start();
  thread_ = std::thread([this] {
    try {
      context_.run();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  });
}

RunningProxy::~RunningProxy() {
  if (thread_.joinable()) CHECK_MESSAGE(stop(), "the server did not stop by itself");
}

bool RunningProxy::stop() {
  bool cut = false;
  boost::asio::post(context_, [this] { server_.stop(); });
  // On its own thread: a timer in the context would be work that keeps it running.
  std::thread watcher([&] {
    for (auto waited = Milliseconds(0); waited < patience && !context_.stopped(); waited += Milliseconds(5))
      std::this_thread::sleep_for(Milliseconds(5));
    cut = !context_.stopped();
    context_.stop();
  });
  thread_.join();
  watcher.join();
  CHECK_MESSAGE(failure_.empty(), "the server threw: ", failure_);
  return !cut;
}

std::string RunningProxy::socket(const std::string& project) const {
  return directory_.path() + "/" + project + "/podman.sock";
}

WireAnswer RunningProxy::ask(std::string_view request, const std::string& project) const {
  return client(project).request(request);
}

bool RunningProxy::alive() const {
  const auto answer = ask("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
  return answer.complete() && answer.status == 200 && answer.content == "OK";
}

std::size_t RunningProxy::clients() {
  std::promise<std::size_t> tasks;
  boost::asio::post(context_, [&] { tasks.set_value(server_.tasks()); });
  return tasks.get_future().get() - std::size(projects);
}

bool RunningProxy::idle() {
  for (auto waited = Milliseconds(0); waited < patience; waited += Milliseconds(1)) {
    if (clients() == 0) return true;
    std::this_thread::sleep_for(Milliseconds(1));
  }
  return false;
}

std::string RunningProxy::audit() const {
  std::ifstream file(directory_.path() + "/audit.log");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string RunningProxy::audit(std::size_t lines) const {
  for (auto waited = Milliseconds(0); waited < patience; waited += Milliseconds(5)) {
    const auto text = audit();
    if (static_cast<std::size_t>(std::ranges::count(text, '\n')) >= lines) return text;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return audit();
}

}  // namespace podfence::testing
