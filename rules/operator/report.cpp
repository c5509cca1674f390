#include "rules/operator/report.hpp"

#include <algorithm>

namespace podfence::rules {

namespace {

using json::Value;

std::string number_of(const Value& object, std::string_view name) {
  return std::to_string(object.int64(name).value_or(0));
}

std::string status_of(const Value& project) {
  if (project.flag("served")) return "served";
  if (project.find("ending")) return "is being ended (teardown: " + std::string(project.text("ending")) + ")";
  return "not served: " + std::string(project.text("wrong"));
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string row(std::string id, std::string source, std::string connections, std::string socket, std::string status) {
  return padded(std::move(id), 24) + padded(std::move(source), 15) + padded(std::move(connections), 13) +
         padded(std::move(socket), 48) + status + "\n";
}

std::string list_text(const Value& document) {
  std::string text = row("PROJECT", "SOURCE", "CONNECTIONS", "SOCKET", "STATUS");
  for (const auto& project : document.list("projects"))
    text += row(std::string(project.text("id")), std::string(project.text("source")), number_of(project, "connections"),
                std::string(project.text("socket")), status_of(project));
  return text;
}

std::string line(std::string name, std::string_view value) {
  return padded(std::move(name), 16) + std::string(value) + "\n";
}

std::string quota_text(const Value& quotas) {
  std::string text;
  for (const auto& [name, quota] : *quotas.members())
    text += line("  " + name, number_of(quota, "used") + " of " + number_of(quota, "most"));
  return text;
}

std::string objects_text(const Value& objects) {
  std::string text;
  for (const auto& [kind, identities] : *objects.members())
    for (const auto& identity : *identities.items()) text += line("  " + kind, *identity.string());
  return text;
}

std::string project_text(const Value& project) {
  std::string text = line("project", project.text("id")) + line("socket", project.text("socket")) +
                     line("source", project.text("source")) + line("status", status_of(project)) +
                     line("connections", number_of(project, "connections"));
  if (const auto last = project.text("last_request"); !last.empty()) text += line("last request", last);
  if (const auto left = project.int64("lease_left")) text += line("lease", std::to_string(*left) + " s left");
  for (const auto& thing : project.list("left")) text += line("left", *thing.string());
  for (const auto& opening : project.list("openings")) text += line("opening", *opening.string());
  if (const auto* quotas = project.find("quota")) text += "quota\n" + quota_text(*quotas);
  if (const auto* objects = project.find("objects")) text += "objects\n" + objects_text(*objects);
  return text;
}

std::string added_text(const Value& project) {
  const std::string id(project.text("id")), socket(project.text("socket"));
  return "project " + id + " listens on " + socket + "; use DOCKER_HOST=unix://" + socket +
         " or CONTAINER_HOST=unix://" + socket + "\n";
}

std::string loaded_text(const Value& document) {
  std::string text = "loads, " + number_of(document, "projects") + " project(s)";
  if (document.find("generation")) text += ", generation " + number_of(document, "generation");
  text += '\n';
  for (const auto& opening : document.list("openings")) text += *opening.string() + "\n";
  return text;
}

std::string done_text(const Value& report) {
  std::string text;
  const auto* done = report.find("done");
  for (const auto& [name, number] : *done->members())
    if (number.int64() != 0) text += (text.empty() ? "" : ", ") + std::to_string(*number.int64()) + " " + name;
  text = (text.empty() ? "nothing" : text) + "\n";
  for (const auto& thing : report.list("left")) text += line("left", *thing.string());
  for (const auto& thing : report.list("kept")) text += line("stays in Podman", *thing.string());
  return text;
}

std::string teardown_text(const Value& document) {
  const std::string what = document.text("teardown") == "stop" ? "stopped: " : "removed: ";
  return "project " + std::string(document.text("id")) + (document.list("left").empty() ? " has ended" : " is ending") +
         "; " + what + done_text(document);
}

std::string collected_text(const Value& document) {
  const bool dry_run = document.flag("dry_run");
  std::string text;
  for (const auto& id : document.list("ending")) text += "project " + *id.string() + " is being ended\n";
  for (const auto& orphan : document.list("orphans")) {
    text += "project " + std::string(orphan.text("project")) + ", which is not known, has";
    for (const auto& [name, number] : *orphan.find("things")->members())
      text += " " + std::to_string(*number.int64()) + " " + name;
    const auto* done = orphan.find("done");
    text += dry_run                    ? "; would be removed\n"
            : done->members()->empty() ? "; left alone\n"
                                       : "; removed: " + done_text(orphan);
  }
  return text.empty() ? "there is nothing to collect\n" : text;
}

}  // namespace

std::string operator_report(OperatorAction action, const Value& document) {
  switch (action) {
    case OperatorAction::ListProjects:
      return list_text(document);
    case OperatorAction::ShowProject:
      return project_text(document);
    case OperatorAction::PutProject:
      return added_text(document);
    case OperatorAction::RenewProject:
      return project_text(document);
    case OperatorAction::RemoveProject:
      return teardown_text(document);
    case OperatorAction::Collect:
      return collected_text(document);
    case OperatorAction::Reload:
    case OperatorAction::Validate:
      return loaded_text(document);
    case OperatorAction::Health:
    case OperatorAction::Ready:
    case OperatorAction::Metrics:
    case OperatorAction::Decisions:
    case OperatorAction::History:
    case OperatorAction::Page:
      break;
  }
  return "";
}

std::string operator_failure(std::string_view content) {
  const auto parsed = json::parse(content);
  const auto* document = std::get_if<Value>(&parsed);
  return std::string(document && !document->text("message").empty() ? document->text("message") : content);
}

std::variant<Value, std::string> stated_definition(std::string_view definition, const std::string& policy) {
  auto document = Value::object();
  if (!definition.empty()) {
    auto parsed = json::parse(definition);
    if (const auto* error = std::get_if<json::Error>(&parsed)) return "is not JSON: " + error->text();
    document = std::get<Value>(std::move(parsed));
    if (!document.members()) return std::string("must be a JSON object");
  }
  if (!policy.empty()) document.set("policy", policy);
  return document;
}

}  // namespace podfence::rules
