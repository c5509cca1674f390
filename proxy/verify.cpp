#include "proxy/verify.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "proxy/exact_client.hpp"
#include "rules/health.hpp"
#include "rules/json.hpp"
#include "rules/operator/call.hpp"

namespace podfence::proxy {

namespace verify = rules::verify;
using namespace std::chrono_literals;
using rules::OperatorAction;
using verify::Answer;
using verify::Form;
using verify::Piece;
using verify::Probe;
using verify::Thing;

namespace {

/// Podman stops reading events when the time comes that they are asked for until, on a busy machine before it has
/// begun: a probe that was told nothing would pass.
constexpr auto events_time = 4s;
constexpr auto own_time = 120s;  // the first pod of a user makes an image first

Task<Answer> answer_to(const ExactRequest& request) {
  auto [status, content] = co_await ask_exactly(request);
  co_return Answer{status, std::move(content)};
}

bool went_well(const Answer& answer) { return answer.status >= 200 && answer.status < 300; }

std::string seconds_since_epoch(std::chrono::seconds more = 0s) {
  const auto now = std::chrono::system_clock::now().time_since_epoch() + more;
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

/// A port that nobody is likely to have.
std::string port_of(const std::string& random) {
  return std::to_string(49152 + std::stoul(random.substr(0, 3), nullptr, 16));
}

std::string operator_request(OperatorAction action, const std::string& project, std::string_view query = {}) {
  const auto* row = rules::operator_row(action);
  return std::string(rules::text(row->method)) + " " + rules::operator_target(*row, project) + std::string(query);
}

std::vector<Thing> without(std::vector<Thing> things, const std::vector<Thing>& others) {
  std::erase_if(things, [&](const Thing& thing) { return std::ranges::count(others, thing) > 0; });
  return things;
}

}  // namespace

Verifier::Verifier(VerifySettings settings, const std::string& random, Tell tell)
    : settings_(std::move(settings)), tell_(std::move(tell)) {
  const auto run = verify::run_name(random);
  scene_ = verify::first_scene(run, settings_.label, settings_.project, random);
  scene_.values["port"] = port_of(random);
  scene_.values["since"] = seconds_since_epoch(-1s);
  report_.project = settings_.project;
  report_.socket = settings_.socket;
  report_.run = run;
}

Task<Answer> Verifier::ask(const std::string& socket, std::string_view request, std::string_view content, Form form) {
  const ExactRequest exact{
      .socket = socket, .bytes = verify::request_bytes(request, content, form, scene_), .time = own_time};
  co_return co_await answer_to(exact);
}

/// "" when it is there now; else why not.
Task<std::string> Verifier::make(const Piece& piece, std::string socket) {
  for (const auto& step : piece.make) {
    if (step.request.empty()) break;
    const auto answer = co_await ask(socket, step.request, step.content, step.form);
    if (!went_well(answer) || !verify::learn(scene_, step, answer.content))
      co_return std::string(piece.what) + " cannot be made: " + verify::text_of(answer);
  }
  co_return "";
}

Task<void> Verifier::make_decoy(const Piece& piece) {
  std::string wrong = "it was not tried";
  const std::array sockets = {decoy_socket_, settings_.upstream};
  for (const auto& socket : sockets) {
    if (socket.empty()) continue;
    wrong = co_await make(piece, socket);
    if (wrong.empty()) break;
    co_await ask(settings_.upstream, piece.remove);
  }
  if (!wrong.empty()) verify::lose(scene_, piece, wrong);
  facts_[&piece] = co_await look(piece);
}

Task<void> Verifier::make_decoy() {
  if (!settings_.admin.empty()) {
    const auto answer = co_await ask(settings_.admin, operator_request(OperatorAction::PutProject, report_.run), "{}");
    decoy_socket_ = verify::socket_in(answer.content);
    if (!went_well(answer) || decoy_socket_.empty())
      throw std::runtime_error("the operator's socket " + settings_.admin +
                               " takes no decoy project: " + verify::text_of(answer));
  }
  for (const auto& piece : verify::decoy_pieces()) co_await make_decoy(piece);
}

/// What the project may not make even where nothing is wrong with it cannot be tried in a wrong way.
Task<void> Verifier::make_own() {
  std::string wrong;
  for (const auto& piece : verify::own_pieces()) {
    const auto unmade = co_await make(piece, settings_.socket);
    if (unmade.empty()) continue;
    wrong = "also where nothing is wrong with it, " + unmade;
    verify::lose(scene_, piece, wrong);
  }
}

/// Else nothing that Podman has would prove anything.
Task<void> Verifier::check_same_podman() {
  const auto own = report_.run + "-own";
  const auto things = co_await survey(own);
  const bool is_made = std::ranges::any_of(verify::own_pieces(), [&](const Piece& piece) {
    return scene_.missing.find(piece.words[0]) == scene_.missing.end();
  });
  if (is_made && things.empty())
    throw std::runtime_error("what is made through " + settings_.socket + " is not in the Podman on " +
                             settings_.upstream + ": name the socket of the Podman that is behind it (--upstream)");
}

Task<std::vector<verify::Facts>> Verifier::look(const Piece& piece) {
  std::vector<verify::Facts> all;
  for (const auto& each : piece.looks) {
    if (each.request.empty() || !scene_.why_not(each.request).empty()) continue;
    const auto answer = co_await ask(settings_.upstream, each.request);
    if (answer.status == 0) throw std::runtime_error("Podman does not answer on " + settings_.upstream);
    all.push_back(verify::facts_of(each, answer.status, answer.content));
  }
  co_return all;
}

Task<void> Verifier::list(const verify::KindRow& kind, std::string_view request, std::string prefix, Things& things) {
  const auto answer = co_await ask(settings_.upstream, request);
  auto found = verify::things_in(kind, answer.status, answer.content, prefix);
  if (!found)
    throw std::runtime_error("Podman does not list each " + std::string(kind.name) + ": " + verify::text_of(answer));
  things.insert(things.end(), found->begin(), found->end());
}

Task<Verifier::Things> Verifier::survey(std::string prefix) {
  Things things;
  for (const auto& kind : verify::kinds()) co_await list(kind, kind.by_name, prefix, things);
  co_return things;
}

Task<Verifier::Things> Verifier::claiming() {
  Things things;
  for (const auto& kind : verify::kinds()) {
    if (!kind.by_label.empty()) co_await list(kind, kind.by_label, "", things);
  }
  co_return things;
}

Task<void> Verifier::remove(Things things) {
  for (const auto& thing : things) {
    scene_.values["thing"] = thing.handle();
    // Whose an image is, podfence has recorded: it is to know.
    if (thing.kind->in_ledger) co_await ask(settings_.socket, thing.kind->remove);
    co_await ask(settings_.upstream, thing.kind->remove);
  }
}

Task<void> Verifier::note_state() {
  there_ = co_await survey(report_.run);
  claiming_there_ = co_await claiming();
}

Task<verify::Observed> Verifier::carry_out(const Probe& probe) {
  scene_.values["now"] = seconds_since_epoch(events_time);
  verify::Observed observed;
  ExactRequest exact{.socket = settings_.socket, .bytes = verify::bytes_of(probe, scene_)};
  exact.may_upgrade = verify::may_upgrade(probe);
  exact.to_its_end = probe.form == Form::Bytes;
  observed.answer = co_await answer_to(exact);
  if (probe.sound == verify::Sound::Absent) {
    exact.bytes = verify::bytes_of(probe, scene_, true);
    observed.twin = co_await answer_to(exact);
  }
  for (const auto& piece : verify::decoy_pieces()) {
    const auto now = co_await look(piece);
    const auto& before = facts_[&piece];
    for (std::size_t i = 0; i < std::min(now.size(), before.size()); ++i) {
      const auto changed = verify::changes(piece, before[i], now[i]);
      observed.changes.insert(observed.changes.end(), changed.begin(), changed.end());
    }
  }
  const auto things = co_await survey(report_.run);
  auto made = without(things, there_);
  for (auto& thing : made) {
    scene_.values["thing"] = thing.handle();
    const auto document = co_await ask(settings_.upstream, thing.kind->inspect);
    observed.made.push_back({std::move(thing), document.content});
  }
  const auto claims = co_await claiming();
  observed.claiming = without(claims, claiming_there_);
  co_return observed;
}

/// As it was before the probe.
Task<void> Verifier::put_right(const verify::Observed& observed) {
  if (observed.changes.empty() && observed.made.empty() && observed.claiming.empty()) co_return;
  const auto made = co_await survey(report_.run);
  co_await remove(without(made, there_));
  for (const auto& piece : verify::decoy_pieces()) {
    const auto now = co_await look(piece);
    if (now == facts_[&piece]) continue;
    co_await ask(settings_.upstream, piece.remove);
    co_await make_decoy(piece);
  }
  co_await note_state();
}

Task<void> Verifier::try_out(const Probe& probe) {
  verify::Outcome outcome{&probe, verify::shown(probe, scene_), {}};
  auto why_not = scene_.why_not(probe.request);
  if (why_not.empty()) why_not = scene_.why_not(probe.content);
  if (!why_not.empty()) {
    outcome.verdict = {verify::Verdict::Result::Skip, why_not};
  } else {
    const auto observed = co_await carry_out(probe);
    outcome.verdict = verify::judge(probe, scene_, observed);
    co_await put_right(observed);
  }
  tell_(outcome);
  report_.outcomes.push_back(std::move(outcome));
}

Task<void> Verifier::run() {
  co_await remove_left_projects();
  auto left = co_await survey("");
  std::erase_if(left, [](const Thing& thing) { return !thing.name.empty() && verify::run_of(thing.name).empty(); });
  co_await remove(std::move(left));
  co_await make_decoy();
  if (!settings_.image.empty()) scene_.values["image"] = settings_.image;
  co_await make_own();
  co_await check_same_podman();
  co_await note_state();
  for (const auto& probe : verify::probes()) co_await try_out(probe);
}

Task<void> Verifier::remove_left_projects() {
  if (settings_.admin.empty()) co_return;
  const auto answer = co_await ask(settings_.admin, operator_request(OperatorAction::ListProjects, ""));
  for (const auto& project : verify::runs_in(answer.content)) {
    const auto removed =
        co_await ask(settings_.admin, operator_request(OperatorAction::RemoveProject, project, "?teardown=remove"));
    if (!went_well(removed)) report_.left.push_back("the project " + project + ": " + verify::text_of(removed));
  }
}

/// Through podfence, so that it knows.
Task<void> Verifier::remove_own_images() {
  for (const auto& piece : verify::own_pieces()) co_await ask(settings_.socket, piece.remove);
}

Task<void> Verifier::clean_up() {
  co_await remove_own_images();
  co_await remove_left_projects();
  constexpr int rounds =
      3;  // what uses something else goes first; what was under way when a run was broken off comes late
  Things things;
  for (int round = 0; round < rounds; ++round) {
    things = co_await survey(report_.run);
    co_await remove(things);
  }
  things = co_await survey(report_.run);
  for (const auto& thing : things) report_.left.push_back(thing.text());
}

}  // namespace podfence::proxy
