#pragma once
// Ends projects when their lease is over or their holder is gone, tears down what they have until nothing is left, and
// finds things of projects that nobody knows. Memory of clients who have gone goes back to the system. One of those
// that ended before a restart goes on ending behind it.

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "proxy/connection_budget.hpp"
#include "proxy/session_group.hpp"
#include "proxy/tenancy.hpp"
#include "rules/operator/documents.hpp"

namespace podfence::proxy {

class Caretaker {
 public:
  struct Pace {
    std::chrono::milliseconds look = std::chrono::seconds(3);    ///< between looks at leases and holders
    std::chrono::milliseconds survey = std::chrono::minutes(5);  ///< between those for orphans
  };
  Caretaker(const Executor& executor, Services& services, Tenancy& tenancy, Pace pace);

  /// Until stop().
  void start();
  void stop();

  /// What the holder of a project is recognised by; why it cannot have that one.
  Task<std::variant<std::string, rules::Deny>> mark_holder(rules::Holder holder);
  /// What became of a project that ends.
  struct Ended {
    rules::Teardown how = rules::Teardown::None;  ///< the last that was asked for
    rules::TeardownReport report = {};
  };
  /// A project that has begun to end is torn down as far as that goes now; the rest is tried again later. Without
  /// anything left it is not known any more.
  Task<Ended> end(std::string id);

  struct Collection {
    std::vector<std::string> ending = {};  ///< projects of which something is left to be torn down
    std::vector<rules::Orphan> orphans = {};
  };
  /// With `removes`, orphans are removed, and projects that end are torn down further; else they are only told.
  Task<std::variant<Collection, rules::Deny>> collect(bool removes);
  /// Something of it is being torn down.
  bool is_at_work(const std::string& id) const { return working_.contains(id); }

 private:
  class Work;
  struct Attempt;
  class Running;

  Task<void> look_regularly();
  Task<void> look(int number);
  Task<void> look_for_containers_regularly();
  Task<void> look_for_containers();
  Task<void> survey_regularly();
  Task<void> survey_once(std::string& last);
  std::vector<std::string> find_ended() const;
  std::map<std::string, std::string> holding_containers() const;
  Task<std::set<std::string>> find_living(std::vector<std::string> ids);
  void begin(const std::string& id);
  std::shared_ptr<Attempt> queue(const std::string& id);
  std::vector<std::string> ending() const;
  Task<void> work(std::string id, std::shared_ptr<Attempt> attempt);
  Task<Ended> tear_down_as_asked(std::string id);
  Task<void> wait_for_turn(std::string id);
  Task<rules::TeardownReport> tear_down_now(std::string id, rules::Teardown how);
  Task<std::variant<std::vector<rules::Orphan>, rules::Deny>> survey();
  void end_clearing();
  Task<std::variant<std::string, rules::Deny>> find_container(std::string name);

  Executor executor_;
  Services& services_;
  Tenancy& tenancy_;
  Pace pace_;
  ConnectionBudget places_;
  SessionGroup clients_;
  TaskGroup tasks_;
  std::map<std::string, std::shared_ptr<Attempt>> attempts_;  ///< at projects that end: wait for their turn, or have it
  std::set<std::string> working_;                             ///< projects of which something is being torn down
  std::set<std::string> absent_;                              ///< containers that had ended at the last look
  bool stopped_ = false;
};

}  // namespace podfence::proxy
