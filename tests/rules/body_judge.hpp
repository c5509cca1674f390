#pragma once
// Judges a content in a world, and says in one word what came of it.

#include <string>

#include "rules/exchange.hpp"
#include "tests/rules/world.hpp"

namespace podfence::tests {

struct Outcome {
  std::string denied;  ///< the refusal's id, "" if none
  std::string subject;
  std::string text;  ///< the content to send on
  std::vector<std::string> volumes = {};
  std::vector<std::string> networks = {};
  std::string way_out = {};  ///< of a refusal, where this very case has one
};

/// Asks until everything is known, as a session does. `answer` learns the facts of a question.
template <typename Answer>
Outcome judge(Body body, std::string_view text, World& world, Answer answer) {
  const Request request;
  const Match match;
  Facts facts(world.project, world.ledger, world.memory, world.usage);
  Exchange exchange{world.project, match, request, facts};
  auto content = json::parse(text);
  if (auto* error = std::get_if<json::Error>(&content)) throw std::logic_error("bad JSON in a test: " + error->what);
  for (int round = 0; round < 8; ++round) {
    auto result = judge_body(body, std::get<json::Value>(content), exchange);
    if (auto* deny = std::get_if<Deny>(&result))
      return {.denied = std::string(deny->rule->id), .subject = deny->subject, .text = "", .way_out = deny->way_out};
    const auto questions = facts.take_open();
    if (questions.empty()) {
      const auto& judged = std::get<JudgedBody>(result);
      Outcome outcome{"", "", json::write(judged.content)};
      for (const auto& volume : judged.volumes) outcome.volumes.push_back(volume.name);
      for (const auto& network : judged.networks) outcome.networks.push_back(network.name);
      return outcome;
    }
    for (const auto& question : questions) answer(facts, question);
  }
  throw std::logic_error("a content settles within eight rounds");
}

inline Outcome judge(Body body, std::string_view text, World& world) {
  return judge(body, text, world, [&](Facts& facts, const Question& question) { world.answer(facts, question); });
}

/// p1 owns web (c…), net (b…), pod (d…), vol; p2 owns their, theirnet, theirpod, theirvol, localhost/theirs.
/// localhost/shared is for all.
inline World two_projects() {
  World world;
  world.add(Kind::Container, "web", id('c'), "p1");
  world.add(Kind::Container, "their", id('1'), "p10");
  world.add(Kind::Network, "net", id('b'), "p1");
  world.add(Kind::Network, "net2", id('9'), "p1");
  world.add(Kind::Network, "theirnet", id('2'), "p10");
  world.add(Kind::Network, "podman", id('0'), "");
  world.add(Kind::Pod, "pod", id('d'), "p1");
  world.add(Kind::Pod, "theirpod", id('3'), "p10");
  world.volume("vol", "p1");
  world.volume("theirvol", "p10");
  world.image(id('e'), {"localhost/shared:latest"});
  world.image(id('4'), {"localhost/theirs:latest"});
  world.ledger.holds.insert({"p10", id('4')});
  return world;
}

/// The refusal's id, or what is sent on, in the world of two projects.
inline std::string judged(Body body, std::string_view text) {
  static World world = two_projects();
  const auto outcome = judge(body, text, world);
  return outcome.denied.empty() ? outcome.text : outcome.denied;
}

/// A container create with an image, in either family; `fields` are more members.
inline std::string compat(const std::string& fields) {
  return judged(Body::ContainerCreateCompat,
                R"({"Image":"localhost/shared")" + (fields.empty() ? "" : "," + fields) + "}");
}
inline std::string host_config(const std::string& fields) { return compat(R"("HostConfig":{)" + fields + "}"); }
inline std::string libpod(const std::string& fields) {
  return judged(Body::ContainerCreateLibpod,
                R"({"image":"localhost/shared")" + (fields.empty() ? "" : "," + fields) + "}");
}

/// A list of that item alone.
inline std::string list_of(int count, const std::string& item) {
  std::string text = "[" + item;
  for (int i = 1; i < count; ++i) text += "," + item;
  return text + "]";
}

/// Is the text in what is sent on?
inline bool sends(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace podfence::tests
