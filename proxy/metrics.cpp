#include "proxy/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <chrono>
#include <utility>

namespace podfence::proxy {

namespace {

using Kind = MetricRow::Kind;

enum Metric : std::size_t {
  BuildInfo,
  StartTime,
  Confined,
  Projects,
  Generation,
  Opening,
  Decisions,
  Refusals,
  Requests,
  Received,
  Sent,
  Own,
  Waited,
  Connections,
  Streams,
  QuotaUsed,
  QuotaLimit,
  LedgerRows,
  CacheLookups,
  CacheEntries,
  UpstreamUp,
  UpstreamCalls,
  UpstreamLastAnswer,
  Readers,
};

// In the order of Metric.
// clang-format off
constexpr auto rows = std::to_array<MetricRow>({
    {Kind::Gauge, "podfence_build_info", "version", "Which podfence this is"},
    {Kind::Gauge, "podfence_start_time_seconds", "", "When podfence began, since the epoch"},
    {Kind::Gauge, "podfence_confinement", "by", "What podfence gave up: seccomp 1 or 0, landlock the kernel's version or 0"},
    {Kind::Gauge, "podfence_projects", "", "Projects that are known"},
    {Kind::Gauge, "podfence_generation", "", "Changes of the projects and the configuration since the start"},
    {Kind::Gauge, "podfence_insecure_opening", "project, opening", "1 for each opening of a project's policy"},
    {Kind::Counter, "podfence_decisions_total", "project, decision", "Requests by what was decided about them"},
    {Kind::Counter, "podfence_refusals_total", "project, rule", "Refused and hidden requests by rule"},
    {Kind::Counter, "podfence_requests_total", "group, act, decision", "Requests by the class of their endpoint"},
    {Kind::Counter, "podfence_received_bytes_total", "project", "Content from clients"},
    {Kind::Counter, "podfence_sent_bytes_total", "project", "Content to clients"},
    {Kind::Histogram, "podfence_own_seconds", "act", "Time until an answer began, without waiting for Podman and the client"},
    {Kind::Histogram, "podfence_upstream_seconds", "act", "Time until an answer began that Podman was waited for"},
    {Kind::Gauge, "podfence_connections", "project", "Open connections of clients"},
    {Kind::Gauge, "podfence_streams", "project", "Requests that stay open: attach, exec, logs, events, stats, wait"},
    {Kind::Gauge, "podfence_quota_used", "project, resource", "At most so much of a quota is used, where that is known"},
    {Kind::Gauge, "podfence_quota_limit", "project, resource", "What the quota allows"},
    {Kind::Gauge, "podfence_ledger_rows", "kind", "Rows of the ledger"},
    {Kind::Counter, "podfence_cache_lookups_total", "result", "Looks for the owner of an object in memory"},
    {Kind::Gauge, "podfence_cache_entries", "", "Objects whose owner is kept in memory"},
    {Kind::Gauge, "podfence_upstream_up", "", "1: Podman answered when it was last asked"},
    {Kind::Counter, "podfence_upstream_calls_total", "outcome", "Requests to Podman by what came of them"},
    {Kind::Gauge, "podfence_upstream_last_answer_seconds", "", "When Podman last answered, since the epoch; 0: never"},
    {Kind::Gauge, "podfence_decision_readers", "", "Readers of GET /decisions"},
});
// clang-format on
static_assert(rows.size() == Readers + 1);

prometheus::MetricType type_of(Kind kind) {
  constexpr std::array types{prometheus::MetricType::Counter, prometheus::MetricType::Gauge,
                             prometheus::MetricType::Histogram};
  return types[static_cast<std::size_t>(kind)];
}

double seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

/// What is known without asking anybody.
std::optional<std::int64_t> used(const Metrics::Now& now, const std::string& project, rules::Resource resource) {
  if (resource == rules::Resource::Images) return now.ledger.images(project);
  return rules::lasts(resource) ? now.usage.bound(project, resource) : now.usage.running(project, resource);
}

}  // namespace

std::span<const MetricRow> metric_rows() { return rows; }

/// Puts the families together.
class MetricsPage {
 public:
  using Labels = std::vector<prometheus::ClientMetric::Label>;

  MetricsPage(const Metrics& metrics, const Metrics::Now& now) : metrics_(metrics), now_(now) {
    for (const auto& row : rows)
      families_.push_back({std::string(row.name), std::string(row.help), type_of(row.kind), {}});
    add_podfence();
    add_counts();
    for (const auto& state : now.projects) add_project(state);
    add_stores();
    add_upstream();
  }

  std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  prometheus::ClientMetric& add(Metric metric, Labels labels) {
    auto& one = families_[metric].metric.emplace_back();
    one.label = std::move(labels);
    return one;
  }
  template <class Number>
  void add(Metric metric, Labels labels, Number value) {
    auto& one = add(metric, std::move(labels));
    (rows[metric].kind == Kind::Counter ? one.counter.value : one.gauge.value) = static_cast<double>(value);
  }

  void add(Metric metric, std::string_view act, const Histogram& histogram) {
    auto& one = add(metric, {{"act", std::string(act)}}).histogram;
    one.sample_count = histogram.count;
    one.sample_sum = histogram.sum;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < Histogram::bounds.size(); ++i)
      one.bucket.push_back({sum += histogram.counts[i], Histogram::bounds[i]});
  }

  void add_podfence() {
    add(BuildInfo, {{"version", metrics_.version_}}, 1);
    add(StartTime, {}, metrics_.started_);
    add(Confined, {{"by", "seccomp"}}, metrics_.confinement_.calls);
    add(Confined, {{"by", "landlock"}}, metrics_.confinement_.files);
    add(Projects, {}, now_.projects.size());
    add(Generation, {}, now_.generation);
    add(Readers, {}, now_.readers);
  }

  void add_counts() {
    for (const auto& [id, project] : metrics_.projects_) {
      for (const auto& [decision, count] : project.decisions)
        add(Decisions, {{"project", id}, {"decision", decision}}, count);
      for (const auto& [rule, count] : project.refusals) add(Refusals, {{"project", id}, {"rule", rule}}, count);
      add(Received, {{"project", id}}, project.received);
      add(Sent, {{"project", id}}, project.sent);
    }
    for (const auto& [key, count] : metrics_.requests_) {
      const auto& [group, act, decision] = key;
      add(Requests, {{"group", std::string(group)}, {"act", std::string(act)}, {"decision", decision}}, count);
    }
    for (const auto& [act, times] : metrics_.acts_) {
      add(Own, act, times.own);
      add(Waited, act, times.upstream);
    }
  }

  void add_project(const rules::ProjectState& state) {
    const auto& project = state.project->project;
    if (!metrics_.labelled_.contains(project.id)) return;
    add(Connections, {{"project", project.id}}, state.connections);
    add(Streams, {{"project", project.id}}, now_.usage.running(project.id, rules::Resource::Streams));
    for (const auto name : rules::openings(project.policy))
      add(Opening, {{"project", project.id}, {"opening", std::string(name)}}, 1);
    for (const auto& row : rules::resource_rows) {
      const auto most = project.policy.quota(row.resource);
      if (!most) continue;
      const Labels labels{{"project", project.id}, {"resource", std::string(row.key)}};
      add(QuotaLimit, labels, *most);
      if (const auto amount = used(now_, project.id, row.resource)) add(QuotaUsed, labels, *amount);
    }
  }

  void add_stores() {
    const auto sizes = now_.ledger.sizes();
    for (const auto& [kind, size] : sizes) add(LedgerRows, {{"kind", std::string(rules::text(kind))}}, size);
    add(CacheLookups, {{"result", "hit"}}, now_.memory.hits());
    add(CacheLookups, {{"result", "miss"}}, now_.memory.misses());
    add(CacheEntries, {}, now_.memory.size());
  }

  void add_upstream() {
    const auto& health = now_.upstream;
    add(UpstreamUp, {}, health.up ? 1 : 0);
    add(UpstreamCalls, {{"outcome", "answered"}}, health.answered);
    add(UpstreamCalls, {{"outcome", "unreachable"}}, health.unreachable);
    add(UpstreamCalls, {{"outcome", "invalid"}}, health.invalid);
    add(UpstreamLastAnswer, {}, seconds_of(health.last_answer));
  }

  const Metrics& metrics_;
  const Metrics::Now& now_;
  std::vector<prometheus::MetricFamily> families_;
};

Metrics::Metrics(std::string_view version)
    : version_(version), started_(seconds_of(std::chrono::system_clock::now())) {}

void Metrics::show(std::span<const std::string_view> ids, std::size_t labelled) {
  std::set<std::string, std::less<>> next;
  for (const bool had_one : {true, false})
    for (const auto id : ids)
      if (next.size() < labelled && labelled_.contains(id) == had_one) next.emplace(id);
  labelled_ = std::move(next);
  std::erase_if(projects_, [&](const auto& entry) { return !entry.first.empty() && !labelled_.contains(entry.first); });
}

const std::string& Metrics::label_of(const std::string& project) const {
  static const std::string rest;
  return labelled_.contains(project) ? project : rest;
}

void Metrics::count(const rules::AuditRecord& record) {
  auto& project = projects_[label_of(record.project)];
  ++project.decisions[record.decision];
  if (!record.rule.empty()) ++project.refusals[record.rule];
  project.received += record.bytes_in;
  project.sent += record.bytes_out;
  ++requests_[{record.group, record.act, record.decision}];
  if (record.own_us < 0) return;
  constexpr double microsecond = 1e-6;
  auto& times = acts_[record.act];
  times.own.add(static_cast<double>(record.own_us) * microsecond);
  times.upstream.add(static_cast<double>(record.upstream_us) * microsecond);
}

std::string Metrics::text(const Now& now) const { return MetricsPage(*this, now).text(); }

}  // namespace podfence::proxy
