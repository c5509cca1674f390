#include "proxy/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace podfence::proxy {

namespace {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;

Counters& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Gauges& gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

}  // namespace

// Labels come from podfence's own tables and configuration, never from a client: there is an end of them.
struct Metrics::State {
  prometheus::Registry registry;
  prometheus::Gauge& projects = gauges(registry, "podfence_projects", "Projects that are served").Add({});
  prometheus::Gauge& generation =
      gauges(registry, "podfence_generation", "Changes of the projects and the configuration since the start").Add({});
  Gauges& openings = gauges(registry, "podfence_insecure_opening", "1 for each opening of a project's policy");
  std::vector<prometheus::Gauge*> open = {};
  Counters& decisions = counters(registry, "podfence_decisions_total", "Requests by what was decided about them");
  Counters& refusals = counters(registry, "podfence_refusals_total", "Refused and hidden requests by rule");
  Counters& received = counters(registry, "podfence_received_bytes_total", "Content from clients");
  Counters& sent = counters(registry, "podfence_sent_bytes_total", "Content to clients");
};

Metrics::Metrics(std::string_view version) : state_(std::make_unique<State>()) {
  gauges(state_->registry, "podfence_build_info", "Which podfence this is")
      .Add({{"version", std::string(version)}})
      .Set(1);
}

void Metrics::show(std::span<const rules::ProjectState> projects, std::size_t generation) {
  state_->projects.Set(static_cast<double>(projects.size()));
  state_->generation.Set(static_cast<double>(generation));
  for (auto* opening : state_->open) state_->openings.Remove(opening);
  state_->open.clear();
  for (const auto& state : projects) {
    const auto& project = state.project->project;
    for (const auto name : rules::openings(project.policy)) {
      auto& opening = state_->openings.Add({{"project", project.id}, {"opening", std::string(name)}});
      opening.Set(1);
      state_->open.push_back(&opening);
    }
  }
}

Metrics::~Metrics() = default;

void Metrics::count(const rules::AuditRecord& record) {
  state_->decisions.Add({{"project", record.project}, {"decision", record.decision}}).Increment();
  if (!record.rule.empty()) state_->refusals.Add({{"project", record.project}, {"rule", record.rule}}).Increment();
  state_->received.Add({{"project", record.project}}).Increment(static_cast<double>(record.bytes_in));
  state_->sent.Add({{"project", record.project}}).Increment(static_cast<double>(record.bytes_out));
}

std::string Metrics::text() const { return prometheus::TextSerializer().Serialize(state_->registry.Collect()); }

}  // namespace podfence::proxy
