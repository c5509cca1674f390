// Images that are made of what the client sends, or of a container: load, import, commit. Their names are the project's
// before upstream hears of them; what has been made is recorded by the answer (answer/made.cpp).

#include "rules/act/act.hpp"
#include "rules/image_archive.hpp"
#include "rules/image_change.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"
#include "rules/quota.hpp"

namespace podfence::rules::act {

namespace {

const Field tar_content{"Content-Type", "application/x-tar"};

void set_changes(std::vector<QueryPair>& pairs, const std::vector<std::string>& changes) {
  set_value(pairs, "changes", "");
  for (const auto& change : changes) pairs.push_back({"changes", change});
}

/// The name that the request gives, if it gives one.
std::variant<std::vector<std::string>, Deny> asked_names(Exchange& exchange, const std::string& said) {
  auto names = made_names(exchange);
  if (names.empty() && !said.empty()) return Deny{refusal("image.reference"), said, Kind::Image};
  for (const auto& name : names)
    if (auto deny = check_target(exchange, name)) return *std::move(deny);
  return names;
}

}  // namespace

Decision image_load(Exchange& exchange) {
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  Forward forward;
  forward.request.method = Method::Post;
  forward.request.target = write_target(upstream_path(exchange, ""), std::get<JudgedQuery>(query).pairs);
  forward.request.fields.push_back(tar_content);
  note_uses(exchange, nullptr, forward);
  if (!exchange.request.archive) return forward;

  auto read = read_image_archive(*exchange.request.archive);
  if (const auto* deny = std::get_if<Deny>(&read)) return *deny;
  auto& archive = std::get<ImageArchive>(read);
  for (const auto& tag : archive.tags)
    if (auto deny = check_target(exchange, tag)) return *deny;
  claim_targets(exchange, archive.tags, forward);
  // Each counts.
  for (auto& use : forward.uses) use.amount = static_cast<std::int64_t>(archive.images);
  forward.members = std::move(archive.members);
  return forward;
}

Decision image_import(Exchange& exchange) {
  const bool docker = exchange.match.endpoint->family == Family::Docker;
  const auto& target = exchange.request.target;
  auto query = judge_query(docker ? Query::ImageImportCompat : Query::ImageImport, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  if (const auto source = value_of(target, "fromSrc"); docker && source != "-")
    return Deny{refusal("image.source"), source, Kind::None};
  const auto changes = judge_changes(exchange);
  if (const auto* deny = std::get_if<Deny>(&changes)) return *deny;
  auto names = asked_names(exchange, value_of(target, docker ? "repo" : "reference"));
  if (const auto* deny = std::get_if<Deny>(&names)) return *deny;
  const auto& given = std::get<std::vector<std::string>>(names);

  auto& pairs = std::get<JudgedQuery>(query).pairs;
  set_changes(pairs, std::get<std::vector<std::string>>(changes));
  // With its tag: Podman 4.3 forgets Docker's parameter for that.
  set_value(pairs, docker ? "repo" : "reference", given.empty() ? "" : given.front());
  set_value(pairs, "tag", "");
  Forward forward;
  forward.request.method = Method::Post;
  forward.request.target = write_target(upstream_path(exchange, ""), pairs);
  forward.request.fields.push_back(tar_content);
  claim_targets(exchange, given, forward);
  note_uses(exchange, nullptr, forward);
  return forward;
}

Decision commit(Exchange& exchange) {
  const auto& target = exchange.request.target;
  auto query = judge_query(exchange.match.endpoint->query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  const auto word = value_of(target, "container");
  const auto* container = word.empty() ? nullptr : exchange.facts.find(Kind::Container, word);
  if (word.empty() || (container && container->ownership != Ownership::Own)) return hidden(Kind::Container, word);
  if (!container) return Ask{};
  const auto changes = judge_changes(exchange);
  if (const auto* deny = std::get_if<Deny>(&changes)) return *deny;
  auto names = asked_names(exchange, value_of(target, "repo") + value_of(target, "tag"));
  if (const auto* deny = std::get_if<Deny>(&names)) return *deny;
  const auto& given = std::get<std::vector<std::string>>(names);

  auto& pairs = std::get<JudgedQuery>(query).pairs;
  set_value(pairs, "container", container->id);
  set_changes(pairs, std::get<std::vector<std::string>>(changes));
  set_value(pairs, "repo", "");
  set_value(pairs, "tag", "");
  if (!given.empty())
    for (auto& pair : repository_and_tag(given.front())) pairs.push_back(std::move(pair));
  Forward forward;
  forward.request.method = Method::Post;
  forward.request.target = write_target(upstream_path(exchange, ""), pairs);
  // Podman 4.3 answers 500 without content; later ones take a configuration from it, over that of the container.
  forward.request.content = "{}";
  forward.request.fields.push_back({"Content-Type", "application/json"});
  claim_targets(exchange, given, forward);
  note_uses(exchange, nullptr, forward);
  return forward;
}

}  // namespace podfence::rules::act
