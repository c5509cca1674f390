// Saving: the archive gets the names that upstream is asked by, and no others (tried live on 4.3.1). So an image is
// named by the project's word for it where it has one, and by its id elsewhere.

#include <algorithm>
#include <map>

#include "rules/act/act.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::act {

namespace {

/// A name may come to stand for another image: several projects can have pulled it.
std::optional<Deny> add_by_name(Exchange& exchange, const std::string& name, const Fact& image, Forward& forward) {
  const auto* now = exchange.facts.find(Kind::Image, name);
  if (now && now->id != image.id) return hidden(Kind::Image, name);
  forward.steady.push_back({Kind::Image, name, image.id});
  return std::nullopt;
}

std::string name_meant(const Exchange& exchange, std::string_view reference, const json::Value& image) {
  for (auto& name : visible_names(exchange.project, exchange.facts.ledger(), image))
    if (name.find('@') == std::string::npos && may_mean(reference, name)) return name;
  return "";
}

/// What upstream is asked by, by the client's references.
using Words = std::map<std::string_view, std::string>;

std::variant<Words, Deny> words_for(Exchange& exchange, const std::vector<std::string>& references, Forward& forward) {
  Words words;
  for (const auto& reference : references) {
    if (words.contains(reference)) continue;
    const auto image = usable_image(exchange, reference);
    if (image.denied) return *image.denied;
    if (!image.fact) continue;
    auto name = name_meant(exchange, reference, image.fact->document);
    if (!name.empty())
      if (auto deny = add_by_name(exchange, name, *image.fact, forward)) return *std::move(deny);
    words[reference] = name.empty() ? image.fact->id : std::move(name);
  }
  return words;
}

}  // namespace

Decision image_save(Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  auto query = judge_query(endpoint.query, exchange);
  if (const auto* deny = std::get_if<Deny>(&query)) return *deny;
  auto& pairs = std::get<JudgedQuery>(query).pairs;
  const bool one = endpoint.subject != Kind::None;
  const std::string parameter = endpoint.query == Query::ImageSave ? "names" : "references";
  const auto references = one ? std::vector{exchange.match.name} : values_of(exchange.request.target, parameter);
  if (references.empty()) return Deny{refusal("query.value"), parameter, Kind::None};

  Forward forward;
  const auto words = words_for(exchange, references, forward);
  if (const auto* deny = std::get_if<Deny>(&words)) return *deny;
  const auto& names = std::get<Words>(words);
  const auto is_known = [&](const std::string& reference) { return names.contains(reference); };
  if (!std::ranges::all_of(references, is_known)) return Ask{};
  std::erase_if(pairs, [&](const QueryPair& pair) { return pair.name == parameter; });
  if (!one)
    for (const auto& reference : references) pairs.push_back({parameter, names.at(reference)});
  forward.request.method = Method::Get;
  forward.request.target = write_target(upstream_path(exchange, one ? names.at(references.front()) : ""), pairs);
  forward.before = {{Claim::Change::RenewCacheKey}};
  return forward;
}

}  // namespace podfence::rules::act
