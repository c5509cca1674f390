// What `podman kube play` and `podman kube down` print: Podman's PlayKubeReport, made of what the requests of the batch
// were answered. act/kube_play.cpp and act/kube_down.cpp say what their names are.

#include <algorithm>

#include "rules/answer/kube.hpp"
#include "rules/json.hpp"
#include "rules/made_object.hpp"

namespace podfence::rules::answer {

namespace {

bool succeeded(const Outcome& outcome) { return outcome.status >= 200 && outcome.status < 400; }

bool is(const Outcome& outcome, std::string_view kind) {
  return outcome.name.size() > kind.size() && outcome.name.starts_with(kind) && outcome.name[kind.size()] == '/';
}

std::string_view name_of(const Outcome& outcome) {
  return std::string_view(outcome.name).substr(outcome.name.find('/') + 1);
}

json::Value base() {
  json::Value report;
  for (const auto* member : {"Pods", "Volumes", "StopReport", "RmReport", "Secrets"}) report.set(member, json::Value());
  return report;
}

void push(json::Value& object, std::string_view member, json::Value item) {
  json::Value* list = object.find(member);
  if (!list->items()) *list = json::Value::array();
  list->push(std::move(item));
}

json::Value new_pod(const Outcome& outcome) {
  json::Value pod;
  pod.set("ID", made_id(outcome.content).value_or(""));
  for (const auto* member : {"Containers", "InitContainers", "Logs", "ContainerErrors"}) pod.set(member, json::Value());
  return pod;
}

json::Value new_secret(const Outcome& outcome) {
  json::Value created, secret;
  created.set("ID", made_id(outcome.content).value_or(""));
  secret.set("CreateReport", std::move(created));
  return secret;
}

/// Podman writes each error as an empty object.
std::string start_error(Exchange& exchange, const Outcome& outcome) {
  const auto error = json::parse(rewrite_error(exchange, outcome.status, outcome.content).content);
  const auto* document = std::get_if<json::Value>(&error);
  const std::string said(document ? document->text("message") : "");
  const auto parsed = json::parse(outcome.content, json::answer_limits);
  const auto* report = std::get_if<json::Value>(&parsed);
  if (report && report->find("Errs")) return "starting the pod: not all containers could be started";
  return "starting the pod: " + said;
}

/// `pods` and `started` in the order of the outcomes: the items of a pod follow it.
void add(Exchange& exchange, const Outcome& outcome, json::Value& report, json::Array& pods) {
  json::Value volume;
  volume.set("Name", name_of(outcome));
  if (is(outcome, "volume")) push(report, "Volumes", std::move(volume));
  if (is(outcome, "secret")) push(report, "Secrets", new_secret(outcome));
  if (is(outcome, "pod")) pods.push_back(new_pod(outcome));
  if (is(outcome, "container")) push(pods.back(), "Containers", made_id(outcome.content).value_or(""));
  if (is(outcome, "init")) push(pods.back(), "InitContainers", made_id(outcome.content).value_or(""));
  if (is(outcome, "start") && !succeeded(outcome)) push(pods.back(), "ContainerErrors", start_error(exchange, outcome));
}

Reply reply(const json::Value& report) { return {200, "application/json", json::write(report) + "\n", {}}; }

json::Value row(std::string_view errors, std::string_view id) {
  json::Value result;
  result.set(errors, json::Value());
  result.set("Id", id);
  return result;
}

}  // namespace

Reply play_report(Exchange& exchange, const std::vector<Outcome>& outcomes) {
  const auto failed = std::ranges::find_if(
      outcomes, [](const Outcome& outcome) { return !succeeded(outcome) && !is(outcome, "start"); });
  if (failed != outcomes.end()) return rewrite_error(exchange, failed->status, failed->content);
  json::Value report = base();
  json::Array pods;
  for (const auto& outcome : outcomes) add(exchange, outcome, report, pods);
  if (!pods.empty()) report.set("Pods", std::move(pods));
  return reply(report);
}

Reply down_report(Exchange& exchange, const std::vector<Outcome>& outcomes) {
  json::Value report = base();
  for (const auto& outcome : outcomes) {
    if (is(outcome, "removed") && !succeeded(outcome)) return rewrite_error(exchange, outcome.status, outcome.content);
    if (is(outcome, "stopped") && succeeded(outcome)) push(report, "StopReport", row("Errs", name_of(outcome)));
    if (is(outcome, "removed")) push(report, "RmReport", row("Err", name_of(outcome)));
  }
  return reply(report);
}

}  // namespace podfence::rules::answer
