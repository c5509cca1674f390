// Events. Each has one owner, and who that is depends on its type: only a container's event carries labels. An event
// whose owner cannot be told is dropped, and so is every type that is not in the table.

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "rules/answer/line_rule.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/contains.hpp"
#include "rules/filter_text.hpp"
#include "rules/image_name.hpp"
#include "rules/query.hpp"
#include "rules/rfc3339.hpp"

namespace podfence::rules {

namespace {

/// What is listed before events of a type come.
struct ListedBefore {
  std::string_view type;
  Kind kind;
};
constexpr std::array listed_before_events{ListedBefore{"pod", Kind::Pod}, ListedBefore{"network", Kind::Network},
                                          ListedBefore{"volume", Kind::Volume}, ListedBefore{"image", Kind::Image}};

/// Filters by an object's name: only events of the type that they are called by pass.
constexpr auto filters_of_one_type =
    std::to_array<std::string_view>({"container", "image", "pod", "volume", "network", "secret"});

/// Filters of different names are joined by AND (podman: libpod/events/filters.go).
bool lets_through(Filters& filters, std::string_view type) {
  if (const auto* types = filters.values_of("type"); types && !contains(*types, type)) return false;
  return std::ranges::none_of(filters_of_one_type,
                              [&](auto name) { return name != type && filters.values_of(name) != nullptr; });
}

/// Of what events may come.
std::vector<Kind> kinds_to_list(const Exchange& exchange) {
  auto read = read_filters(value_of(exchange.request.target, "filters"));
  auto* filters = std::get_if<Filters>(&read);
  std::vector<Kind> kinds;
  for (const auto& row : listed_before_events)
    if (!filters || lets_through(*filters, row.type)) kinds.push_back(row.kind);
  return kinds;
}

}  // namespace

namespace answer {

namespace {

constexpr std::size_t max_foreign = 4096;

struct Event {
  json::Value& line;
  std::string action;  ///< in libpod's words where the families differ
  std::string id;
  std::string name;
  std::int64_t time = 0;  ///< nanoseconds

  json::Value* attributes() const {
    auto* actor = line.find("Actor");
    return actor ? actor->find("Attributes") : nullptr;
  }
};

/// What is asked about beside the owner's label: whose it is, when it was, the image's name, and the names that are
/// shown.
json::Parts event_parts() {
  std::vector<std::string_view> whole{"Type", "Action", "ID", "name", "timeNano", "image", "from", "Image"};
  std::vector<std::string_view> through{"Actor", "Attributes"};
  add_name_parts(Answer::EventLines, whole, through);
  return {std::move(whole), std::move(through)};
}

bool is_removal(std::string_view action) { return action == "remove" || action == "delete" || action == "untag"; }

Event read(json::Value& line) {
  Event event{line, std::string(line.text("Action")), {}, {}, 0};
  if (event.action == "delete") event.action = "remove";
  if (const auto* actor = line.find("Actor")) event.id = actor->text("ID");
  if (const auto* attributes = event.attributes()) event.name = attributes->text("name");
  if (const auto* time = line.find("timeNano")) event.time = time->int64().value_or(0);
  return event;
}

class EventRule final : public LineRule {
 public:
  explicit EventRule(Exchange& exchange)
      : exchange_(exchange), label_("\"" + exchange.project.label_key + "\":\""), own_(exchange.project.id + "\"") {
    know_what_is_there();  // most is known before the stream begins, and need not be kept twice
  }

  /// A container's event with the label of another project. A text within a string cannot look like that: its quotes
  /// are escaped.
  bool drops(std::string_view line) const override {
    const auto* label = static_cast<const char*>(::memmem(line.data(), line.size(), label_.data(), label_.size()));
    if (!label || std::string_view(label + label_.size(), line.data() + line.size()).starts_with(own_)) return false;
    return line.find(R"("Type":"container")") != std::string_view::npos;
  }

  const json::Parts* parts() const override {
    static const json::Parts parts = event_parts();
    return &parts;
  }

  bool keep(json::Value& line) override {
    if (!know_what_is_there()) return false;
    const auto type = line.text("Type");
    const auto rule = std::ranges::find(rules, type, &TypeRule::type);
    return rule != rules.end() && (this->*rule->keep)(read(line));
  }

 private:
  struct TypeRule {
    std::string_view type;
    bool (EventRule::*keep)(const Event&);
  };
  static const std::array<TypeRule, 6> rules;

  bool know_what_is_there() {
    if (started_) return true;
    auto& facts = exchange_.facts;
    ask_what_is_there(exchange_);
    if (!facts.complete()) return false;
    for (const auto kind : kinds_to_list(exchange_)) {
      if (kind == Kind::Volume) know_volumes();
      if (kind == Kind::Image) know_tags();
      facts.forget({Question::Ask::List, kind, ""});  // a stream may last for days
    }
    for (auto& id : facts.ledger().secrets(exchange_.project.id)) secrets_.insert(std::move(id));
    started_ = true;
    return true;
  }

  void know_volumes() {
    auto& facts = exchange_.facts;
    for (const auto& volume : *facts.list(Kind::Volume)) volumes_[std::string(volume.text("Name"))] = created(volume);
    for (const auto& name : *facts.mounted_volumes())
      if (name.string()) volumes_.try_emplace(*name.string(), 0);
    facts.forget({Question::Ask::Mounts, Kind::Volume, ""});
  }

  void know_tags() {
    for (const auto& image : *exchange_.facts.list(Kind::Image))
      for (const auto& name : visible_names(exchange_.project, exchange_.facts.ledger(), image)) remember_tag(name);
  }

  static std::int64_t created(const json::Value& volume) {
    return parse_rfc3339(volume.text("CreatedAt")).value_or(INT64_MAX);
  }

  bool is_own(Kind kind, const std::string& id) {
    if (full_image_id(id) != id) return false;
    if (const auto* owner = exchange_.facts.memory().owner(kind, id)) return *owner == exchange_.project.id;
    if (foreign_.contains(id)) return false;
    const auto* fact = exchange_.facts.find(kind, id);
    if (!fact) return false;
    const bool own = fact->ownership == Ownership::Own;
    // What was learnt must not pile up in a stream that lasts for days: that it is own is remembered elsewhere, and ids
    // are not used twice, so that what is foreign stays so.
    exchange_.facts.forget({Question::Ask::Object, kind, id});
    if (own) return true;
    if (foreign_.size() >= max_foreign) foreign_.clear();
    foreign_.insert(id);
    return false;
  }

  bool keep_container(const Event& event) {
    const auto* attributes = event.attributes();
    const auto* label = attributes ? attributes->find(exchange_.project.label_key) : nullptr;
    const bool own =
        label ? label->string() && *label->string() == exchange_.project.id : is_own(Kind::Container, event.id);
    if (!own) return false;
    exchange_.facts.memory().remember(Kind::Container, event.id, exchange_.project.id);
    show_image(event);
    return true;
  }

  /// An event tells it up to three times.
  void show_image(const Event& event) {
    std::string told, shown;
    const auto show = [&](json::Value* object, std::string_view member) {
      auto* value = object ? object->find(member) : nullptr;
      std::string* name = value ? value->string() : nullptr;
      if (!name) return;
      if (*name != told) shown = shown_image(exchange_, told = *name, "");
      *name = shown;
    };
    show(event.attributes(), "image");
    show(&event.line, "from");
    show(&event.line, "Image");
  }

  bool keep_pod(const Event& event) { return is_own(Kind::Pod, event.id); }

  /// Connect and disconnect carry the container's id (libpod/events.go:newNetworkEvent).
  bool keep_network(const Event& event) {
    const bool of_container = event.action == "connect" || event.action == "disconnect";
    return is_own(of_container ? Kind::Container : Kind::Network, event.id);
  }

  /// Names of volumes are used again, by others as well: a volume is the project's from its creation to its removal.
  bool keep_volume(const Event& event) {
    const auto& name = event.name.empty() ? event.id : event.name;
    if (event.action == "create" && !look_up_volume(name)) return false;
    const auto volume = volumes_.find(name);
    if (volume == volumes_.end() || volume->second > event.time) return false;
    if (is_removal(event.action)) volumes_.erase(volume);
    return true;
  }

  bool look_up_volume(const std::string& name) {
    if (looking_up_ != name) {
      exchange_.facts.forget({Question::Ask::Object, Kind::Volume, name});
      volumes_.erase(name);
      looking_up_ = name;
    }
    const auto* fact = exchange_.facts.find_upstream(Kind::Volume, name);
    if (!fact) return false;
    looking_up_.clear();
    if (fact->ownership == Ownership::Own) volumes_[name] = created(fact->document);
    exchange_.facts.forget({Question::Ask::Object, Kind::Volume, name});
    return true;
  }

  void remember_tag(const std::string& name) {
    if (!exchange_.facts.ledger().owns_tag(exchange_.project.id, name)) return;
    removable_.insert("remove " + name);
    removable_.insert("untag " + name);
  }

  /// By name where the event has one, by id where not. The event of a removal may come when the ledger has forgotten
  /// already, so names that could be removed are kept here, for one event of each action.
  bool keep_image(const Event& event) {
    const auto& ledger = exchange_.facts.ledger();
    const auto tag = normalise_image_name(event.name);
    if (!tag) return ledger.holds_image(exchange_.project.id, event.id);
    if (is_shared_name(exchange_.project, *tag)) return false;
    remember_tag(*tag);
    if (is_removal(event.action)) return removable_.erase(event.action + " " + *tag) > 0;
    if (ledger.owns_tag(exchange_.project.id, *tag)) return true;
    removable_.erase("remove " + *tag);  // somebody else's by now
    removable_.erase("untag " + *tag);
    return false;
  }

  /// By their ids. The event of a removal may come when the ledger has forgotten already.
  bool keep_secret(const Event& event) {
    const bool own = exchange_.facts.ledger().holds_secret(exchange_.project.id, event.id);
    if (own) secrets_.insert(event.id);
    return own || (is_removal(event.action) && secrets_.erase(event.id) > 0);
  }

  Exchange& exchange_;
  const std::string label_;  ///< as it stands in a line, up to its value
  const std::string own_;    ///< what follows when it is the project's
  bool started_ = false;
  std::map<std::string, std::int64_t> volumes_;  ///< own ones, with the time of their creation
  std::string looking_up_;
  std::set<std::string> secrets_;    ///< ids of own ones
  std::set<std::string> removable_;  ///< "untag localhost/app:1"
  std::set<std::string> foreign_;
};

const std::array<EventRule::TypeRule, 6> EventRule::rules{{
    {"container", &EventRule::keep_container},
    {"pod", &EventRule::keep_pod},
    {"volume", &EventRule::keep_volume},
    {"network", &EventRule::keep_network},
    {"image", &EventRule::keep_image},
    {"secret", &EventRule::keep_secret},
}};

}  // namespace

std::unique_ptr<LineRule> make_event_rule(Exchange& exchange) { return std::make_unique<EventRule>(exchange); }

}  // namespace answer

void ask_what_is_there(Exchange& exchange) {
  for (const auto kind : kinds_to_list(exchange)) {
    exchange.facts.list(kind);
    if (kind == Kind::Volume) exchange.facts.mounted_volumes();
  }
}

}  // namespace podfence::rules
