#include "rules/verify/judge.hpp"

#include <algorithm>

#include "rules/json.hpp"
#include "rules/json_pointer.hpp"
#include "rules/units.hpp"
#include "rules/verify/decoy.hpp"

namespace podfence::rules::verify {

namespace {

using json::Value;
using Result = Verdict::Result;

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (const auto& text : texts) result += (result.empty() ? "" : "; ") + text;
  return result;
}

bool served(const Answer& answer) { return answer.status == 101 || (answer.status >= 200 && answer.status < 300); }
bool refused(const Answer& answer) { return answer.status >= 400 && answer.status < 500; }

/// What the decoy and Podman show; empty when nothing happened.
std::vector<std::string> effects(const Observed& observed, bool made_counts) {
  auto result = observed.changes;
  for (const auto& thing : observed.claiming) result.push_back(thing.text() + " carries the decoy's label");
  if (made_counts)
    for (const auto& made : observed.made) result.push_back(made.thing.text() + " was made");
  return result;
}

/// The same answer whatever the things are called.
std::string nameless(const Answer& answer, const Scene& scene) {
  auto text = answer.content;
  const auto take_out = [&](const std::string& name) {
    for (auto at = name.empty() ? std::string::npos : text.find(name); at != std::string::npos;
         at = text.find(name, at))
      text.replace(at, name.size(), "@");
  };
  for (const auto& [word, absent] : scene.absent) {
    take_out(absent);
    if (const auto own = scene.values.find(word); own != scene.values.end()) take_out(own->second);
  }
  return text;
}

std::vector<std::string> told(const Answer& answer, const Scene& scene) {
  std::vector<std::string> result;
  for (const auto& canary : canaries(scene))
    if (answer.content.find(canary) != std::string::npos) result.push_back("it tells " + canary);
  return result;
}

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

/// "" when the container is bound so; else what it has.
std::string unbound(Trait trait, const Scene& scene, const Value& container) {
  const Value* found = nullptr;
  switch (trait) {
    case Trait::None:
      return "";
    case Trait::OwnLabel: {
      const auto labels = json::find(container, "/Config/Labels");
      const auto label = labels ? labels->text(scene.filled("{label}")) : std::string_view();
      return label == scene.filled("{project}") ? "" : "its label is \"" + std::string(label) + "\"";
    }
    case Trait::LoopbackPorts:
      found = json::find(container, "/HostConfig/PortBindings");
      if (!found || !found->members()) return "";
      for (const auto& [port, bindings] : *found->members())
        for (const auto& binding : bindings.items() ? *bindings.items() : json::Array())
          if (!is_loopback(binding.text("HostIp")))
            return port + " is published on \"" + std::string(binding.text("HostIp")) + "\"";
      return "";
    case Trait::NoNewPrivileges:
      found = json::find(container, "/HostConfig/SecurityOpt");
      if (found && found->items() && std::ranges::count(*found->items(), Value("no-new-privileges")) > 0) return "";
      return "its security options are " + (found ? json::write(*found) : "none");
    case Trait::OtherVolumes:
      found = json::find(container, "/Mounts");
      if (!found || !found->items()) return "Podman does not tell what it mounts";
      for (const auto& mount : *found->items())
        if (mount.text("Name") == scene.filled("{volume}")) return "it mounts the decoy's volume";
      return "";
    case Trait::LittleMemory:
      found = json::find(container, "/HostConfig/ShmSize");
      if (found && found->int64() && *found->int64() <= gibi) return "";
      return "its /dev/shm has " + (found ? json::write(*found) : "no bound");
  }
  return "";
}

Verdict judge_confined(const Probe& probe, const Scene& scene, const Observed& observed) {
  std::vector<std::string> wrong = effects(observed, false);
  for (const auto& [thing, document] : observed.made) {
    if (thing.kind->name != "container") continue;
    const auto parsed = json::parse(document, json::answer_limits);
    const auto* container = std::get_if<Value>(&parsed);
    const auto loose = container ? unbound(probe.trait, scene, *container) : "Podman does not tell what it is";
    if (!loose.empty()) wrong.push_back(thing.text() + ": " + loose);
  }
  const auto seen = text_of(observed.answer);
  if (!wrong.empty()) return {Result::Fail, seen + "; " + joined(wrong)};
  if (!observed.made.empty()) return {Result::Pass, seen + "; " + observed.made.front().thing.text() + " is bound"};
  if (refused(observed.answer)) return {Result::Pass, seen + "; nothing was made"};
  return {Result::Fail, seen + "; but nothing was made, and nothing was refused"};
}

Verdict judge_absent(const Scene& scene, const Observed& observed) {
  const auto& [answer, twin] = std::pair(observed.answer, observed.twin);
  const auto seen = text_of(answer);
  if (const auto wrong = effects(observed, true); !wrong.empty()) return {Result::Fail, seen + "; " + joined(wrong)};
  if (answer.status != twin.status || nameless(answer, scene) != nameless(twin, scene))
    return {Result::Fail, seen + "; what is not there is answered by " + text_of(twin)};
  if (!refused(answer)) return {Result::Fail, seen};
  return {Result::Pass, seen + ", as for what is not there; the decoy is as it was"};
}

Verdict judge_silent(const Scene& scene, const Observed& observed) {
  auto wrong = effects(observed, true);
  const auto names = told(observed.answer, scene);
  wrong.insert(wrong.end(), names.begin(), names.end());
  const auto status = std::to_string(observed.answer.status);
  if (!wrong.empty()) return {Result::Fail, status + "; " + joined(wrong)};
  if (!served(observed.answer)) return {Result::Skip, "this is not served: " + text_of(observed.answer)};
  return {Result::Pass, status + "; nothing of the decoy is in it, and the decoy is as it was"};
}

Verdict judge_refused(const Probe& probe, const Observed& observed) {
  const auto seen = text_of(observed.answer);
  const auto wrong = effects(observed, true);
  if (!wrong.empty()) return {Result::Fail, seen + "; " + joined(wrong)};
  const bool cut = observed.answer.status == 0 && probe.form == Form::Bytes;
  if (!refused(observed.answer) && !cut) return {Result::Fail, seen};
  return {Result::Pass, seen + "; nothing was made"};
}

}  // namespace

std::string text_of(const Answer& answer) {
  if (answer.status == 0) return "no answer";
  constexpr std::size_t most = 160;
  const auto parsed = json::parse(answer.content, json::answer_limits);
  const auto* document = std::get_if<Value>(&parsed);
  const auto status = std::to_string(answer.status);
  if (!document || answer.status < 400) return status;
  const auto cause = document->text("cause"), message = document->text("message");
  auto text = status + " " + std::string(cause) + (cause.empty() ? "" : ": ") + std::string(message);
  if (cause == message) text = status + " " + std::string(message);
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

Verdict judge(const Probe& probe, const Scene& scene, const Observed& observed) {
  switch (probe.sound) {
    case Sound::Refused:
      return judge_refused(probe, observed);
    case Sound::Absent:
      return judge_absent(scene, observed);
    case Sound::Silent:
      return judge_silent(scene, observed);
    case Sound::Confined:
      return judge_confined(probe, scene, observed);
  }
  return {};
}

}  // namespace podfence::rules::verify
