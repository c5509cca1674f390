#include "proxy/audit_trail.hpp"

#include <time.h>

#include <array>
#include <cstdio>
#include <stdexcept>

#include "proxy/random.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

std::string now() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  tm parts{};
  ::gmtime_r(&time.tv_sec, &parts);
  std::array<char, 24> seconds{};
  const auto size = std::strftime(seconds.data(), seconds.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 24> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03ldZ", time.tv_nsec / 1'000'000);
  return std::string(seconds.data(), size).append(fraction.data());
}

}  // namespace

AuditTrail::AuditTrail(AuditLog& log) : log_(log) {
  record.request_id = random_digits();
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
