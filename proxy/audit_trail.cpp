#include "proxy/audit_trail.hpp"

#include <time.h>

#include <array>
#include <ctime>
#include <stdexcept>

#include "proxy/random.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

/// Most requests are of the same second as the one before.
std::string now() {
  static std::time_t second = -1;
  static std::array<char, 24> text{};
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  if (time.tv_sec != second) {
    tm parts{};
    ::gmtime_r(&time.tv_sec, &parts);
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.", &parts);
    second = time.tv_sec;
  }
  const auto milliseconds = std::to_string(1000 + time.tv_nsec / 1'000'000);
  return std::string(text.data()).append(milliseconds, 1).append("Z");
}

}  // namespace

AuditTrail::AuditTrail(AuditLog& log) : log_(log) {
  record.request_id = random_id();
  record.time = now();
  record.decision = "error";  // until somebody knows better
}

AuditTrail::~AuditTrail() {
  const auto duration = std::chrono::steady_clock::now() - start_;
  record.duration_us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  try {
    log_.write(record);
  } catch (const std::exception&) {
    // The disk is full, or memory is: the exchange is over anyhow, and the next one will say so as well.
  }
}

void AuditTrail::set_request(std::string_view method, std::string_view target) {
  record.method = method;
  record.target = rules::audit_target(target);
}

void AuditTrail::refused(const rules::Deny& deny) {
  record.decision = rules::audit_decision(deny);
  record.rule = deny.rule->id;
  record.subject = rules::audit_subject(deny);
  record.way_out = deny.way_out.empty() ? std::string(deny.rule->way_out) : deny.way_out;
  record.policy = deny.policy.empty() ? std::string(deny.rule->policy) : deny.policy;
}

}  // namespace podfence::proxy
