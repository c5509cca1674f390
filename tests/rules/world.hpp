#pragma once
// A small world of objects with owners, and the loop that answers the rules' questions from it: what a whole proxy does
// with an engine, without either.

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "rules/content_text.hpp"
#include "rules/decide.hpp"
#include "rules/image_name.hpp"

namespace podfence::tests {

using namespace podfence::rules;

class FakeLedger final : public Ledger {
 public:
  std::set<std::pair<std::string, std::string>> holds, tags, made_tags, held_secrets;

  bool holds_image(std::string_view project, std::string_view id) const override { return has(holds, project, id); }
  bool held_by_others(std::string_view project, std::string_view id) const override {
    return others(holds, project, id);
  }
  bool owns_tag(std::string_view project, std::string_view tag) const override { return has(tags, project, tag); }
  bool tag_owned_by_others(std::string_view project, std::string_view tag) const override {
    return others(tags, project, tag);
  }
  bool tag_made_by_others(std::string_view project, std::string_view tag) const override {
    return others(made_tags, project, tag);
  }
  bool holds_secret(std::string_view project, std::string_view id) const override {
    return has(held_secrets, project, id);
  }
  std::vector<std::string> secrets(std::string_view project) const override {
    std::vector<std::string> ids;
    for (const auto& [who, held] : held_secrets)
      if (who == project) ids.push_back(held);
    return ids;
  }
  std::string cache_key(std::string_view project) const override { return "key-of-" + std::string(project); }
  std::int64_t images(std::string_view project) const override {
    return std::ranges::count(holds, project, &std::pair<std::string, std::string>::first);
  }

 private:
  using Rows = std::set<std::pair<std::string, std::string>>;
  static bool has(const Rows& rows, std::string_view project, std::string_view what) {
    return rows.contains({std::string(project), std::string(what)});
  }
  static bool others(const Rows& rows, std::string_view project, std::string_view what) {
    for (const auto& [who, held] : rows)
      if (held == what && who != project) return true;
    return false;
  }
};

/// A full id made of one digit: id('a') is 64 times 'a'.
inline std::string id(char digit) { return std::string(64, digit); }

class World {
 public:
  FakeLedger ledger;
  OwnerMemory memory;
  Usage usage;
  Project project{"p1", "appx.project", {.shared_images = {"localhost/shared*"}}};
  std::string engine = "4.3.1";
  std::set<std::string> manifests;  ///< names of manifest lists
  std::optional<Archive> archive;   ///< of the request, where its endpoint takes one
  std::vector<Question> asked;
  std::vector<std::string> fetched;  ///< images that have been fetched for the next request

  /// An object that answers to its name and its full id. `members`: what else is to be known of it.
  void add(Kind kind, const std::string& name, const std::string& object_id, const std::string& owner,
           std::string_view members = "{}") {
    json::Value object = std::get<json::Value>(json::parse(members));
    json::Value labels = object.find("Labels") ? *object.find("Labels") : json::Value::object();
    if (!owner.empty()) labels.set("appx.project", owner);
    object.set(kind == Kind::Network ? "id" : "Id", object_id);
    object.set(kind == Kind::Network ? "name" : "Name", name);
    object.set("State", "running");
    object.set("Labels", std::move(labels));
    put(kind, name, object);
    put(kind, object_id, object);
    std::erase_if(items_of(kind), [&](const json::Value& item) { return item.text("Name") == name; });
    items_of(kind).push_back(std::move(object));
  }
  void volume(const std::string& name, const std::string& owner) { add(Kind::Volume, name, name, owner); }
  /// Answers to its name, its id and the first digits of it.
  void secret(const std::string& name, const std::string& secret_id, const std::string& owner = "") {
    json::Value object = json::Value::object(), spec = json::Value::object();
    spec.set("Name", name);
    object.set("ID", secret_id);
    object.set("Spec", std::move(spec));
    for (const auto& word : {name, secret_id, secret_id.substr(0, 5)}) put(Kind::Secret, word, object);
    items_of(Kind::Secret).push_back(std::move(object));
    if (!owner.empty()) ledger.held_secrets.insert({owner, secret_id});
  }
  void exec(const std::string& session, const std::string& container, bool ended = false) {
    json::Value object = json::Value::object();
    object.set("CanRemove", ended);
    object.set("ID", session);
    object.set("ContainerID", container);
    put(Kind::Exec, session, std::move(object));
  }
  void image(const std::string& image_id, const std::vector<std::string>& tags, std::string_view members = "{}") {
    json::Value object = std::get<json::Value>(json::parse(members)), names = json::Value::array();
    for (const auto& tag : tags) names.push(tag);
    object.set("Id", image_id);
    object.set("RepoTags", std::move(names));
    put(Kind::Image, image_id, object);
    put(Kind::Image, image_id.substr(0, 12), object);
    for (const auto& tag : tags) {
      put(Kind::Image, tag, object);
      if (tag.starts_with("localhost/") && tag.ends_with(":latest"))
        put(Kind::Image, tag.substr(10, tag.size() - 17), object);  // as Podman finds a short name
    }
    lists_[Kind::Image].push(std::move(object));
  }

  /// The decision about a request; a target or content that cannot be parsed is the Deny that a session would answer.
  Decision decide(Method method, std::string_view target, std::string_view content = "") {
    auto parsed = parse_target(target);
    if (auto* deny = std::get_if<Deny>(&parsed)) return *deny;
    Request request;
    request.method = method;
    request.archive = archive;
    request.target = std::get<Target>(std::move(parsed));
    auto routed = route(method, request.target);
    const auto* match = std::get_if<Match>(&routed);
    if (match && match->endpoint->body == Body::Secret) {
      request.bytes = content;
    } else if (!content.empty()) {
      auto value = read_content(match ? match->endpoint->body : Body::None, content, {});
      if (auto* deny = std::get_if<Deny>(&value)) return *deny;
      request.content = std::get<json::Value>(std::move(value));
      request.has_content = true;
    }
    if (auto* deny = std::get_if<Deny>(&routed)) return *deny;
    Facts facts(project, ledger, memory, usage);
    for (const auto& reference : fetched) facts.note_fetched(reference);
    Exchange exchange{project, std::get<Match>(routed), request, facts};
    return settle(exchange);
  }

  Decision settle(Exchange& exchange) {
    for (int round = 0; round < 8; ++round) {
      auto decision = rules::decide(exchange);
      auto* ask = std::get_if<Ask>(&decision);
      if (!ask) return decision;
      must(!ask->questions.empty(), "an Ask has questions");
      for (const auto& question : ask->questions) answer(exchange.facts, question);
    }
    must(false, "a decision settles within eight rounds");
    return Ask{};
  }

  /// What becomes of a content by itself, before any question is answered.
  std::variant<JudgedBody, Deny> judge_alone(Body body, const json::Value& content) {
    const Request request;
    const Match match;
    Facts facts(project, ledger, memory, usage);
    Exchange exchange{project, match, request, facts};
    return judge_body(body, content, exchange);
  }

  void answer(Facts& facts, const Question& question) {
    asked.push_back(question);
    if (question.ask == Question::Ask::Version) {
      must(facts.learn(question, 200, "OK", {{"Libpod-Api-Version", engine}}), "the version is understood");
      return;
    }
    if (question.ask != Question::Ask::Object) {
      const auto kind = question.ask == Question::Ask::Mounts ? Kind::Container : question.kind;
      const auto& list = lists_.contains(kind) ? lists_[kind] : empty_;
      must(facts.learn(question, 200, json::write(list)), "the list is understood");
      return;
    }
    if (question.kind == Kind::Manifest) {
      must(facts.learn(question, manifests.contains(question.name) ? 204 : 404, ""), "it is told whether it is there");
      return;
    }
    const auto place = objects_.find({question.kind, question.name});
    const bool found = place != objects_.end();
    must(facts.learn(question, found ? 200 : 404, found ? json::write(place->second) : "{}"),
         "the object is understood");
  }

 private:
  json::Array& items_of(Kind kind) {
    auto& list = lists_[kind];
    if (list.is_null()) list = json::Value::array();
    return *list.items();
  }
  static void must(bool holds, const char* claim) {
    if (!holds) throw std::logic_error(claim);
  }
  void put(Kind kind, const std::string& name, json::Value object) { objects_[{kind, name}] = std::move(object); }

  std::map<std::pair<Kind, std::string>, json::Value> objects_;
  std::map<Kind, json::Value> lists_;
  const json::Value empty_ = json::Value::array();
};

/// p1, whose world it is, and p10, with one thing of every kind each; an image that is shared, and one that both hold.
inline World one_of_every_kind() {
  World world;
  world.add(Kind::Container, "web", id('a'), "p1");
  world.add(Kind::Container, "web10", id('b'), "p10");
  world.add(Kind::Pod, "pod", id('c'), "p1");
  world.add(Kind::Pod, "pod10", id('d'), "p10");
  world.add(Kind::Network, "net", id('e'), "p1");
  world.add(Kind::Network, "net10", id('f'), "p10");
  world.add(Kind::Network, "podman", std::string(default_network_id), "");
  world.volume("data", "p1");
  world.volume("data10", "p10");
  world.image(id('1'), {"localhost/shared/base:latest"});
  world.image(id('2'), {"docker.io/library/mine:1", "docker.io/library/mine:2"});
  world.image(id('3'), {"docker.io/library/theirs:1"});
  world.image(id('4'), {"docker.io/library/both:1"});
  world.ledger.holds = {{"p1", id('2')}, {"p10", id('3')}, {"p1", id('4')}, {"p10", id('4')}};
  world.ledger.tags = {{"p1", "docker.io/library/mine:1"},
                       {"p1", "docker.io/library/mine:2"},
                       {"p10", "docker.io/library/theirs:1"},
                       {"p1", "docker.io/library/both:1"},
                       {"p10", "docker.io/library/both:1"}};
  return world;
}

inline std::string rule_of(const Decision& decision) {
  const auto* deny = std::get_if<Deny>(&decision);
  return deny ? std::string(deny->rule->id) : "";
}

inline std::string target_of(const Decision& decision) {
  const auto* forward = std::get_if<Forward>(&decision);
  return forward ? forward->request.target : rule_of(decision);
}

}  // namespace podfence::tests
