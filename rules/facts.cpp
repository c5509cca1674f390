#include "rules/facts.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "rules/absence.hpp"
#include "rules/filter_text.hpp"
#include "rules/image_name.hpp"
#include "rules/names.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

namespace {

/// Podman 4.0's libpod shapes: the oldest that every served engine understands (networks demand 4.0 or later).
constexpr std::string_view api = "/v4.0.0/libpod/";

struct Source {
  Kind kind;
  std::string_view collection;
  std::string_view list_query;
  std::string_view id_member;
};
constexpr auto sources = std::to_array<Source>({
    {Kind::None, "", "", ""},
    {Kind::Container, "containers", "all=true&", "Id"},
    {Kind::Pod, "pods", "", "Id"},
    {Kind::Volume, "volumes", "", "Name"},
    {Kind::Network, "networks", "", "id"},
    {Kind::Image, "images", "", "Id"},
    {Kind::Exec, "exec", "", "ContainerID"},
    {Kind::Secret, "secrets", "", "ID"},
    {Kind::Manifest, "manifests", "", ""},
});

constexpr bool in_order_of_kind() {
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (static_cast<std::size_t>(sources[i].kind) != i) return false;
  return true;
}
static_assert(in_order_of_kind());

const Source& source_of(Kind kind) { return sources[static_cast<std::size_t>(kind)]; }

/// The network that Podman gives to containers that name none. Everybody shares it, nobody may change it.
constexpr std::string_view default_network = "podman";

bool is_full_id(std::string_view name) { return full_image_id(name) == name; }

/// The compat API knows the default network as "bridge" (compat/networks.go:normalizeNetworkName).
std::string_view network_alias(std::string_view name) {
  return name == "bridge" || name == "default" ? default_network : name;
}

std::string identity(Kind kind, const json::Value& object) {
  auto id = object.text(source_of(kind).id_member);
  if (kind == Kind::Network && id.empty()) id = object.text("Id");
  return std::string(id);
}

/// A manifest list without an image for this host (libimage: the platform is looked for in it). It has the name.
bool is_unusable_list(std::string_view content) {
  return content.find("no image found in manifest list") != std::string_view::npos;
}

const json::Value* labels_of(const json::Value& object) {
  for (const auto* place : {&object, object.find("Config")})
    if (place)
      for (const auto* name : {"Labels", "labels"})
        if (const auto* labels = place->find(name); labels && labels->members()) return labels;
  return nullptr;
}

bool has_labels(const json::Value& object) {
  const auto* labels = labels_of(object);
  return labels && !labels->members()->empty();
}

/// The names of the volumes that a container mounts, by its inspect answer or by Docker's list. Volumes of podfence's
/// own are not among them: by those the container mounts a workspace.
std::vector<std::string> mounted_by(const json::Value& container) {
  std::vector<std::string> names;
  if (const auto* mounts = container.find("Mounts"); mounts && mounts->items())
    for (const auto& mount : *mounts->items())
      if (mount.text("Type") == "volume" && !is_own_name(mount.text("Name"))) names.emplace_back(mount.text("Name"));
  return names;
}

}  // namespace

bool can_be_called(Kind kind, std::string_view name) {
  return fits_path(name) && (kind == Kind::Image || kind == Kind::Manifest || name.find('/') == std::string_view::npos);
}

/// Nobody but podfence makes or removes a volume of its own.
bool may_change_hands(const Question& question) {
  return !has_lasting_id(question.kind) && !(question.kind == Kind::Volume && is_own_name(question.name));
}

std::string_view labelled_project(const Project& project, const json::Value& object) {
  const auto* labels = labels_of(object);
  return labels ? labels->text(project.label_key) : std::string_view();
}

Ownership owner_of(const Project& project, const json::Value& object) {
  return labelled_project(project, object) == project.id ? Ownership::Own : Ownership::Foreign;
}

const Fact* Facts::ask(const Question& question) {
  const auto place = known_.find(question);
  if (place != known_.end()) return &place->second;
  // A path with that could be one of something else.
  if (question.ask == Question::Ask::Object && !can_be_called(question.kind, question.name))
    return &(known_[question] = Fact());
  open_.insert(question);
  return nullptr;
}

const Fact* Facts::find(Kind kind, std::string_view name, bool want_document) {
  switch (kind) {
    case Kind::None:
      return nullptr;
    case Kind::Image:
      return find_image(name);
    case Kind::Exec:
      return find_exec(name);
    case Kind::Manifest:
      return find_manifest(name);
    case Kind::Container:
    case Kind::Pod:
    case Kind::Volume:
    case Kind::Network:
    case Kind::Secret:
      break;
  }
  return find_named(kind, name, want_document);
}

const Fact* Facts::find_upstream(Kind kind, std::string_view name) {
  return has_private_name(kind) ? find_exactly(kind, name, true) : find(kind, name, true);
}

/// Under a bare name only what is the project's own is found, or everybody's: whatever else has the name is not asked
/// for by it.
const Fact* Facts::find_named(Kind kind, std::string_view word, bool want_document) {
  if (project_.policy.names == Names::Shared) return find_exactly(kind, word, want_document);
  const auto words = upstream_words(project_, kind, word);
  for (const auto& name : words) {
    const Fact* fact = find_exactly(kind, name, want_document);
    if (words.size() == 1 || !fact || fact->ownership == Ownership::Own || fact->ownership == Ownership::Shared)
      return fact;
  }
  return find_exactly(kind, upstream_name(project_, word), want_document);
}

const Fact* Facts::find_exactly(Kind kind, std::string_view name, bool want_document) {
  if (kind == Kind::Volume) return find_volume(name);
  if (kind == Kind::Network) return ask({Question::Ask::Object, kind, std::string(network_alias(name))});
  if (kind == Kind::Secret) return ask({Question::Ask::Object, kind, std::string(name)});  // every time, for its name
  Question question{Question::Ask::Object, kind, std::string(name)};
  // Only what is ours is taken from memory: a foreign id is asked again, so that it takes as long as an absent one.
  const auto* owner = want_document || known_.contains(question) ? nullptr : memory_.owner(kind, name);
  if (owner && *owner == project_.id) return &(known_[question] = {Ownership::Own, std::string(name), {}});
  if (const auto place = known_.find(question); want_document && place != known_.end() &&
                                                place->second.document.is_null() &&
                                                place->second.ownership == Ownership::Own)
    known_.erase(place);
  return ask(question);
}

const Fact* Facts::find_image(std::string_view name) {
  // As the client wrote it (an id, a prefix of one, or a name) first, then what a short name may stand for among the
  // names this project may see: a foreign localhost/x must not hide an own docker.io/library/x.
  const Fact* first = ask({Question::Ask::Object, Kind::Image, std::string(name)});
  if (!first || first->ownership == Ownership::Own || first->ownership == Ownership::Shared) return first;
  for (const auto& candidate : image_candidates(name)) {
    if (!visible_name(project_, ledger_, candidate)) continue;
    const Fact* fact = ask({Question::Ask::Object, Kind::Image, candidate});
    if (!fact || fact->ownership == Ownership::Own || fact->ownership == Ownership::Shared) return fact;
  }
  return first;
}

const Fact* Facts::find_exec(std::string_view id) {
  Question question{Question::Ask::Object, Kind::Exec, std::string(id)};
  const Fact* session = ask(question);
  if (!session || session->ownership != Ownership::Foreign) return session;
  const Fact* container = find(Kind::Container, session->document.text("ContainerID"));
  if (!container) return nullptr;
  if (container->ownership == Ownership::Own) known_[question].ownership = Ownership::Own;
  return &known_[question];
}

/// By a name that is the project's alone. Podman's inspect would ask a registry where there is no such list, so what it
/// is asked is whether there is one.
const Fact* Facts::find_manifest(std::string_view name) {
  static const Fact absent;
  for (const auto& candidate : image_candidates(name))
    if (ledger_.owns_tag(project_.id, candidate) && !ledger_.tag_owned_by_others(project_.id, candidate))
      return ask({Question::Ask::Object, Kind::Manifest, candidate});
  return &absent;
}

const Fact* Facts::find_volume(std::string_view name) {
  Question question{Question::Ask::Object, Kind::Volume, std::string(name)};
  const Fact* volume = ask(question);
  if (!volume || volume->ownership != Ownership::Foreign) return volume;
  // An anonymous volume has a random name and no labels, and belongs to whose container mounts it. Any other name
  // without labels is the host user's. Podman's own filter by volume is no proof: it compares the sources of all
  // mounts, and every container mounts "proc".
  if (!is_full_id(name) || has_labels(volume->document)) return volume;
  if (!is_remembered_volume(name) && !mounted_volumes()) return nullptr;
  if (is_remembered_volume(name)) known_[question].ownership = Ownership::Own;  // learn_mounts has remembered it
  return &known_[question];
}

const json::Array* Facts::list(Kind kind, std::string_view filters) {
  const Fact* fact = ask({Question::Ask::List, kind, std::string(filters)});
  return fact ? fact->document.items() : nullptr;
}

const json::Array* Facts::count(Kind kind) {
  const Fact* fact = ask({Question::Ask::Count, kind, ""});
  return fact ? fact->document.items() : nullptr;
}

std::vector<std::string> Facts::resolved_ids() const {
  std::vector<std::string> ids;
  for (const auto& [question, fact] : known_)
    if (question.ask == Question::Ask::Object &&
        (fact.ownership == Ownership::Own || fact.ownership == Ownership::Shared))
      ids.push_back(fact.id);
  return ids;
}

const json::Array* Facts::mounted_volumes() {
  const Fact* fact = ask({Question::Ask::Mounts, Kind::Volume, ""});
  return fact ? fact->document.items() : nullptr;
}

UpstreamRequest Facts::request_for(const Question& question) const {
  const auto& source = source_of(question.kind);
  std::string target(api);
  // The head of a ping says it; for its own answer about versions Podman asks all its helpers for theirs.
  if (question.ask == Question::Ask::Version) return {Method::Get, "/_ping", {}, std::nullopt};
  target += source.collection;
  if (question.ask == Question::Ask::Object)
    return {Method::Get,
            target + "/" + encode(question.name) + (question.kind == Kind::Manifest ? "/exists" : "/json"),
            {},
            std::nullopt};
  target += "/json?" + std::string(source.list_query);
  // Only Docker's form of the list names the volumes behind the mounts.
  if (question.ask == Question::Ask::Mounts) target = "/v1.40/containers/json?all=true&";
  std::string filters = question.name;
  if (filters.empty() && question.kind != Kind::Image && question.kind != Kind::Secret) {
    Filters own;
    add_own_label(own, project_);
    filters = write_filters(own);
  }
  if (!filters.empty()) target += "filters=" + encode(filters);
  if (target.ends_with('?')) target.pop_back();
  return {Method::Get, std::move(target), {}, std::nullopt};
}

bool Facts::learn(const Question& question, int status, std::string_view content, const Fields& fields) {
  Fact fact;
  if (question.ask == Question::Ask::Version) {
    const std::string* version = status == 200 ? rules::find(fields, "Libpod-API-Version") : nullptr;
    fact.document = version ? *version : std::string();
    known_[question] = std::move(fact);
    return true;
  }
  if (question.ask == Question::Ask::Object && says_absent(status, content)) {
    if (question.kind == Kind::Image && is_unusable_list(content)) fact.ownership = Ownership::Foreign;
    known_[question] = fact;
    return true;
  }
  if (question.kind == Kind::Manifest && question.ask == Question::Ask::Object && status == 204) {
    known_[question] = {Ownership::Own, question.name, {}};
    return true;
  }
  if (status != 200) return false;
  auto parsed = json::parse(content, json::answer_limits);
  auto* document = std::get_if<json::Value>(&parsed);
  if (!document) return false;
  if (!learn_document(question, std::move(*document), fact)) return false;
  known_[question] = std::move(fact);
  return true;
}

bool Facts::learn_document(const Question& question, json::Value document, Fact& fact) {
  switch (question.ask) {
    case Question::Ask::Object:
      return learn_object(question, std::move(document), fact);
    case Question::Ask::Count:
    case Question::Ask::List:
      return learn_list(question, std::move(document), fact);
    case Question::Ask::Mounts:
      return learn_mounts(document, fact);
    case Question::Ask::Version:
      break;  // no document
  }
  return false;
}

bool Facts::learn_object(const Question& question, json::Value document, Fact& fact) {
  const auto kind = question.kind;
  if (kind == Kind::Image) judged_words_.clear();
  fact.id = kind == Kind::Exec ? question.name : kind == Kind::Image ? image_id_of(document) : identity(kind, document);
  if (fact.id.empty()) return false;
  fact.ownership = Ownership::Foreign;
  if (kind == Kind::Image) {
    fact.ownership = image_ownership(project_, ledger_, document);
    // A name that the project may not see does not exist for it, even where it stands on an image that it may see.
    const auto names = visible_names(project_, ledger_, document);
    const bool by_visible_name =
        std::ranges::any_of(names, [&](const std::string& name) { return may_mean(question.name, name); });
    const bool by_id = fact.id.starts_with(question.name) || full_image_id(question.name) == fact.id;
    if (!by_id && !by_visible_name) fact.ownership = Ownership::Foreign;
  } else if (kind == Kind::Network && fact.id == default_network_id) {
    fact.ownership = Ownership::Shared;
  } else if (kind == Kind::Secret) {
    if (ledger_.holds_secret(project_.id, fact.id)) fact.ownership = Ownership::Own;
  } else if (kind != Kind::Exec) {
    fact.ownership = owner_of(project_, document);
  }
  if (fact.ownership == Ownership::Own && kind != Kind::Image && kind != Kind::Volume && kind != Kind::Secret)
    memory_.remember(kind, fact.id, project_.id);
  if (fact.ownership == Ownership::Own && kind == Kind::Container) {
    memory_.note_infra(fact.id, document.flag("IsInfra"));
    for (const auto& volume : mounted_by(document)) remember_volume(volume);
  }
  fact.document = std::move(document);
  return true;
}

/// A random name is never used twice; another one may be, and is asked for every time.
void Facts::remember_volume(std::string_view name) {
  if (is_full_id(name)) memory_.remember(Kind::Volume, name, project_.id);
}

std::optional<bool> Facts::is_infra(const std::string& id) {
  if (const auto known = memory_.is_infra(id)) return known;
  const Fact* container = find_exactly(Kind::Container, id, true);
  return container ? std::optional(container->document.flag("IsInfra")) : std::nullopt;
}

std::optional<EngineVersion> Facts::engine_version() {
  const Fact* fact = ask({Question::Ask::Version, Kind::None, ""});
  return fact ? std::optional(parse_engine_version(*fact->document.string())) : std::nullopt;
}

bool Facts::is_remembered_volume(std::string_view name) const {
  const auto* owner = is_full_id(name) ? memory_.owner(Kind::Volume, name) : nullptr;
  return owner && *owner == project_.id;
}

bool Facts::learn_mounts(const json::Value& containers, Fact& fact) {
  if (!containers.items()) return false;
  fact.document = json::Value::array();
  std::set<std::string> names;
  for (const auto& container : *containers.items()) {
    if (owner_of(project_, container) != Ownership::Own) continue;
    for (const auto& volume : mounted_by(container)) {
      remember_volume(volume);
      if (names.insert(volume).second) fact.document.push(volume);
    }
  }
  return true;
}

bool Facts::learn_list(const Question& question, json::Value document, Fact& fact) {
  if (document.is_null()) document = json::Value::array();  // Podman writes an empty list as null in places
  auto* items = document.items();
  if (!items) return false;
  if (question.kind != Kind::Image) {
    const auto is_own = [&](const json::Value& item) {
      if (question.kind == Kind::Secret) return ledger_.holds_secret(project_.id, item.text("ID"));
      return owner_of(project_, item) == Ownership::Own ||
             (question.kind == Kind::Volume && !has_labels(item) && is_remembered_volume(item.text("Name")));
    };
    std::erase_if(*items, std::not_fn(is_own));
    if (question.kind != Kind::Volume && question.kind != Kind::Secret)
      for (const auto& item : *items) memory_.remember(question.kind, identity(question.kind, item), project_.id);
  }
  fact.document = std::move(document);
  return true;
}

}  // namespace podfence::rules
