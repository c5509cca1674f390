#pragma once
// What operators watch, in Prometheus' text format (exposition format 0.0.4). docs/admin-api.md tells each metric.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "proxy/confinement.hpp"
#include "proxy/histogram.hpp"
#include "proxy/ledger.hpp"
#include "proxy/upstream.hpp"
#include "rules/audit.hpp"
#include "rules/operator/documents.hpp"

namespace podfence::proxy {

struct MetricRow {
  enum class Kind { Counter, Gauge, Histogram } kind;
  std::string_view name;
  std::string_view labels;  ///< "project, rule"
  std::string_view help;
};
/// Every metric that there is.
std::span<const MetricRow> metric_rows();

class Metrics {
 public:
  explicit Metrics(std::string_view version);

  /// The projects that there are now. At most so many have series of their own, those that had them before others; what
  /// the rest does is counted under the project "".
  void show(std::span<const std::string_view> ids, std::size_t labelled);
  void count(const rules::AuditRecord& record);
  void note(const Confinement& confinement) { confinement_ = confinement; }

  /// What is looked at, not counted.
  struct Now {
    std::vector<rules::ProjectState> projects;
    std::size_t generation;
    std::size_t readers;  ///< of decisions
    const rules::Usage& usage;
    const rules::OwnerMemory& memory;
    const SqliteLedger& ledger;
    const Upstream::Health& upstream;
  };
  std::string text(const Now& now) const;

 private:
  struct OfProject {
    std::map<std::string, std::uint64_t> decisions;
    std::map<std::string, std::uint64_t> refusals;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
  };
  struct OfAct {
    Histogram own;
    Histogram upstream;
  };
  const std::string& label_of(const std::string& project) const;

  std::string version_;
  double started_;
  Confinement confinement_;
  // Labels come from podfence's own tables and configuration, never from a client: there is an end of them.
  std::set<std::string, std::less<>> labelled_;
  std::map<std::string, OfProject> projects_;
  std::map<std::tuple<std::string_view, std::string_view, std::string>, std::uint64_t> requests_;
  std::map<std::string_view, OfAct> acts_;

  friend class MetricsPage;
};

}  // namespace podfence::proxy
