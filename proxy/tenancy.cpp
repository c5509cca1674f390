#include "proxy/tenancy.hpp"

#include <system_error>

#include "proxy/log.hpp"
#include "proxy/workspaces.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;
using Refused = std::optional<Deny>;

/// The keys that a running podfence cannot follow.
std::string changed_for_good(const rules::Configuration& was, const rules::Configuration& is) {
  const struct {
    const char* key;
    bool same;
  } keys[] = {{"upstream", was.upstream == is.upstream},
              {"state", was.state == is.state},
              {"audit_log", was.audit_log == is.audit_log},
              {"admin", was.admin == is.admin},
              {"label", was.label == is.label},
              {"http", was.http == is.http},
              {"control", was.control == is.control}};
  for (const auto& [key, same] : keys)
    if (!same) return key;
  return "";
}

}  // namespace

Tenancy::Tenancy(Server& server, Places places, rules::Configuration configuration, ProjectStore& store,
                 std::optional<rules::ConfigurationBase> base, Read read)
    : server_(server),
      places_(std::move(places)),
      store_(store),
      read_(std::move(read)),
      base_(std::move(base)),
      configuration_(std::move(configuration)) {}

void Tenancy::start() {
  for (const auto& project : configuration_.projects) {
    auto& entry = entries_[project.project.id] = {project};
    serve(entry);
  }
  for (const auto& [id, text] : store_.all()) {
    if (entries_.contains(id) || !base_)
      log("project " + id + ", which was added, stands in the configuration now; what it says counts");
    else
      restore(id, text);
  }
}

/// One that cannot be served any more is kept, with the reason.
void Tenancy::restore(const std::string& id, const std::string& text) {
  Entry entry;
  entry.project.project.id = id;
  entry.definition = std::get<rules::json::Value>(rules::json::parse(text));
  auto read = read_added(id, *entry.definition, *base_, entries_);
  if (const auto* refused = std::get_if<Deny>(&read)) {
    entry.wrong = refused->subject;
  } else {
    entry = std::get<Entry>(std::move(read));
    try {
      serve(entry);
    } catch (const std::exception& error) {
      entry.wrong = error.what();
    }
  }
  if (!entry.wrong.empty()) log("project " + id + ", which was added, cannot be served: " + entry.wrong);
  entries_[id] = std::move(entry);
}

void Tenancy::serve(const Entry& entry) {
  server_.put({std::make_shared<const rules::Project>(entry.project.project), entry.project.socket});
}

std::variant<Tenancy::Entry, Deny> Tenancy::read_added(const std::string& id, rules::json::Value definition,
                                                       rules::ConfigurationBase& base, const Entries& others) const {
  std::vector<const rules::ProjectConfiguration*> beside;
  beside.reserve(others.size());
  for (const auto& [other, entry] : others)
    if (entry.wrong.empty()) beside.push_back(&entry.project);
  auto read = base.read_project(id, definition, beside);
  if (const auto* error = std::get_if<rules::ConfigurationError>(&read))
    return Deny{refusal("operator.invalid"), rules::text_of(*error, "the project " + id)};
  auto alone = base.configuration();
  alone.projects = {std::get<rules::ProjectConfiguration>(std::move(read))};
  places_.fill(alone);
  if (const auto error = check_workspaces(alone, places_))
    return Deny{refusal("operator.invalid"), rules::text_of(*error, "the project " + id)};
  return Entry{std::move(alone.projects.front()), std::move(definition)};
}

Refused Tenancy::put(const std::string& id, rules::json::Value definition) {
  if (!base_) return Deny{refusal("operator.no-file"), "projects cannot be added"};
  const auto known = entries_.find(id);
  if (known != entries_.end() && !known->second.definition) return Deny{refusal("operator.project-configured"), id};
  const auto text = rules::json::write(definition);
  auto read = read_added(id, std::move(definition), *base_, entries_);
  if (auto* refused = std::get_if<Deny>(&read)) return std::move(*refused);
  auto& entry = std::get<Entry>(read);
  const bool moves = known != entries_.end() && known->second.project.socket != entry.project.socket;
  if (moves) return Deny{refusal("operator.restart"), "the socket of the project " + id + " (remove it first)"};
  const bool is_new = known == entries_.end() || !known->second.wrong.empty();
  try {
    if (is_new) serve(entry);
    store_.put(id, text);
    if (!is_new) serve(entry);
  } catch (const std::system_error& error) {
    return Deny{refusal("operator.socket"), error.what()};
  } catch (...) {
    if (is_new) server_.remove(id);
    throw;
  }
  if (known != entries_.end()) entry.last_request = known->second.last_request;
  entries_[id] = std::move(entry);
  changed();
  return std::nullopt;
}

Refused Tenancy::remove(const std::string& id) {
  const auto known = entries_.find(id);
  if (known == entries_.end()) return Deny{refusal("operator.project-unknown"), id};
  if (!known->second.definition) return Deny{refusal("operator.project-configured"), id};
  store_.remove(id);
  server_.remove(id);
  entries_.erase(known);
  changed();
  return std::nullopt;
}

std::variant<Tenancy::Next, Deny> Tenancy::read_next() const {
  auto base = read_();
  if (auto* wrong = std::get_if<std::string>(&base)) return Deny{refusal("operator.invalid"), std::move(*wrong)};
  Next next{std::get<rules::ConfigurationBase>(std::move(base)), {}, {}};
  next.configuration = next.base->configuration();
  places_.fill(next.configuration);
  if (const auto key = changed_for_good(configuration_, next.configuration); !key.empty())
    return Deny{refusal("operator.restart"), key};
  for (const auto& project : next.configuration.projects) {
    const auto& id = project.project.id;
    const auto known = entries_.find(id);
    if (known != entries_.end() && known->second.definition)
      return Deny{refusal("operator.invalid"), "the project " + id + " was added already; remove it first"};
    if (known != entries_.end() && known->second.project.socket != project.socket)
      return Deny{refusal("operator.restart"), "the socket of the project " + id};
    next.entries[id] = {project};
  }
  for (const auto& [id, entry] : entries_) {
    if (!entry.definition) continue;
    auto read = read_added(id, *entry.definition, *next.base, next.entries);
    if (auto* refused = std::get_if<Deny>(&read)) return std::move(*refused);
    next.entries[id] = std::get<Entry>(std::move(read));
  }
  return next;
}

/// New sockets first: they can fail, and then nothing has changed.
Refused Tenancy::begin_new(const Entries& entries) {
  std::vector<std::string> begun;
  for (const auto& [id, entry] : entries) {
    const auto known = entries_.find(id);
    if (known != entries_.end() && known->second.wrong.empty()) continue;
    try {
      serve(entry);
      begun.push_back(id);
    } catch (const std::exception& error) {
      for (const auto& other : begun) server_.remove(other);
      return Deny{refusal("operator.socket"), error.what()};
    }
  }
  return std::nullopt;
}

Refused Tenancy::reload() {
  if (!read_) return Deny{refusal("operator.no-file"), "there is nothing to be read again"};
  auto read = read_next();
  if (auto* refused = std::get_if<Deny>(&read)) return std::move(*refused);
  auto& next = std::get<Next>(read);
  if (auto refused = begin_new(next.entries)) return refused;
  for (auto& [id, entry] : next.entries) {
    serve(entry);
    if (const auto known = entries_.find(id); known != entries_.end()) entry.last_request = known->second.last_request;
  }
  for (const auto& [id, entry] : entries_)
    if (!next.entries.contains(id)) server_.remove(id);
  base_ = std::move(next.base);
  configuration_ = std::move(next.configuration);
  entries_ = std::move(next.entries);
  changed();
  return std::nullopt;
}

void Tenancy::changed() {
  ++generation_;
  told_();
}

rules::ProjectState Tenancy::state(const std::string& id) const {
  const auto& entry = entries_.at(id);
  return {&entry.project, entry.definition ? &*entry.definition : nullptr, server_.connections(id), entry.last_request,
          entry.wrong};
}

std::vector<rules::ProjectState> Tenancy::states() const {
  std::vector<rules::ProjectState> states;
  for (const auto& [id, entry] : entries_) states.push_back(state(id));
  return states;
}

std::optional<rules::PolicyPlace> Tenancy::place(const std::string& id, const std::string& key) {
  const auto known = entries_.find(id);
  if (!base_ || key.empty() || known == entries_.end()) return std::nullopt;
  const auto& definition = known->second.definition;
  return base_->place(id, definition ? &*definition : nullptr, key);
}

void Tenancy::note_request(const rules::AuditRecord& record) {
  if (const auto known = entries_.find(record.project); known != entries_.end())
    known->second.last_request = record.time;
}

}  // namespace podfence::proxy
