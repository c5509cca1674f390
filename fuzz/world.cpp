#include "fuzz/world.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "rules/configuration.hpp"
#include "rules/content_text.hpp"

namespace podfence::fuzz {

namespace {

using tests::id;

/// `@x` is the id of 64 times x. What is p10's comes last, and is left out where p1 is alone.
constexpr std::string_view objects_text = R"({
  "containers": [
    {"name": "web", "id": "@a", "project": "p1", "document": {"Mounts": [
      {"Type": "volume", "Name": "@9", "Destination": "/cache"},
      {"Type": "bind", "Source": "/srv/p1/src", "Destination": "/src"}], "Dependencies": ["@5"]}},
    {"name": "db", "id": "@5", "project": "p1", "document": {"State": "exited"}},
    {"name": "web10", "id": "@b", "project": "p10", "document": {"Mounts": [{"Type": "volume", "Name": "@0"}]}},
    {"name": "nobody", "id": "@6", "project": "p10"}],
  "pods": [{"name": "pod", "id": "@c", "project": "p1", "document": {"Containers": [{"Id": "@5"}]}},
           {"name": "pod10", "id": "@d", "project": "p10"}],
  "networks": [{"name": "net", "id": "@e", "project": "p1"}, {"name": "net10", "id": "@f", "project": "p10"}],
  "volumes": [{"name": "data", "project": "p1"}, {"name": "@9"}, {"name": "data10", "project": "p10"},
              {"name": "@0", "project": "p10", "document": {"Labels": {}}}],
  "images": [
    {"id": "@1", "tags": {"localhost/shared/base:latest": []}},
    {"id": "@2", "tags": {"docker.io/library/mine:1": ["p1"], "docker.io/library/mine:2": ["p1"]}, "held_by": ["p1"],
     "document": {"Labels": {"podfence.cache": "key-of-p1"}, "Config": {"ExposedPorts": {"80/tcp": {}}}}},
    {"id": "@4", "tags": {"docker.io/library/both:1": ["p1", "p10"]}, "held_by": ["p1", "p10"]},
    {"id": "@3", "tags": {"docker.io/library/theirs:1": ["p10"]}, "held_by": ["p10"]}],
  "execs": [{"id": "@7", "container": "web"}, {"id": "@8", "container": "web10"}]
})";

std::string with_ids(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '@') {
      result += text[i];
      continue;
    }
    result += id(text[++i]);
  }
  return result;
}

bool holds_only_p10(const rules::json::Value& object) {
  if (object.text("project") == "p10" || object.text("container") == "web10") return true;
  const auto* holders = object.find("held_by");
  return holders && holders->items()->size() == 1 && *holders->items()->front().string() == "p10";
}

void forget_p10(rules::json::Value& value) {
  if (auto* items = value.items()) {
    std::erase_if(*items, holds_only_p10);
    std::erase_if(*items, [](const rules::json::Value& item) { return item.string() && *item.string() == "p10"; });
    for (auto& item : *items) forget_p10(item);
  }
  if (auto* members = value.members())
    for (auto& member : *members) forget_p10(member.value);
}

rules::StatedObjects stated(bool alone) {
  auto text = with_ids(objects_text);
  if (alone) {
    auto value = std::get<rules::json::Value>(rules::json::parse(text));
    forget_p10(value);
    text = rules::json::write(value);
  }
  auto objects = rules::StatedObjects::read("world", text, "appx.project");
  if (const auto* error = std::get_if<rules::ConfigurationError>(&objects))
    claim(false, "the world is well formed", rules::text_of(*error, ""));
  return std::get<rules::StatedObjects>(std::move(objects));
}

struct SettingText {
  const char* name;
  const char* engine;
  std::string_view policy;  ///< of p1
};

constexpr SettingText setting_texts[] = {
    {"a project that says nothing", "4.3.1", R"({})"},
    {"builder", "5.4.2", R"({"policy": "builder"})"},
    {"workspaces, on an engine without sub-paths", "4.3.1",
     R"({"workspace": [{"client": "/workspace", "host": "/srv/p1/src"},
                       {"client": "/docs", "host": "/srv/p1/docs", "mode": "ro"}]})"},
    {"workspaces, on an engine with sub-paths", "5.4.2",
     R"({"workspace": [{"client": "/srv/p1/src", "host": "/srv/p1/src"}], "ports": {"first": 20000, "last": 20007}})"},
    {"read access", "4.3.1", R"({"policy": "read-only"})"},
    {"no egress but by a gate", "5.4.2",
     R"({"network": {"default": "project", "egress": "none", "gate": "gate", "subnets": ["10.1.0.0/16", "fd00:1::/32"]},
         "privileges": {"read_only_root": true}})"},
    {"tight quotas and limits", "4.3.1",
     R"({"quota": {"containers": 2, "pods": 1, "volumes": 2, "networks": 1, "execs": 2, "memory": "1g"},
         "limits": {"memory": {"default": "128m", "most": "256m"}, "pids": {"default": 100, "most": 200}},
         "environment": {"HTTP_PROXY": "http://gate:3128"}})"},
    {"every opening", "4.3.1",
     R"({"insecure_bind_subpaths": true, "workspace": [{"client": "/workspace", "host": "/srv/p1/src"}],
         "privileges": {"insecure_new_privileges": true, "insecure_capabilities": ["NET_ADMIN"]}})"},
    {"ci-runner", "5.4.2", R"({"policy": "ci-runner"})"},
    {"control-plane", "6.0.0", R"({"policy": "control-plane"})"},
};

rules::PolicyFiles profiles() {
  return {PODFENCE_SOURCE_DIR "/deploy/profiles", [](const std::string& path) -> rules::FileText {
            std::ifstream file(path);
            std::ostringstream text;
            text << file.rdbuf();
            return {text.str(), file.is_open() ? "" : "cannot be read"};
          }};
}

Setting read(const SettingText& text) {
  const std::string configuration =
      R"({"defaults": {"images": {"shared": ["localhost/shared*"]}}, "projects": {"p1": )" + std::string(text.policy) +
      "}}";
  auto read = rules::read_configuration(configuration, profiles());
  if (const auto* error = std::get_if<rules::ConfigurationError>(&read))
    claim(false, "the settings are well formed", rules::text_of(*error, text.name));
  auto project = std::get<rules::Configuration>(read).projects.front().project;
  project.socket = "/run/podfence/p1/podman.sock";
  return {text.name, text.engine, std::move(project)};
}

}  // namespace

const std::vector<Setting>& settings() {
  static const auto all = [] {
    std::vector<Setting> result;
    for (const auto& text : setting_texts) result.push_back(read(text));
    return result;
  }();
  return all;
}

const Setting& setting_of(char digit) {
  return settings()[static_cast<unsigned char>(digit - '0') % settings().size()];
}

World::World(bool alone) : objects_(stated(alone)) {
  for (const auto& [project, claim] : objects_.holdings()) {
    auto& rows = claim.change == rules::Claim::Change::OwnTag ? ledger_.tags : ledger_.holds;
    rows.insert({project, claim.what});
  }
}

rules::Decision World::decide(const Setting& setting, rules::Method method, std::string_view target,
                              std::string_view content) {
  auto parsed = rules::parse_target(target);
  if (auto* deny = std::get_if<rules::Deny>(&parsed)) return *deny;
  rules::Request request;
  request.method = method;
  request.target = std::get<rules::Target>(std::move(parsed));
  auto routed = rules::route(method, request.target);
  if (auto* deny = std::get_if<rules::Deny>(&routed)) return *deny;
  const auto& match = std::get<rules::Match>(routed);
  const auto body = match.endpoint->body;
  request.has_content = !content.empty() && body != rules::Body::None;
  // Of an archive every text that the rules read is the content.
  if (const auto archive = rules::archive_rules(*match.endpoint, request, setting.project)) {
    request.archive.emplace();
    for (const auto& name : archive->texts) request.archive->texts[name] = content;
  } else if (body == rules::Body::Secret) {
    request.bytes = content;
  } else if (request.has_content && body != rules::Body::Stream) {
    auto value = rules::read_content(body, content, {});
    if (auto* deny = std::get_if<rules::Deny>(&value)) return *deny;
    request.content = std::get<rules::json::Value>(std::move(value));
  }
  auto knowledge = know(setting);
  rules::Exchange exchange{setting.project, match, request, knowledge.facts};
  return settle(setting, exchange);
}

rules::Decision World::settle(const Setting& setting, rules::Exchange& exchange) {
  for (int round = 0; round < 8; ++round) {
    auto decision = rules::decide(exchange);
    const auto* ask = std::get_if<rules::Ask>(&decision);
    if (!ask) return decision;
    claim(!ask->questions.empty(), "an Ask has questions");
    answer(setting, exchange.facts, ask->questions);
  }
  claim(false, "a decision settles within eight rounds");
  return rules::Ask{};
}

void World::answer(const Setting& setting, rules::Facts& facts, const std::vector<rules::Question>& questions) {
  constexpr std::size_t most_answers = 4096;
  if (answers_.size() > most_answers) answers_.clear();
  for (const auto& question : questions) {
    if (question.ask == rules::Question::Ask::Version) {
      claim(facts.learn(question, 200, "OK", {{"Libpod-Api-Version", setting.engine}}), "the version is understood");
      continue;
    }
    auto place = answers_.find(question);
    if (place == answers_.end()) place = answers_.emplace(question, objects_.answer(question)).first;
    claim(facts.learn(question, place->second.status, place->second.content), "the answer is understood");
  }
}

const std::vector<std::string>& foreign_words() {
  static const std::vector<std::string> words{id('b'),
                                              id('6'),
                                              id('d'),
                                              id('f'),
                                              id('0'),
                                              id('3'),
                                              id('8'),
                                              "web10",
                                              "nobody",
                                              "pod10",
                                              "net10",
                                              "data10",
                                              "docker.io/library/theirs:1"};
  return words;
}

std::string_view foreign_in(std::string_view text) {
  constexpr std::size_t id_size = 64;
  for (const auto& word : foreign_words())
    if (text == word || (word.size() == id_size && text.find(word) != std::string_view::npos)) return word;
  return "";
}

bool is_foreign_volume(std::string_view name) { return name == "data10" || name == id('0'); }

}  // namespace podfence::fuzz
