#include "rules/belonging.hpp"

#include <array>
#include <unordered_set>

#include "rules/contains.hpp"

namespace podfence::rules {

namespace {

constexpr auto joined_lists = {Answer::Containers, Answer::Pods, Answer::Volumes, Answer::Networks, Answer::Images};

bool makes_labelled(const Endpoint& endpoint) {
  return endpoint.act == Act::ContainerCreate || endpoint.act == Act::VolumeCreate ||
         endpoint.act == Act::NetworkCreate || endpoint.body == Body::PodCreate;
}

/// Members of compat's list of volumes that are no lists.
constexpr std::string_view volumes_member = "Volumes";

/// nullptr: none.
json::Value* list_in(json::Value& answer) {
  auto* list = answer.members() ? answer.find(volumes_member) : &answer;
  return list && list->items() ? list : nullptr;
}

/// An image carries no label that proves anything: the ledger says who holds it.
std::vector<std::string> holders_of(const Fact& image, std::string_view name, Facts& facts,
                                    std::span<const std::string> projects) {
  std::vector<std::string> holders;
  for (const auto& project : projects)
    if (facts.ledger().holds_image(project, image.id) || facts.ledger().owns_tag(project, name))
      holders.push_back(project);
  return holders;
}

/// The object that carries the label: of an exec session its container.
const Fact* labelled(const Match& match, Facts& facts, bool& open) {
  const auto kind = match.endpoint->subject;
  const auto* fact = facts.find_upstream(kind, match.name);
  open = !fact;
  if (!fact || kind != Kind::Exec || fact->document.is_null()) return fact;
  const auto* container = facts.find(Kind::Container, fact->document.text("ContainerID"), true);
  open = !container;
  return container;
}

}  // namespace

Belonging belonging_of(const Match& match) {
  const auto& endpoint = *match.endpoint;
  const bool pings = endpoint.path.ends_with("/_ping");
  if (pings || endpoint.answer == Answer::Version) return Belonging::Anybody;
  if (endpoint.subject != Kind::None && !match.name.empty()) return Belonging::Named;
  if (makes_labelled(endpoint)) return Belonging::Label;
  if (endpoint.act == Act::List && contains(joined_lists, endpoint.answer)) return Belonging::List;
  return Belonging::Unknown;
}

std::string_view stated_project(std::string_view label_key, const json::Value& content) {
  for (const auto* name : {"Labels", "labels", "Label"})
    if (const auto* labels = content.find(name))
      if (const auto project = labels->text(label_key); !project.empty()) return project;
  return "";
}

std::optional<std::vector<std::string>> owners_of(const Match& match, Facts& facts,
                                                  std::span<const std::string> projects) {
  bool open = false;
  const auto* fact = labelled(match, facts, open);
  if (open) return std::nullopt;
  if (fact->document.is_null()) return std::vector<std::string>();
  if (match.endpoint->subject == Kind::Image) return holders_of(*fact, match.name, facts, projects);
  const std::string owner(labelled_project(facts.project(), fact->document));
  const bool is_theirs = contains(projects, owner);
  return is_theirs ? std::vector{owner} : std::vector<std::string>();
}

std::optional<std::string> joined(std::span<const std::string> lists) {
  json::Value whole;
  std::unordered_set<std::string> seen;  // the items of `whole`, as they are written
  for (const auto& text : lists) {
    auto parsed = json::parse(text, json::answer_limits);
    auto* list = std::get_if<json::Value>(&parsed);
    if (!list) return std::nullopt;
    if (whole.is_null()) {
      whole = std::move(*list);
      continue;
    }
    auto* target = list_in(whole);
    auto* source = list_in(*list);
    if (!target || !source) return std::nullopt;
    if (seen.empty())
      for (const auto& item : *target->items()) seen.insert(json::write(item));
    for (auto& item : *source->items())
      if (seen.insert(json::write(item)).second) target->push(std::move(item));
  }
  return json::write(whole.is_null() ? json::Value::array() : whole);
}

}  // namespace podfence::rules
