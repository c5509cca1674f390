#include "proxy/teardown.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <cerrno>
#include <memory>

#include "proxy/door.hpp"
#include "proxy/question.hpp"
#include "proxy/time_limit.hpp"
#include "rules/error_answer.hpp"
#include "rules/operator/report.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;
using rules::TeardownReport;
using rules::TeardownStep;

namespace {

constexpr const char* own_listener = "teardown";
constexpr std::size_t max_teardown_answer = 64 * 1024;
constexpr std::chrono::milliseconds makers_pause{5};
/// For each thing, behind one about which there was no answer.
constexpr std::chrono::seconds time_behind_silence{10};

class ProjectClient {
 public:
  ProjectClient(Services& services, SessionGroup& clients, const rules::Project& project, std::chrono::seconds time)
      : services_(services),
        time_(time),
        door_(std::make_shared<ProjectDoor>(std::make_shared<const rules::Project>(project), own_listener)),
        podfence_(clients.tasks().executor(), [this, &clients] { return connect(clients); }) {}
  ProjectClient(const ProjectClient&) = delete;
  ProjectClient& operator=(const ProjectClient&) = delete;

  /// "" when it is so now; else why not.
  Task<std::string> ask(rules::UpstreamRequest request) {
    auto answer = co_await in_time(answer_to(request), time_);
    if (answer) co_return *std::move(answer);
    auto wrong = no_answer_within(time_).subject;
    // Other projects wait for this one to be done: not for each of many things that hang.
    time_ = std::min(time_, time_behind_silence);
    co_return wrong;
  }
  std::chrono::seconds patience() const { return time_; }

 private:
  Task<std::string> answer_to(const rules::UpstreamRequest& request) {
    podfence_.close_idle();
    UpstreamCall call(podfence_);
    if (const auto refused = refusal_for(co_await call.send(request))) co_return rules::sentence_of(*refused);
    BufferBudget::Share share(services_.buffers, door_->project());
    const auto content = co_await read_whole(call.content(), max_teardown_answer, share);
    if (rules::is_torn_down(call.head().status)) co_return "";
    const auto* text = std::get_if<std::string>(&content);
    co_return text ? rules::operator_failure(*text) : "status " + std::to_string(call.head().status);
  }

  Connected connect(SessionGroup& clients) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return {File(), errno};
    Connection::Socket other(clients.tasks().executor());
    other.assign(asio::local::stream_protocol(), ends[1]);
    clients.adopt(std::move(other), door_, own_listener);
    return {File(ends[0]), 0};
  }

  Services& services_;
  std::chrono::seconds time_;
  std::shared_ptr<const ProjectDoor> door_;
  Upstream podfence_;
};

using Things = std::variant<std::vector<std::string>, rules::Deny>;

Task<Things> find_things(Services& services, const rules::Project& project, const TeardownStep& step) {
  rules::Facts facts(project, services.ledger, services.memory, services.usage);
  BufferBudget::Share share(services.buffers, project.id);
  for (int round = 0; round < Inquiry::max_rounds; ++round) {
    if (auto things = rules::things_of(step, project, facts, services.ledger.entries())) co_return *std::move(things);
    const auto questions = facts.take_open();
    for (const auto& question : questions)
      if (auto deny = co_await ask_upstream(services, facts, question, share)) co_return *std::move(deny);
  }
  co_return rules::Deny{rules::refusal("upstream.answer"), std::string(step.name), rules::Kind::None};
}

/// What needs something else is taken in a later round, as long as there are rounds in which something goes.
Task<void> take_step(Services& services, ProjectClient& client, const rules::Project& project, const TeardownStep& step,
                     TeardownReport& report) {
  const auto time = std::min(question_time, client.patience());
  auto answer = co_await in_time(find_things(services, project, step), time);
  auto found = answer ? *std::move(answer) : Things(no_answer_within(time));
  if (const auto* deny = std::get_if<rules::Deny>(&found)) {
    report.left.push_back(std::string(step.name) + ": " + rules::sentence_of(*deny));
    co_return;
  }
  auto things = std::get<std::vector<std::string>>(std::move(found));
  std::size_t done = 0, before = 0;
  std::vector<std::string> left;
  do {
    before = things.size();
    left.clear();
    std::vector<std::string> others;
    for (auto& thing : things) {
      auto wrong = co_await client.ask(rules::teardown_request(step, thing));
      if (wrong.empty()) {
        ++done;
      } else {
        left.push_back(std::string(step.name) + ": " + thing + ": " + wrong);
        others.push_back(std::move(thing));
      }
    }
    things = std::move(others);
  } while (!things.empty() && things.size() < before);
  report.done.emplace_back(step.name, done);
  auto& rest = step.may_stay ? report.kept : report.left;
  rest.insert(rest.end(), left.begin(), left.end());
}

void forget(SqliteLedger& ledger, const std::string& project) {
  std::vector<rules::Claim> claims;
  for (const auto& entry : ledger.entries())
    if (entry.project == project) claims.push_back(rules::drop_of(entry));
  claims.push_back({rules::Claim::Change::RenewCacheKey});
  ledger.apply(project, claims);
}

/// What upstream is making for the project, for a control plane too, would outlive it. Nobody begins anew
/// (session.cpp), and those who had begun were sent away (tenancy.cpp). False: not in time.
Task<bool> wait_for_makers(Services& services, const std::string& project) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  const auto last = std::chrono::steady_clock::now() + services.limits.lock_time;
  while (services.makers.are_at_work(project)) {
    if (std::chrono::steady_clock::now() >= last) co_return false;
    timer.expires_after(makers_pause);
    co_await timer.async_wait(as_task);
  }
  co_return true;
}

}  // namespace

Task<TeardownReport> tear_down(Services& services, SessionGroup& clients, rules::Project project, rules::Teardown how,
                               std::chrono::seconds time) {
  TeardownReport report;
  const bool is_quiet = co_await wait_for_makers(services, project.id);
  if (!is_quiet) {
    report.left.push_back("requests: Podman is still at work for some");
    co_return report;
  }
  ProjectClient client(services, clients, project, time);
  for (const auto& step : rules::teardown_steps(how)) {
    co_await take_step(services, client, project, step, report);
    if (!report.left.empty()) co_return report;
  }
  if (how == rules::Teardown::Remove) forget(services.ledger, project.id);
  co_return report;
}

}  // namespace podfence::proxy
