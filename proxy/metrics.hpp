#pragma once
// What operators watch, in Prometheus' text format (exposition format 0.0.4). docs/admin-api.md tells each metric.

#include <memory>
#include <string>
#include <string_view>

#include "rules/audit.hpp"
#include "rules/configuration.hpp"

namespace podfence::proxy {

class Metrics {
 public:
  /// Of each project its openings are shown, from the start on.
  Metrics(std::string_view version, const rules::Configuration& configuration);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void count(const rules::AuditRecord& record);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podfence::proxy
