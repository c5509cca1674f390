#include "proxy/verification.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>

#include "proxy/examination.hpp"
#include "proxy/question.hpp"
#include "proxy/relay.hpp"
#include "rules/audit.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Result = Verification::Result;

}  // namespace

Task<Result> Verification::find() {
  const auto target = rules::parse_target(head_.target, services_.limits.target_bytes);
  if (const auto* refused = std::get_if<Deny>(&target)) co_return *refused;
  auto match = rules::route(head_.method, std::get<rules::Target>(target));
  if (auto* refused = std::get_if<Deny>(&match)) co_return std::move(*refused);
  match_ = std::get<rules::Match>(std::move(match));
  if (projects_.empty()) co_return Deny{refusal("control.project-needed"), std::string(match_.endpoint->path)};
  switch (rules::belonging_of(match_)) {
    case rules::Belonging::Anybody:
      co_return projects_.front();
    case rules::Belonging::Named:
      co_return co_await by_name();
    case rules::Belonging::Label:
      co_return co_await by_label();
    case rules::Belonging::List:
      co_return co_await join();
    case rules::Belonging::Unknown:
      break;
  }
  co_return Deny{refusal("control.project-needed"), std::string(match_.endpoint->path)};
}

/// Several projects may have the same name for something: here each is told from the others.
Verification::Project Verification::with_full_names(Project project) {
  if (project->policy.names == rules::Names::Shared) return project;
  auto full = std::make_shared<rules::Project>(*project);
  full->policy.names = rules::Names::Full;
  return full;
}

Result Verification::project_of(const std::string& id) const {
  const auto found = std::ranges::find_if(projects_, [&](const Project& project) { return project->id == id; });
  if (found == projects_.end()) return Deny{refusal("control.label"), id};
  return *found;
}

/// An absent object, and one of nobody whom the client may speak for, are answered by the first project: as if absent.
Task<Result> Verification::by_name() {
  std::vector<std::string> ids;
  for (const auto& project : projects_) ids.push_back(project->id);
  rules::Facts facts(*projects_.front(), services_.known(), services_.memory, services_.usage);
  BufferBudget::Share share(services_.buffers, "");
  for (int round = 0; round < Inquiry::max_rounds; ++round) {
    const auto owners = rules::owners_of(match_, facts, ids);
    if (owners && owners->size() > 1) co_return Deny{refusal("control.several"), match_.name};
    if (owners) co_return owners->empty() ? Result(projects_.front()) : project_of(owners->front());
    const auto questions = facts.take_open();
    for (const auto& question : questions)
      if (auto refused = co_await ask_upstream(services_, facts, question, share, content_.waits()))
        co_return *std::move(refused);
  }
  co_return Deny{refusal("upstream.answer"), "references without an end"};
}

/// Content that cannot be read is for the ordinary way to refuse.
Task<Result> Verification::by_label() {
  BufferBudget::Share share(services_.buffers, "");
  read_ = co_await content_.read_whole(services_.limits.json_bytes, share);
  if (!read_) co_return content_.failure();
  const auto parsed = rules::json::parse(*read_, {services_.limits.json_depth, services_.limits.json_names});
  const auto* content = std::get_if<rules::json::Value>(&parsed);
  if (!content) co_return projects_.front();
  const std::string id(rules::stated_project(projects_.front()->label_key, *content));
  if (id.empty()) co_return Deny{refusal("control.label"), std::string(match_.endpoint->path)};
  co_return project_of(id);
}

Task<Result> Verification::join() {
  if (projects_.size() > max_joined) co_return Deny{refusal("control.projects"), std::to_string(max_joined)};
  std::vector<std::string> lists;
  Patience patience(co_await boost::asio::this_coro::executor);
  for (const auto& project : projects_) {
    auto list = co_await list_of(*project, patience);
    if (auto* refused = std::get_if<Deny>(&list)) co_return std::move(*refused);
    if (auto* error = std::get_if<rules::Reply>(&list)) co_return std::move(*error);
    lists.push_back(std::get<std::string>(std::move(list)));
    // Once as they are, and once joined.
    if (!joined_.take(2 * lists.back().size()))
      co_return Deny{refusal("server.busy"), "large answers wait for their readers"};
  }
  auto whole = rules::joined(lists);
  if (!whole) co_return Deny{refusal("upstream.answer"), "lists that cannot be joined"};
  co_return rules::Reply{200, "application/json", *std::move(whole), {}};
}

/// As the project's own client reads it: others' removals do not make it fail.
Task<Verification::Listed> Verification::list_of(const rules::Project& project, Patience& patience) {
  Examination examination(services_, project, head_, content_);
  if (auto refused = examination.route()) co_return *std::move(refused);
  if (auto refused = co_await examination.read_content()) co_return *std::move(refused);
  auto decision = co_await examination.decide();
  if (auto* refused = std::get_if<Deny>(&decision)) co_return std::move(*refused);
  if (auto* reply = std::get_if<rules::Reply>(&decision)) co_return std::move(reply->content);
  const auto* forward = std::get_if<rules::Forward>(&decision);
  if (!forward) co_return Deny{refusal("control.project-needed"), std::string(match_.endpoint->path)};
  while (true) {
    auto list = co_await ask_for_list(*forward, examination.inquiry());
    const auto* refused = std::get_if<Deny>(&list);
    bool again = refused && refused->rule == refusal("upstream.changing");
    if (again) again = co_await patience.wait();
    if (!again) co_return list;
  }
}

Task<Verification::Listed> Verification::ask_for_list(const rules::Forward& forward, Inquiry& inquiry) {
  UpstreamCall call(services_.upstream, content_.waits());
  if (auto refused = refusal_for(co_await call.send(forward.request))) co_return *std::move(refused);
  BufferBudget::Share share(services_.buffers, inquiry.exchange().project.id);
  if (call.head().status >= 400) {
    auto error = co_await error_answer_of(call, inquiry, services_, share);
    if (auto* denied = std::get_if<Deny>(&error)) co_return std::move(*denied);
    co_return std::get<rules::Reply>(std::move(error));
  }
  if (call.head().status != 200) co_return Deny{refusal("upstream.answer"), "no list"};
  auto list = co_await whole_answer(call, inquiry, services_, share);
  if (auto* refused = std::get_if<Deny>(&list)) co_return std::move(*refused);
  co_return std::get<std::string>(std::move(list));
}

}  // namespace podfence::proxy
