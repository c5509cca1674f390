#pragma once
// One line of JSON per decision; audit.schema.json tells its form, docs/audit.md what it means. It never holds
// credentials or environment values, and of a request only what redacted.hpp lets through, if anything.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/endpoint.hpp"
#include "rules/json.hpp"
#include "rules/redacted.hpp"

namespace podfence::rules {

inline constexpr std::size_t max_audited_target = 512;

struct AuditRecord {
  std::string time;  ///< RFC 3339, UTC, milliseconds
  std::string request_id;
  std::size_t generation = 1;  ///< of projects and policies, that it was judged under
  std::string project;
  std::string listener;       ///< socket path, or address and port
  std::string identity = {};  ///< of a control plane: by what it is known
  std::string remote = {};    ///< address and port of a client of TCP
  std::int64_t peer_uid = -1;
  std::int64_t peer_pid = -1;
  std::string method;                ///< as sent, at most 16 bytes
  std::string endpoint;              ///< the row's path template; "" when none matched
  std::string target;                ///< path only, no query, at most max_audited_target bytes
  std::vector<std::string> objects;  ///< full ids that were resolved
  std::string decision;              ///< one of audit_decisions
  std::string rule;                  ///< refusal id, "" for allow
  std::string subject;               ///< see audit_subject, at most 200 bytes
  int status = 0;
  std::string aborted;  ///< why the answer was not given whole: client-gone, client-slow, upstream, stopped, error
  std::uint64_t bytes_in = 0;   ///< content from the client
  std::uint64_t bytes_out = 0;  ///< content to the client
  std::int64_t duration_us = 0;
  std::optional<Redacted> query = {};    ///< what follows '?'; nullopt: not recorded
  std::optional<Redacted> content = {};  ///< JSON; nullopt: not recorded, or there was none that is judged
  friend bool operator==(const AuditRecord&, const AuditRecord&) = default;

  // Not in the line; for those who watch (operator/decision_event.hpp, metrics).
  std::string_view group = {};    ///< of the endpoint: endpoint_class.hpp
  std::string_view act = {};      ///< likewise
  std::string way_out = {};       ///< of a refusal, "" for none
  std::string policy = {};        ///< the key of policy that could allow it, "" for none
  std::int64_t own_us = -1;       ///< until the answer began, without waiting for client and upstream; -1: it never did
  std::int64_t upstream_us = -1;  ///< waited for upstream until then
};

/// The target of a request without what may be a secret: the path, where the target begins with one.
std::string audit_target(std::string_view target);

/// What the refusal's sentence names, without what may be a secret. A subject is the client's own text: the client may
/// read it, the log may not have it.
std::string audit_subject(const Deny& deny);

/// What AuditRecord::decision can be.
inline constexpr auto audit_decisions =
    std::to_array<std::string_view>({"allow", "rewrite", "hide", "refuse", "error"});

/// Allow: upstream gets, and the client sees, what both would without a proxy, only in canonical
/// form.
std::string_view audit_decision(const Deny& deny);
std::string_view audit_decision(const Decision& decision, const Endpoint& endpoint);

/// The line as a document. Every client byte is escaped.
json::Value audit_document(const AuditRecord& record);
/// Without a newline.
std::string write_audit_line(const AuditRecord& record);

/// Of a line that write_audit_line has written; else what is wrong with it, in a sentence. Texts that were cut or
/// escaped are as they stand in the line.
std::variant<AuditRecord, std::string> read_audit_line(std::string_view line);

/// The text of audit.schema.json.
extern const std::string_view audit_schema;

}  // namespace podfence::rules
