#include "rules/verify/survey.hpp"

#include <array>

#include "rules/json.hpp"
#include "rules/json_pointer.hpp"
#include "rules/names.hpp"
#include "rules/verify/decoy.hpp"

namespace podfence::rules::verify {

namespace {

#define NAMED R"(filters={"name":["podfence-verify-"]})"
#define LABELLED R"(filters={"label":["{label}={decoy}"]})"

constexpr auto rows = std::to_array<KindRow>({
    {"pod", "GET /v4.0.0/libpod/pods/json?" NAMED, "GET /v4.0.0/libpod/pods/json?" LABELLED, "/Id", "/Name",
     "GET /v4.0.0/libpod/pods/{thing}/json", "DELETE /v4.0.0/libpod/pods/{thing}?force=true"},
    {"container", "GET /v4.0.0/libpod/containers/json?all=true&" NAMED,
     "GET /v4.0.0/libpod/containers/json?all=true&" LABELLED, "/Id", "/Names",
     "GET /v4.0.0/libpod/containers/{thing}/json", "DELETE /v4.0.0/libpod/containers/{thing}?force=true&timeout=0"},
    {"network", "GET /v4.0.0/libpod/networks/json?" NAMED, "GET /v4.0.0/libpod/networks/json?" LABELLED, "/id", "/name",
     "GET /v4.0.0/libpod/networks/{thing}/json", "DELETE /v4.0.0/libpod/networks/{thing}"},
    {"volume", "GET /v4.0.0/libpod/volumes/json?" NAMED, "GET /v4.0.0/libpod/volumes/json?" LABELLED, "/Name", "/Name",
     "GET /v4.0.0/libpod/volumes/{thing}/json", "DELETE /v4.0.0/libpod/volumes/{thing}"},
    {"secret", "GET /v4.0.0/libpod/secrets/json", "", "/ID", "/Spec/Name", "GET /v4.0.0/libpod/secrets/{thing}/json",
     "DELETE /v4.0.0/libpod/secrets/{thing}"},
    {"image", R"(GET /v4.0.0/libpod/images/json?filters={"reference":["localhost/podfence-verify-*"]})", "", "/Id",
     "/RepoTags", "GET /v4.0.0/libpod/images/{thing}/json", "DELETE /v4.0.0/libpod/images/{thing}", true},
    {"image", R"(GET /v4.0.0/libpod/images/json?filters={"label":["podfence.verify"],"dangling":["true"]})", "", "/Id",
     "/RepoTags", "GET /v4.0.0/libpod/images/{thing}/json", "DELETE /v4.0.0/libpod/images/{thing}", true},
});

#undef NAMED
#undef LABELLED

constexpr std::string_view own_registry = "localhost/";

std::vector<std::string> names_of(const json::Value& item, std::string_view pointer) {
  const auto* value = json::find(item, pointer);
  std::vector<std::string> names;
  if (value && value->string()) names.push_back(*value->string());
  if (value && value->items())
    for (const auto& name : *value->items())
      if (name.string()) names.push_back(*name.string());
  return names;
}

/// Also of one that is private to a project.
std::string_view bare(std::string_view name) {
  return without_any_project(name.starts_with(own_registry) ? name.substr(own_registry.size()) : name);
}

}  // namespace

std::span<const KindRow> kinds() { return rows; }

std::string Thing::text() const { return "the " + std::string(kind->name) + " " + (name.empty() ? id : name); }

std::string_view run_of(std::string_view name) {
  constexpr std::size_t digits = 10;
  name = bare(name);
  if (!name.starts_with(run_prefix)) return {};
  const auto run = name.substr(0, run_prefix.size() + digits);
  const auto wrong = run.find_first_not_of("0123456789abcdef", run_prefix.size());
  return run.size() == run_prefix.size() + digits && wrong == std::string_view::npos ? run : std::string_view();
}

std::optional<std::vector<Thing>> things_in(const KindRow& kind, int status, std::string_view content,
                                            std::string_view prefix) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<json::Value>(&parsed);
  if (status != 200 || !document || (!document->items() && !document->is_null())) return std::nullopt;
  std::vector<Thing> things;
  if (document->is_null()) return things;
  for (const auto& item : *document->items()) {
    const auto* id = json::find(item, kind.id);
    const std::string id_text = id && id->string() ? *id->string() : "";
    const auto names = names_of(item, kind.names);
    for (const auto& name : names)
      if (prefix.empty() || (!run_of(name).empty() && bare(name).starts_with(prefix)))
        things.push_back({&kind, id_text, name});
    const auto* labels = json::find(item, "/Labels");
    const auto run = labels ? labels->text("podfence.verify") : std::string_view();
    if (names.empty() && run_of(run) == run && !run.empty() && run.starts_with(prefix))
      things.push_back({&kind, id_text, ""});
  }
  return things;
}

}  // namespace podfence::rules::verify
