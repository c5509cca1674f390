#pragma once
// Two projects, p1 and p10, on a real Podman 4.3.1 as its answers were recorded in tests/data/answers, and the loop
// that answers the rules' questions from the same recording. The client is p1; localhost/* is shared; the other name of
// the image, registry.example/team/app:1, is p10's.

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rules/answer.hpp"
#include "tests/rules/parsed.hpp"
#include "tests/rules/world.hpp"

namespace podfence::tests {

inline std::string recording(const std::string& name) {
  std::ifstream file(PODFENCE_SOURCE_DIR "/tests/data/answers/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("no recording " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline constexpr std::string_view image_id = "4f43bb35b7606bf0ba36992c66ee5f74747170e5c16dc55d8cb33774acb5113f";
inline constexpr std::string_view web_id = "02e8a35d8c50746f25aa294084f63a0a182569560f21b9b0c7ed0b94b9f7cf74";
inline constexpr std::string_view foreign_web_id = "c6e7842ca96976b476e71b2305bba5828a1d0562801a71fea4aaf5a387e91105";

/// The first thing in the text that p1 must not read, or "".
inline std::string reveals(std::string_view text) {
  for (const auto* secret :
       {"p10", "/home/user", "/run/user", "/usr/bin/runc", "/usr/bin/conmon", "/usr/bin/slirp4netns", "/var/tmp",
        "workstation", "registry.example/team/app", "c6e7842ca96976b476e71b2305bba5828a1d0562801a71fea4aaf5a387e91105",
        "1f315001775c9d5efafb0b5851f192bab213281a2ae05f31ed97d07090e3c989",
        "543741f80c6c695f75766eea10897153678aa3dbf07529e04d1d02d965de92a3",
        "93b926c8a008cb1e70a176140ee4262d27078a499ae70b0a86ec62f1b134fe7f", "93b926c8a008", "c376d9f972ef",
        "de7740b0eaa14f90ac8f781082f4d5cc538fd071f57113cb361c5507b438c191",
        "72326dd05091689f6734b3f1e7747ccba6dc0249eaae4cc5cbb4153f81dab878"})
    if (text.find(secret) != std::string_view::npos) return secret;
  return "";
}

/// One exchange of p1 in that world.
class Recorded {
 public:
  FakeLedger ledger;
  OwnerMemory memory;
  Usage usage;
  Project project{"p1", "appx.project", {.shared_images = {"localhost/*"}}};
  Facts facts{project, ledger, memory, usage};
  Request request;
  Match match;
  Exchange exchange{project, match, request, facts};
  int questions = 0;

  Recorded(Method method, std::string_view target, std::string_view content = "") {
    request.method = method;
    request.target = std::get<Target>(parse_target(target));
    if (!content.empty()) request.content = parsed(content);
    match = std::get<Match>(route(method, request.target));
    ledger.tags = {{"p10", "registry.example/team/app:1"}};
    ledger.holds = {{"p10", std::string(image_id)}};
  }

  void answer(const Ask& ask) {
    if (ask.questions.empty()) throw std::logic_error("an Ask without questions");
    for (const auto& question : ask.questions) {
      ++questions;
      const auto found = look_up(question);
      if (!facts.learn(question, found ? 200 : 404, found ? json::write(*found) : "{}"))
        throw std::logic_error("the answer is understood");
    }
  }

  /// The recorded answer as p1 gets to see it.
  std::string rewritten(const std::string& file) {
    for (int round = 0; round < 8; ++round) {
      auto result = rewrite_answer(match.endpoint->answer, exchange, recording(file));
      if (auto* text = std::get_if<std::string>(&result)) return *text;
      if (std::holds_alternative<Deny>(result)) return std::string(std::get<Deny>(result).rule->id);
      answer(std::get<Ask>(result));
    }
    throw std::logic_error("an answer settles within eight rounds");
  }

  /// One line of a stream, nullopt when it is dropped.
  std::optional<std::string> judged(LineJudge& judge, std::string_view line) {
    for (int round = 0; round < 8; ++round) {
      auto result = judge.judge(line);
      if (auto* kept = std::get_if<std::optional<std::string>>(&result)) return *kept;
      answer(std::get<Ask>(result));
    }
    throw std::logic_error("a line settles within eight rounds");
  }

  std::vector<Claim> finished(LineJudge& judge) {
    for (int round = 0; round < 8; ++round) {
      auto result = judge.finish();
      if (auto* claims = std::get_if<std::vector<Claim>>(&result)) return *claims;
      answer(std::get<Ask>(result));
    }
    throw std::logic_error("the claims settle within eight rounds");
  }

  /// Replaces what upstream would say of an object from now on; nullopt: it is gone.
  void now(Kind kind, const std::string& name, std::optional<json::Value> object) { changes_[{kind, name}] = object; }

 private:
  static const char* list_of(Kind kind) {
    switch (kind) {
      case Kind::Container:
        return "libpod_containers.json";
      case Kind::Pod:
        return "libpod_pods.json";
      case Kind::Volume:
        return "libpod_volumes.json";
      case Kind::Network:
        return "libpod_networks.json";
      case Kind::Image:
        return "libpod_images.json";
      default:
        throw std::logic_error("no such list");
    }
  }

  static bool answers_to(const json::Value& object, std::string_view name) {
    for (const auto* member : {"Id", "id", "Name", "name"})
      if (object.text(member) == name) return true;
    for (const auto* member : {"Names", "RepoTags"})
      if (const auto* names = object.find(member); names && names->items())
        for (const auto& each : *names->items())
          if (each.string() && *each.string() == name) return true;
    return false;
  }

  std::optional<json::Value> look_up(const Question& question) const {
    if (question.ask == Question::Ask::Mounts) return parsed(recording("docker_containers.json"));
    if (question.ask == Question::Ask::List) {
      // The filters in use are our label, which the rules check again, and a volume that nobody of ours mounts.
      if (question.name.find("\"volume\"") != std::string::npos) return json::Value::array();
      return parsed(recording(list_of(question.kind)));
    }
    if (const auto change = changes_.find({question.kind, question.name}); change != changes_.end())
      return change->second;
    const auto list = parsed(recording(list_of(question.kind)));
    for (const auto& object : *list.items())
      if (answers_to(object, question.name)) return object;
    return std::nullopt;
  }

  std::map<std::pair<Kind, std::string>, std::optional<json::Value>> changes_;
};

}  // namespace podfence::tests
