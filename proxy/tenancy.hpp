#pragma once
// The projects that are served: those of the configuration, and those that were added while podfence runs. A change is
// made whole or not at all.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
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

  /// nullopt: done, and durable.
  std::optional<rules::Deny> put(const std::string& id, rules::json::Value definition);
  /// Only one that was added. Its clients are cut off.
  std::optional<rules::Deny> remove(const std::string& id);
  /// The configuration is read again. Streams go on as they began.
  std::optional<rules::Deny> reload();

  bool is_known(const std::string& id) const { return entries_.contains(id); }
  /// The project must be known.
  rules::ProjectState state(const std::string& id) const;
  std::vector<rules::ProjectState> states() const;
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
  struct Entry {
    rules::ProjectConfiguration project;
    std::optional<rules::json::Value> definition = {};  ///< of one that was added
    std::string wrong = {};
    std::string last_request = {};
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
  void restore(const std::string& id, const std::string& text);
  void serve(const Entry& entry);
  void changed();

  Server& server_;
  Places places_;
  ProjectStore& store_;
  Read read_;
  std::optional<rules::ConfigurationBase> base_;
  rules::Configuration configuration_;
  Entries entries_;
  std::size_t generation_ = 1;
  std::function<void()> told_ = [] {};
};

}  // namespace podfence::proxy
