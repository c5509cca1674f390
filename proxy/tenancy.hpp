#pragma once
// The projects that are served: those of the configuration, and those that were added while podfence runs. A change is
// made whole or not at all.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proxy/places.hpp"
#include "proxy/project_store.hpp"
#include "proxy/server.hpp"
#include "rules/configuration.hpp"
#include "rules/operator/documents.hpp"

namespace podfence::proxy {

class Tenancy {
 public:
  /// Reads the configuration's file; an error is told as a sentence.
  using Read = std::function<std::variant<rules::ConfigurationBase, std::string>()>;

  /// Of a configuration that came from the command line there are neither `base` nor `read`: then nothing can be added
  /// or read again.
  Tenancy(Server& server, Places places, rules::Configuration configuration, ProjectStore& store,
          std::optional<rules::ConfigurationBase> base = std::nullopt, Read read = nullptr);

  /// Every project listens. Throws like Server::start() for those of the configuration; one that was added and cannot
  /// be served any more is told in the log, and kept.
  void start();

  /// Reads the definition of a project that is to be added, without adding it.
  std::variant<rules::ProjectConfiguration, rules::Deny> read_definition(const std::string& id,
                                                                         const rules::json::Value& definition);
  /// nullopt: done, and durable. `holder_mark`: what its holder is recognised by.
  std::optional<rules::Deny> put(const std::string& id, rules::json::Value definition, std::string holder_mark = "");
  /// Only one that was added begins to end: its clients are cut off, and that lasts. Without `how`, as its definition
  /// says. Where nothing is to be torn down, it is not known any more. Of one that ends already, the teardown changes.
  std::optional<rules::Deny> begin_end(const std::string& id, std::optional<rules::Teardown> how = std::nullopt);
  /// How it ends, if it does.
  std::optional<rules::Teardown> ending(const std::string& id) const;
  /// What of it could not be torn down yet.
  void note_left(const std::string& id, std::vector<std::string> left);
  /// It is not known any more.
  void finish_end(const std::string& id);
  /// Its lease runs from now on.
  std::optional<rules::Deny> renew(const std::string& id);

  /// Leases are renewed by open connections, and that they were is kept for a restart.
  void settle_leases();
  /// Of a project that lives and has a lease or a holder, or of one that ends. A lease that nobody can renew, because
  /// the project is not served, is not over.
  struct Course {
    std::string id;
    const rules::Life* life = nullptr;
    std::string holder_mark;
    bool lease_is_over = false;
    std::optional<rules::Teardown> ending;
  };
  std::vector<Course> courses() const;
  /// The configuration is read again. Streams go on as they began.
  std::optional<rules::Deny> reload();

  /// What carries the id of a project that is not known is being removed. Nothing of that id is served meanwhile: put()
  /// is refused, and one that a reload brings waits.
  void begin_clearing(const std::string& id) { clearing_.insert(id); }
  /// One that waits is served from now on.
  void end_clearing(const std::string& id);
  const std::set<std::string>& clearing() const { return clearing_; }

  bool is_known(const std::string& id) const { return entries_.contains(id); }
  /// The project must be known.
  rules::ProjectState state(const std::string& id) const;
  std::vector<rules::ProjectState> states() const;
  /// Of all that are known; valid until the next change.
  std::vector<std::string_view> ids() const;
  /// Where a key of a project's policy stands; nullopt where nobody can say.
  std::optional<rules::PolicyPlace> place(const std::string& id, const std::string& key);
  /// What is served now.
  const rules::Configuration& configuration() const { return configuration_; }
  /// 1 at the start, and one more with every change.
  std::size_t generation() const { return generation_; }
  /// Is called behind every change.
  void on_change(std::function<void()> told) { told_ = std::move(told); }
  /// For ProjectState::last_request.
  void note_request(const rules::AuditRecord& record);

 private:
  using Clock = std::chrono::steady_clock;
  /// What a new policy does not change.
  struct Progress {
    std::string last_request = {};
    std::string holder_mark = {};
    Clock::time_point renewed = Clock::now();
    Clock::time_point stored = renewed;  ///< of `renewed`, what the store has
    std::optional<rules::Teardown> ending = {};
    std::vector<std::string> left = {};
  };
  struct Entry {
    rules::ProjectConfiguration project;
    std::optional<rules::json::Value> definition = {};  ///< of one that was added
    std::string wrong = {};
    Progress progress = {};

    bool is_served() const { return wrong.empty() && !progress.ending; }
  };
  using Entries = std::map<std::string, Entry>;
  struct Next {
    std::optional<rules::ConfigurationBase> base;
    rules::Configuration configuration;
    Entries entries;
  };

  std::variant<Entry, rules::Deny> read_added(const std::string& id, rules::json::Value definition,
                                              rules::ConfigurationBase& base, const Entries& others) const;
  std::variant<Next, rules::Deny> read_next() const;
  std::optional<rules::Deny> begin_new(const Entries& entries);
  void restore(const ProjectStore::Row& row);
  void serve(const Entry& entry);
  void cut_off(const std::string& id);
  std::optional<rules::Deny> not_to_be_changed(const std::string& id) const;
  static Clock::duration lease_left(const Entry& entry);
  void changed();

  Server& server_;
  Places places_;
  ProjectStore& store_;
  Read read_;
  std::optional<rules::ConfigurationBase> base_;
  rules::Configuration configuration_;
  Entries entries_;
  std::set<std::string> clearing_;  ///< those of them that are in `entries_` wait
  std::size_t generation_ = 1;
  std::function<void()> told_ = [] {};
};

}  // namespace podfence::proxy
