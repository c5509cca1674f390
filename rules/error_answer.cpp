#include "rules/error_answer.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/image_name.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

namespace {

constexpr std::size_t max_subject = 200;

/// What Podman 4.3.1 answers to an inspect of what is not there; `{}` is the client's word for it. Its other verbs vary
/// the sentence, and clients look at the status and the cause.
struct Absence {
  Kind kind;
  std::string_view cause;
  std::string_view message;
};
constexpr auto absences = std::to_array<Absence>({
    {Kind::None, "no such object", "no such object: {}"},
    {Kind::Container, "no such container", "no container with name or ID \"{}\" found: no such container"},
    {Kind::Pod, "no such pod", "no pod with name or ID {} found: no such pod"},
    {Kind::Volume, "no such volume", "volume with name {} not found: no such volume"},
    {Kind::Network, "network not found", "unable to find network with name or ID {}: network not found"},
    {Kind::Image, "image not known", "failed to find image {}: {}: image not known"},
    {Kind::Exec, "no such exec session", "no exec session with ID {} found: no such exec session"},
    {Kind::Manifest, "manifest not found", "manifest list {} not found: manifest not found"},
    {Kind::Secret, "no such secret", "no secret with name or id \"{}\": no such secret"},
});

std::string fill(std::string_view sentence, std::string_view subject) {
  std::string text;
  for (auto rest = sentence;;) {
    const auto place = rest.find("{}");
    text += rest.substr(0, place);
    if (place == std::string_view::npos) return text;
    text += subject;
    rest = rest.substr(place + 2);
  }
}

Reply absent(const Deny& deny, Family family) {
  const int status = deny.rule->status;
  if (deny.kind == Kind::Image && family == Family::Docker) {
    // Clients look for "No such image" before they pull (compat/images.go:GetImage).
    auto name = normalise_image_name(deny.subject).value_or(deny.subject);
    // Podman says the name without a tag where the client gave none.
    constexpr std::string_view default_tag = ":latest";
    if (name.ends_with(default_tag) && !deny.subject.ends_with(default_tag))
      name.resize(name.size() - default_tag.size());
    const auto text = "failed to find image " + deny.subject + ": " + name + ": No such image";
    return write_error(status, text, text);
  }
  const auto& absence = *std::ranges::find(absences, deny.kind, &Absence::kind);
  return write_error(status, absence.cause, fill(absence.message, deny.subject));
}

/// A client's bytes in our sentence: printable ASCII, bounded, and to be seen when there are none.
std::string printable(std::string_view subject, std::size_t most) {
  if (subject.empty()) return "\"\"";
  std::string text;
  for (const char c : subject.substr(0, most)) text += ascii::is_graphic(c) || c == ' ' ? c : '?';
  return subject.size() > most ? text + "..." : text;
}

/// What is the whole sentence is podfence's own, and at its end stands what is allowed.
std::size_t most_of_subject(const Refusal& rule) {
  return rule.sentence == "{}" ? std::string_view::npos : max_subject;
}

std::string capitalised(std::string_view sentence) {
  std::string text(sentence);
  if (!text.empty() && ascii::is_lower(text.front())) text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

}  // namespace

Reply write_error(int status, std::string_view cause, std::string_view message) {
  json::Value document;
  document.set("cause", cause);
  document.set("message", message);
  document.set("response", json::Value::integer(status));
  return {status, "application/json", json::write(document) + "\n", {}};
}

std::string reason_of(const Deny& deny) {
  const auto& rule = *deny.rule;
  auto message = fill(rule.sentence, printable(deny.subject, most_of_subject(rule))) + ".";
  const std::string_view way_out = deny.way_out.empty() ? rule.way_out : std::string_view(deny.way_out);
  if (!way_out.empty()) message += " " + capitalised(way_out) + ".";
  const std::string policy = deny.policy.empty() ? std::string(rule.policy) : deny.policy;
  return message + " [rule " + std::string(rule.id) + (policy.empty() ? "" : ", policy " + policy) + "]";
}

std::string sentence_of(const Deny& deny) { return "podfence: " + reason_of(deny); }

Reply error_answer(const Deny& deny, Family family) {
  if (deny.rule->hidden) return absent(deny, family);
  return write_error(deny.rule->status, deny.rule->id, sentence_of(deny));
}

Reply error_answer(const Deny& deny, const Endpoint* endpoint) {
  // podman --remote reads nothing else, and that of Podman 5 dereferences what it has not read.
  if (endpoint && endpoint->act == Act::ImageBatchRemove && !deny.rule->hidden) {
    json::Value document, errors = json::Value::array();
    errors.push(sentence_of(deny));
    document.set("ExitCode", json::Value::integer(125));
    document.set("Errors", std::move(errors));
    return {200, "application/json", json::write(document) + "\n", {}};
  }
  return error_answer(deny, endpoint ? endpoint->family : Family::Docker);
}

Kind kind_of_cause(std::string_view cause) {
  const auto place = std::ranges::find(absences, cause, &Absence::cause);
  return place == absences.end() ? Kind::None : place->kind;
}

}  // namespace podfence::rules
