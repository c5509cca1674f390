#pragma once
// Carries a decision out: makes the volumes and networks that it needs, sends its requests, writes the ledger, and sees
// that the answer goes back.

#include <string>
#include <vector>

#include "proxy/client_exchange.hpp"
#include "proxy/inquiry.hpp"
#include "proxy/spooled_archive.hpp"
#include "rules/answer.hpp"

namespace podfence::proxy {

/// The directories that the request would mount must be there when it is sent.
std::optional<rules::Deny> check_sources(const rules::Needs& needs);

class Forwarding {
 public:
  /// `archive`: the client's, of rows that judge it.
  Forwarding(ClientExchange& exchange, Inquiry& inquiry, SpooledArchive* archive)
      : exchange_(exchange), inquiry_(inquiry), archive_(archive) {}

  /// A refusal has not been answered yet.
  Task<std::optional<rules::Deny>> carry_out(const rules::Forward& forward);
  Task<std::optional<rules::Deny>> carry_out(const rules::Batch& batch);

 private:
  Task<std::optional<rules::Deny>> carry_out_list(const rules::Forward& forward);
  Task<std::optional<rules::Deny>> send(const rules::Forward& forward, UpstreamCall& call);
  Task<std::optional<rules::Deny>> send_alone(const rules::Forward& forward, UpstreamCall& call);
  Task<std::optional<rules::Deny>> check_steady(const rules::Forward& forward);
  Task<std::optional<rules::Deny>> claim_objects(const rules::Needs& needs);
  Task<std::optional<rules::Deny>> claim(rules::Kind kind, std::string name, rules::UpstreamRequest request);
  Task<std::optional<rules::Deny>> claim(const rules::WorkspaceVolume& volume);
  Task<std::optional<rules::Deny>> look_up(rules::Kind kind, std::string name);
  Task<std::optional<rules::Deny>> check_owner(rules::Kind kind, std::string name);
  Task<void> unclaim_volumes();
  Task<rules::Outcome> send(rules::Batch::Item item);
  rules::Outcome refused_outcome(const rules::Batch::Item& item, const rules::Deny& refused) const;
  Task<std::optional<rules::Deny>> carry_out_together(const rules::Batch& batch);
  Task<rules::Outcome> send_about(const rules::Batch::Item& item, const std::vector<rules::Outcome>& outcomes);
  Task<void> undo(const rules::Batch& batch, const std::vector<rules::Outcome>& outcomes);
  Task<void> tunnel(UpstreamCall& call);

  bool hijacks() const;
  ContentSource* streamed() const;  ///< what is sent behind the request's head; nullptr: the request's own content

  ClientExchange& exchange_;
  Inquiry& inquiry_;
  SpooledArchive* archive_;
  std::vector<std::string> made_;  ///< volumes
};

}  // namespace podfence::proxy
