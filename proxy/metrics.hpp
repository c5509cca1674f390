#pragma once
// What operators watch, in Prometheus' text format (exposition format 0.0.4). docs/admin-api.md tells each metric.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rules/audit.hpp"
#include "rules/operator/documents.hpp"

namespace podfence::proxy {

class Metrics {
 public:
  explicit Metrics(std::string_view version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// The projects that are served now, each with its openings.
  void show(std::span<const rules::ProjectState> projects, std::size_t generation);
  void count(const rules::AuditRecord& record);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace podfence::proxy
