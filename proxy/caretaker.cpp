#include "proxy/caretaker.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "proxy/failure.hpp"
#include "proxy/log.hpp"
#include "proxy/process.hpp"
#include "proxy/process_mark.hpp"
#include "proxy/teardown.hpp"
#include "rules/error_answer.hpp"
#include "rules/operator/holder.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using rules::Deny;
using rules::refusal;
using rules::Teardown;
using rules::TeardownReport;

namespace {

/// Projects that are torn down at a time: Podman has other clients too.
constexpr std::size_t max_working = 4;
/// Of podfence as a client. Each takes one at a time, and a moment until that is gone.
constexpr std::size_t own_connections = 16 * max_working;
constexpr auto turn_pause = 20ms;
/// Looks between two attempts at what could not be torn down.
constexpr int looks_between_attempts = 5;
/// Containers that one question asks for: the target must not become too long.
constexpr std::size_t asked_at_once = 64;
/// A log is no list of things.
constexpr std::size_t max_told_things = 5;

Task<void> pause(const Executor& executor, std::chrono::milliseconds time) {
  asio::steady_timer timer(executor, time);
  co_await timer.async_wait(as_task);
}

using Answer = std::variant<WholeAnswer, Deny>;

Task<Answer> ask(Services& services, rules::UpstreamRequest request) {
  BufferBudget::Share share(services.buffers, "");
  co_return co_await ask_whole(services.upstream, std::move(request), services.limits.answer_bytes, share);
}

/// What goes wrong is told, and done again the next time.
Task<void> told(Task<void> task) {
  try {
    co_await std::move(task);
  } catch (const std::exception& error) {
    const auto* of_asio = dynamic_cast<const boost::system::system_error*>(&error);
    if (of_asio && of_asio->code() == asio::error::operation_aborted) throw;  // podfence ends
    log("projects that end: " + said_by(error));
  }
}

void log_report(const std::string& id, rules::Teardown how, const TeardownReport& report) {
  const auto tell = [&](const char* what, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size() && i < max_told_things; ++i)
      log("project " + id + ": " + what + ": " + lines[i]);
    if (lines.size() > max_told_things)
      log("project " + id + ": " + what + ": " + std::to_string(lines.size() - max_told_things) + " more");
  };
  log("project " + id + ": teardown (" + std::string(rules::text(how)) + ") of " + rules::text_of(report) +
      (report.left.empty() ? ", complete" : ", not complete; it is tried again"));
  tell("left", report.left);
  tell("stays in Podman", report.kept);
}

}  // namespace

/// A project's place among those that are worked at, or wait for it.
class Caretaker::Work {
 public:
  Work(std::set<std::string>& working, const std::string& id) : working_(working), id_(id) { working_.insert(id); }
  ~Work() { working_.erase(id_); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  std::set<std::string>& working_;
  std::string id_;
};

/// At tearing a project down. Whoever asks for the same meanwhile waits for this one.
struct Caretaker::Attempt {
  explicit Attempt(const Executor& executor) : end(executor, asio::steady_timer::time_point::max()) {}

  Ended ended;
  bool is_over = false;
  asio::steady_timer end;  ///< is cancelled then
};

class Caretaker::Running {
 public:
  Running(Caretaker& self, const std::string& id, Attempt& attempt) : self_(self), id_(id), attempt_(attempt) {}
  ~Running() {
    attempt_.is_over = true;
    attempt_.end.cancel();
    self_.attempts_.erase(id_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  Caretaker& self_;
  std::string id_;
  Attempt& attempt_;
};

Caretaker::Caretaker(const Executor& executor, Services& services, Tenancy& tenancy, Pace pace)
    : executor_(executor),
      services_(services),
      tenancy_(tenancy),
      pace_(pace),
      places_(own_connections, own_connections, 1),
      clients_(executor, services, places_),
      tasks_(executor) {}

void Caretaker::start() {
  tasks_.spawn(look_regularly());
  tasks_.spawn(look_for_containers_regularly());
  tasks_.spawn(survey_regularly());
}

void Caretaker::stop() {
  stopped_ = true;
  tasks_.cancel();
  clients_.cancel();
}

Task<void> Caretaker::look_regularly() {
  for (int number = 0;; ++number) {
    co_await told(look(number));
    give_back_memory();
    services_.upstream.close_stale();
    co_await pause(executor_, pace_.look);
  }
}

/// Waits for nothing: by the time that Podman has answered, who was to end may have been renewed.
Task<void> Caretaker::look(int number) {
  end_clearing();
  tenancy_.settle_leases();
  for (const auto& id : find_ended()) begin(id);
  if (number % looks_between_attempts == 0)
    for (const auto& id : ending()) queue(id);
  co_return;
}

void Caretaker::begin(const std::string& id) {
  if (const auto refused = tenancy_.begin_end(id)) return log("project " + id + ": " + rules::reason_of(*refused));
  log("project " + id + " ends: its lease is over, or its holder is gone");
  queue(id);
}

std::shared_ptr<Caretaker::Attempt> Caretaker::queue(const std::string& id) {
  if (const auto known = attempts_.find(id); known != attempts_.end()) return known->second;
  auto attempt = std::make_shared<Attempt>(executor_);
  attempts_.emplace(id, attempt);
  tasks_.spawn(told(work(id, attempt)));
  return attempt;
}

std::vector<std::string> Caretaker::ending() const {
  std::vector<std::string> ending;
  for (const auto& course : tenancy_.courses())
    if (course.ending) ending.push_back(course.id);
  return ending;
}

/// By their leases, and by processes that hold them.
std::vector<std::string> Caretaker::find_ended() const {
  std::vector<std::string> ended;
  for (const auto& course : tenancy_.courses()) {
    if (course.ending) continue;
    const auto& holder = course.life->holder;
    const bool process_gone = holder && holder->container.empty() &&
                              mark_of_process(static_cast<pid_t>(holder->process)) != course.holder_mark;
    if (course.lease_is_over || process_gone) ended.push_back(course.id);
  }
  return ended;
}

/// By project.
std::map<std::string, std::string> Caretaker::holding_containers() const {
  std::map<std::string, std::string> containers;
  for (const auto& course : tenancy_.courses())
    if (const auto& holder = course.life->holder; holder && !holder->container.empty() && !course.ending)
      containers[course.id] = course.holder_mark;
  return containers;
}

Task<void> Caretaker::look_for_containers_regularly() {
  while (true) {
    co_await told(look_for_containers());
    co_await pause(executor_, pace_.look);
  }
}

/// Containers count as gone when two looks in a row say so: between two runs of one that Podman starts again there is
/// a moment in which it has ended. What they hold is looked up when Podman has answered: it may have changed meanwhile.
Task<void> Caretaker::look_for_containers() {
  std::set<std::string> absent;
  for (const auto& [id, container] : holding_containers()) absent.insert(container);
  std::vector<std::string> asked(absent.begin(), absent.end());
  const auto living = co_await find_living(std::move(asked));
  std::erase_if(absent, [&](const std::string& container) { return living.contains(container); });
  const auto before = std::exchange(absent_, std::move(absent));
  for (const auto& [id, container] : holding_containers())
    if (before.contains(container) && absent_.contains(container)) begin(id);
}

/// All of them when Podman does not tell.
Task<std::set<std::string>> Caretaker::find_living(std::vector<std::string> ids) {
  std::set<std::string> living;
  for (std::size_t at = 0; at < ids.size(); at += asked_at_once) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<std::string> some(begin,
                                        begin + static_cast<std::ptrdiff_t>(std::min(asked_at_once, ids.size() - at)));
    auto request = rules::holders_request(some);
    const auto answer = co_await ask(services_, std::move(request));
    const auto* answered = std::get_if<WholeAnswer>(&answer);
    const auto told = answered ? rules::living_holders(answered->status, answered->content) : std::nullopt;
    if (told)
      living.insert(told->begin(), told->end());
    else
      living.insert(some.begin(), some.end());
  }
  co_return living;
}

Task<void> Caretaker::work(std::string id, std::shared_ptr<Attempt> attempt) {
  const Running running(*this, id, *attempt);
  attempt->ended.how = tenancy_.ending(id).value_or(Teardown::None);
  attempt->ended.report.left = {"teardown: it failed, as the log says"};  // until it has not
  co_await wait_for_turn(id);
  attempt->ended = co_await tear_down_as_asked(id);
}

/// Anew when another teardown was asked for meanwhile.
Task<Caretaker::Ended> Caretaker::tear_down_as_asked(std::string id) {
  Ended ended;
  auto how = tenancy_.ending(id);
  for (bool again = how.has_value(); again; again = how && *how != ended.how) {
    ended.report = co_await tear_down_now(id, *how);
    ended.how = *how;
    how = tenancy_.ending(id);
  }
  if (!how) co_return Ended{};  // all of it stays
  if (ended.report.left.empty())
    tenancy_.finish_end(id);
  else
    tenancy_.note_left(id, ended.report.left);
  co_return ended;
}

/// It is the caller's when this returns, until the caller waits for something else.
Task<void> Caretaker::wait_for_turn(std::string id) {
  while (is_at_work(id) || working_.size() >= max_working) co_await pause(executor_, turn_pause);
}

Task<TeardownReport> Caretaker::tear_down_now(std::string id, rules::Teardown how) {
  const Work turn(working_, id);
  const auto project = rules::ending_project(id, tenancy_.configuration().label);
  auto report = co_await tear_down(services_, clients_, project, how);
  log_report(id, how, report);
  co_return report;
}

Task<Caretaker::Ended> Caretaker::end(std::string id) {
  const auto attempt = queue(id);
  while (!attempt->is_over) co_await attempt->end.async_wait(asio::as_tuple(as_task));
  co_return attempt->ended;
}

Task<std::variant<std::string, Deny>> Caretaker::mark_holder(rules::Holder holder) {
  if (!holder.container.empty()) co_return co_await find_container(holder.container);
  auto mark = mark_of_process(static_cast<pid_t>(holder.process));
  if (mark.empty()) co_return Deny{refusal("operator.holder"), rules::text(holder) + ": there is no such process"};
  co_return mark;
}

Task<std::variant<std::string, Deny>> Caretaker::find_container(std::string name) {
  auto request = rules::holder_request(name);
  const auto answer = co_await ask(services_, std::move(request));
  if (const auto* deny = std::get_if<Deny>(&answer)) co_return Deny{refusal("operator.engine"), deny->subject};
  const auto& answered = std::get<WholeAnswer>(answer);
  auto held = rules::holder_of(answered.status, answered.content);
  if (!held.wrong.empty()) co_return Deny{refusal("operator.holder"), "the container " + name + ": " + held.wrong};
  absent_.erase(held.id);  // and what a look is being told was so before
  co_return std::move(held.id);
}

Task<std::variant<std::vector<rules::Orphan>, Deny>> Caretaker::survey() {
  rules::OrphanSurvey survey(tenancy_.configuration().label);
  for (const auto& row : rules::OrphanSurvey::rows()) {
    auto request = survey.request(row);
    const auto answer = co_await ask(services_, std::move(request));
    if (const auto* deny = std::get_if<Deny>(&answer)) co_return Deny{refusal("operator.engine"), deny->subject};
    const auto& answered = std::get<WholeAnswer>(answer);
    if (!survey.learn(row, answered.status, answered.content))
      co_return Deny{refusal("operator.engine"), "it does not list its " + std::string(row.name)};
  }
  survey.learn(services_.ledger.entries());
  std::vector<rules::Orphan> orphans;
  for (const auto& [project, things] : survey.projects())
    if (!tenancy_.is_known(project)) orphans.push_back({project, things});
  co_return orphans;
}

Task<std::variant<Caretaker::Collection, Deny>> Caretaker::collect(bool removes) {
  Collection collection;
  auto found = co_await survey();
  if (auto* deny = std::get_if<Deny>(&found)) co_return std::move(*deny);
  collection.orphans = std::get<std::vector<rules::Orphan>>(std::move(found));
  collection.ending = ending();
  if (!removes) co_return collection;
  for (const auto& id : collection.ending) queue(id);
  for (auto& orphan : collection.orphans) {
    if (!rules::is_project_id(orphan.project)) continue;  // that label is none of podfence's
    co_await wait_for_turn(orphan.project);
    if (tenancy_.is_known(orphan.project)) continue;  // it was added meanwhile
    tenancy_.begin_clearing(orphan.project);
    orphan.report = co_await tear_down_now(orphan.project, rules::Teardown::Remove);
    end_clearing();
  }
  co_return collection;
}

/// As soon as nothing is at work at it: neither the removal nor what a client of the former project has left Podman to
/// make.
void Caretaker::end_clearing() {
  if (stopped_) return;  // nobody is served anew
  const auto clearing = tenancy_.clearing();
  for (const auto& id : clearing)
    if (!is_at_work(id) && !services_.makers.are_at_work(id)) tenancy_.end_clearing(id);
}

Task<void> Caretaker::survey_regularly() {
  std::string last;
  while (true) {
    co_await told(survey_once(last));
    co_await pause(executor_, pace_.survey);
  }
}

/// `last`: what was told the last time is not told again.
Task<void> Caretaker::survey_once(std::string& last) {
  const bool removes = tenancy_.configuration().removes_orphans;
  const auto collected = co_await collect(removes);
  std::string text;
  if (const auto* collection = std::get_if<Collection>(&collected))
    for (const auto& orphan : collection->orphans)
      text += (text.empty() ? "" : "; ") + orphan.project + ": " + rules::text_of(orphan.things);
  if (!removes && !text.empty() && text != last)
    log("of projects that are not known there are (podfence gc removes them): " + text);
  last = std::move(text);
}

}  // namespace podfence::proxy
