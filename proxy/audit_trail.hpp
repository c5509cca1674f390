#pragma once
// The audit record of one exchange: filled in as the exchange goes on, written when it is over, however it ends.

#include <chrono>

#include "proxy/audit_log.hpp"
#include "proxy/waits.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

class AuditTrail {
 public:
  explicit AuditTrail(AuditLog& log);
  ~AuditTrail();
  AuditTrail(const AuditTrail&) = delete;
  AuditTrail& operator=(const AuditTrail&) = delete;

  void set_request(std::string_view method, std::string_view target);
  void refused(const rules::Deny& deny);

  rules::AuditRecord record;  ///< request_id: 128 random bits as hexadecimal digits; the client sees them as well
  Waits waits;

 private:
  AuditLog& log_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace podfence::proxy
