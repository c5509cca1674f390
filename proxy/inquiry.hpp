#pragma once
// Finds out what the rules want to know about one request, until they can decide. Names of volumes are locked before
// the first question about them, so that what was found out still holds when the request is sent; and so is the
// project's turn for what adds to its things.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "proxy/services.hpp"
#include "rules/exchange.hpp"

namespace podfence::proxy {

class Inquiry {
 public:
  /// `waits`: of the exchange that it is for, if those are counted.
  Inquiry(Services& services, const rules::Project& project, const rules::Match& match, const rules::Request& request,
          Waits* waits = nullptr);

  /// Never Ask; Fetch only where facts are stated.
  Task<rules::Decision> decide();
  /// Learns what is asked for; why not, if it cannot be learnt.
  Task<std::optional<rules::Deny>> learn(const rules::Ask& ask);
  /// Nothing that was found out has to hold any longer.
  void release_names() { hold_.release(); }
  /// Of all names only these still matter: everybody else may go on.
  void keep_names(std::set<std::string> names) { hold_.narrow(std::move(names)); }

  /// In the ledger, for the project.
  void record(const std::vector<rules::Claim>& claims);
  /// Nobody takes an image away while it is held: between the look at what there is and the record of it, and between
  /// the look at who has it and its removal. Nothing when that takes too long.
  Task<std::optional<NameLocks::Hold>> hold_images();

  /// What is claimed before a request is sent. Where it was for the time of the request only, that ends with this,
  /// however the request ends.
  class Claimed {
   public:
    /// The claims live longer.
    Claimed(Inquiry& inquiry, const std::vector<rules::Claim>& claims);
    ~Claimed();
    Claimed(const Claimed&) = delete;
    Claimed& operator=(const Claimed&) = delete;

   private:
    Inquiry& inquiry_;
    const std::vector<rules::Claim>& claims_;
  };

  rules::Exchange& exchange() { return exchange_; }
  /// For what is kept as long as this exchange.
  BufferBudget::Share& buffered() { return buffered_; }

  /// How often answers of upstream may lead to further questions. The depth of references is far below.
  static constexpr int max_rounds = 8;

 private:
  LockedNames wanted_for(const rules::Decision& decision) const;
  bool holds(const LockedNames& wanted) const;
  Task<std::optional<rules::Deny>> lock(const LockedNames& wanted);
  Task<std::optional<rules::Deny>> fetch(const rules::Fetch& wanted);
  void forget_all();
  Task<std::optional<rules::Deny>> find_out(const rules::Question& question);
  void note_use(const rules::Decision& decision);

  Services& services_;
  std::optional<rules::Facts> facts_;
  rules::Exchange exchange_;
  LockedNames locked_;
  NameLocks::Hold hold_;
  rules::Usage::Running running_;  ///< as long as the exchange
  BufferBudget::Share buffered_;
  Waits* waits_;
  std::vector<std::string> fetched_;
};

}  // namespace podfence::proxy
