#include "proxy/tenancy.hpp"

#include <algorithm>
#include <system_error>

#include "proxy/failure.hpp"
#include "proxy/log.hpp"
#include "proxy/service_manager.hpp"
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
  } keys[] = {{"upstream", was.upstream == is.upstream}, {"state", was.state == is.state},
              {"audit", was.audit == is.audit},          {"admin", was.admin == is.admin},
              {"watch", was.watch == is.watch},          {"insecure_unconfined", was.unconfined == is.unconfined},
              {"label", was.label == is.label},          {"http", was.http == is.http},
              {"control", was.control == is.control}};
  for (const auto& [key, same] : keys)
    if (!same) return key;
  return "";
}

std::string wrong_with_socket(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  const std::string_view confined = " (is it within what podfence may open? docs/confinement.md)";
  return said_by(error).append(system && system->code() == std::errc::permission_denied ? confined : "");
}

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Nobody could renew a lease while podfence was away, and the clock may have been set meanwhile: it goes on for a
/// while in any case.
constexpr std::int64_t grace_seconds = 120;

std::chrono::steady_clock::time_point renewed_before(const rules::Lease& lease, std::int64_t renewed) {
  const auto most = lease.seconds - std::min(lease.seconds, grace_seconds);
  const auto age = std::clamp<std::int64_t>(seconds_since_1970() - renewed, 0, most);
  return std::chrono::steady_clock::now() - std::chrono::seconds(age);
}

constexpr const char* still_cleared = "what a former one has left is still being removed";

/// Of a lease, how much of it passes until a renewal is written down.
constexpr int stored_parts = 8;

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
  for (const auto& row : store_.all()) {
    if (!base_)
      log("project " + row.id + ", which was added, is not served: that takes a configuration file (--config)");
    else if (entries_.contains(row.id))
      log("project " + row.id + ", which was added, stands in the configuration now; what it says counts");
    else
      restore(row);
  }
}

/// One that cannot be served any more is kept, with the reason, and with what a later reload goes on from.
void Tenancy::restore(const ProjectStore::Row& row) {
  const auto& id = row.id;
  Entry entry;
  entry.project.project.id = id;
  entry.definition = std::get<rules::json::Value>(rules::json::parse(row.definition));
  auto read = read_added(id, *entry.definition, *base_, entries_);
  if (const auto* refused = std::get_if<Deny>(&read))
    entry.wrong = refused->subject;
  else
    entry = std::get<Entry>(std::move(read));
  entry.progress.holder_mark = row.holder;
  entry.progress.ending = rules::teardown_of(row.ending);
  if (const auto& lease = entry.project.life.lease)
    entry.progress.renewed = entry.progress.stored = renewed_before(*lease, row.renewed);
  try {
    if (entry.is_served()) serve(entry);
  } catch (const std::exception& error) {
    entry.wrong = said_by(error);
  }
  if (!entry.wrong.empty()) log("project " + id + ", which was added, cannot be served: " + entry.wrong);
  entries_[id] = std::move(entry);
}

void Tenancy::serve(const Entry& entry) {
  server_.put({std::make_shared<const rules::Project>(entry.project.project), entry.project.socket});
}

/// Its clients, and what a control plane asks for it.
void Tenancy::cut_off(const std::string& id) {
  server_.remove(id);
  server_.services().makers.send_away(id);
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

Refused Tenancy::not_to_be_changed(const std::string& id) const {
  const auto known = entries_.find(id);
  if (known == entries_.end()) {
    if (!clearing_.contains(id)) return std::nullopt;
    return Deny{refusal("operator.ending"), id + ", " + still_cleared, rules::Kind::None, "ask again in a moment"};
  }
  if (!known->second.definition) return Deny{refusal("operator.project-configured"), id};
  if (known->second.progress.ending) return Deny{refusal("operator.ending"), id};
  return std::nullopt;
}

std::variant<rules::ProjectConfiguration, Deny> Tenancy::read_definition(const std::string& id,
                                                                         const rules::json::Value& definition) {
  if (!base_) return Deny{refusal("operator.no-file"), "projects cannot be added"};
  if (auto refused = not_to_be_changed(id)) return *std::move(refused);
  auto read = read_added(id, definition, *base_, entries_);
  if (auto* refused = std::get_if<Deny>(&read)) return std::move(*refused);
  return std::get<Entry>(std::move(read)).project;
}

Refused Tenancy::put(const std::string& id, rules::json::Value definition, std::string holder_mark) {
  if (!base_) return Deny{refusal("operator.no-file"), "projects cannot be added"};
  if (auto refused = not_to_be_changed(id)) return refused;
  const auto known = entries_.find(id);
  ProjectStore::Row row{id, rules::json::write(definition), holder_mark, "", seconds_since_1970()};
  auto read = read_added(id, std::move(definition), *base_, entries_);
  if (auto* refused = std::get_if<Deny>(&read)) return std::move(*refused);
  auto& entry = std::get<Entry>(read);
  // One whose definition cannot be read any more has none.
  const std::string socket = known == entries_.end() ? "" : known->second.project.socket;
  if (!socket.empty() && socket != entry.project.socket)
    return Deny{refusal("operator.restart"), "the socket of the project " + id + " (remove it first)"};
  const bool is_new = known == entries_.end() || !known->second.wrong.empty();
  try {
    if (is_new) serve(entry);
    store_.put(row);
    if (!is_new) serve(entry);
  } catch (const std::system_error& error) {
    return Deny{refusal("operator.socket"), wrong_with_socket(error)};
  } catch (...) {
    if (is_new) server_.remove(id);
    throw;
  }
  entry.progress.holder_mark = std::move(holder_mark);
  if (known != entries_.end()) entry.progress.last_request = known->second.progress.last_request;
  entries_[id] = std::move(entry);
  changed();
  return std::nullopt;
}

Refused Tenancy::begin_end(const std::string& id, std::optional<rules::Teardown> how) {
  const auto known = entries_.find(id);
  if (known == entries_.end()) return Deny{refusal("operator.project-unknown"), id};
  auto& [project, definition, wrong, progress] = known->second;
  if (!definition) return Deny{refusal("operator.project-configured"), id};
  const auto teardown = how.value_or(progress.ending.value_or(project.life.teardown));
  if (teardown == rules::Teardown::None) {
    finish_end(id);
    return std::nullopt;
  }
  store_.set_ending(id, rules::text(teardown));
  if (!progress.ending) cut_off(id);  // once: later it is podfence itself that is at work for it
  progress.ending = teardown;
  changed();
  return std::nullopt;
}

std::optional<rules::Teardown> Tenancy::ending(const std::string& id) const {
  const auto known = entries_.find(id);
  return known == entries_.end() ? std::nullopt : known->second.progress.ending;
}

void Tenancy::note_left(const std::string& id, std::vector<std::string> left) {
  if (const auto known = entries_.find(id); known != entries_.end()) known->second.progress.left = std::move(left);
}

void Tenancy::finish_end(const std::string& id) {
  store_.remove(id);
  cut_off(id);
  if (entries_.erase(id) > 0) changed();
}

Refused Tenancy::renew(const std::string& id) {
  if (!entries_.contains(id)) return Deny{refusal("operator.project-unknown"), id};
  if (auto refused = not_to_be_changed(id)) return refused;
  entries_.at(id).progress.renewed = Clock::now();
  settle_leases();
  return std::nullopt;
}

void Tenancy::settle_leases() {
  const auto now = Clock::now();
  for (auto& [id, entry] : entries_) {
    const auto& lease = entry.project.life.lease;
    if (!lease || !entry.is_served()) continue;
    auto& renewed = entry.progress.renewed;
    auto& stored = entry.progress.stored;
    if (lease->by_requests && server_.connections(id) > 0) renewed = now;
    if (renewed - stored < std::chrono::seconds(lease->seconds) / stored_parts) continue;
    const auto ago = std::chrono::duration_cast<std::chrono::seconds>(now - renewed).count();
    store_.set_renewed(id, seconds_since_1970() - ago);
    stored = renewed;
  }
}

Tenancy::Clock::duration Tenancy::lease_left(const Entry& entry) {
  return entry.progress.renewed + std::chrono::seconds(entry.project.life.lease->seconds) - Clock::now();
}

std::vector<Tenancy::Course> Tenancy::courses() const {
  std::vector<Course> courses;
  for (const auto& [id, entry] : entries_) {
    const auto& [project, definition, wrong, progress] = entry;
    const auto& life = project.life;
    if (!definition || !(life.lease || life.holder || progress.ending)) continue;
    const bool lease_is_over = life.lease && entry.is_served() && lease_left(entry) <= Clock::duration::zero();
    courses.push_back({id, &life, progress.holder_mark, lease_is_over, progress.ending});
  }
  return courses;
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
    if (entry.progress.ending) {
      next.entries[id] = entry;
      continue;
    }
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
    if (entry.progress.ending || clearing_.contains(id)) continue;
    if (known != entries_.end() && known->second.wrong.empty()) continue;
    try {
      serve(entry);
      begun.push_back(id);
    } catch (const std::exception& error) {
      for (const auto& other : begun) server_.remove(other);
      return Deny{refusal("operator.socket"), wrong_with_socket(error)};
    }
  }
  return std::nullopt;
}

Refused Tenancy::reload() {
  const NotifyReload told;
  if (!read_) return Deny{refusal("operator.no-file"), "there is nothing to be read again"};
  auto read = read_next();
  if (auto* refused = std::get_if<Deny>(&read)) return std::move(*refused);
  auto& next = std::get<Next>(read);
  if (auto refused = begin_new(next.entries)) return refused;
  for (auto& [id, entry] : next.entries) {
    if (clearing_.contains(id))
      log("project " + id + " is served later: " + still_cleared);
    else if (!entry.progress.ending)
      serve(entry);
    const auto known = entries_.find(id);
    if (known == entries_.end()) continue;
    entry.progress = known->second.progress;
    // Nobody could renew it meanwhile.
    if (!known->second.is_served()) entry.progress.renewed = Clock::now();
  }
  for (const auto& [id, entry] : entries_)
    if (!next.entries.contains(id) && !clearing_.contains(id)) cut_off(id);  // else it is the removal that is at work
  base_ = std::move(next.base);
  configuration_ = std::move(next.configuration);
  entries_ = std::move(next.entries);
  changed();
  return std::nullopt;
}

void Tenancy::end_clearing(const std::string& id) {
  clearing_.erase(id);
  const auto waiting = entries_.find(id);
  if (waiting == entries_.end()) return;
  auto& entry = waiting->second;
  try {
    serve(entry);
    log("project " + id + ": what a former one had left has been removed; it listens on " + entry.project.socket);
  } catch (const std::exception& error) {
    entry.wrong = wrong_with_socket(error);
    log("project " + id + " cannot be served: " + entry.wrong);
  }
}

void Tenancy::changed() {
  server_.services().generation = ++generation_;
  told_();
}

rules::ProjectState Tenancy::state(const std::string& id) const {
  const auto& entry = entries_.at(id);
  rules::ProjectState state;
  state.project = &entry.project;
  if (entry.definition) state.definition = &*entry.definition;
  state.connections = server_.connections(id);
  state.last_request = entry.progress.last_request;
  state.wrong = clearing_.contains(id) ? still_cleared : entry.wrong;
  if (entry.project.life.lease && entry.is_served())
    state.lease_left = std::chrono::duration_cast<std::chrono::seconds>(lease_left(entry)).count();
  state.ending = entry.progress.ending;
  state.left = entry.progress.left;
  return state;
}

std::vector<rules::ProjectState> Tenancy::states() const {
  std::vector<rules::ProjectState> states;
  for (const auto& [id, entry] : entries_) states.push_back(state(id));
  return states;
}

std::vector<std::string_view> Tenancy::ids() const {
  std::vector<std::string_view> ids;
  ids.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) ids.push_back(id);
  return ids;
}

std::optional<rules::PolicyPlace> Tenancy::place(const std::string& id, const std::string& key) {
  const auto known = entries_.find(id);
  if (!base_ || key.empty() || known == entries_.end()) return std::nullopt;
  const auto& definition = known->second.definition;
  return base_->place(id, definition ? &*definition : nullptr, key);
}

void Tenancy::note_request(const rules::AuditRecord& record) {
  const auto known = entries_.find(record.project);
  if (known == entries_.end() || known->second.progress.ending) return;
  auto& [project, definition, wrong, progress] = known->second;
  progress.last_request = record.time;
  if (const auto& lease = project.life.lease; lease && (lease->by_requests || !record.identity.empty()))
    progress.renewed = Clock::now();
}

}  // namespace podfence::proxy
