#include "proxy/watching.hpp"

#include <chrono>

namespace podfence::proxy {

Watching::Watching(Executor executor, std::string_view version, Tenancy& projects)
    : tenancy(projects), metrics(version), decisions(std::move(executor), [this](const rules::AuditRecord& record) {
        return tenancy.place(record.project, record.policy);
      }) {}

void Watching::begin(AuditLog& audit) {
  audit.observe([this](const rules::AuditRecord& record) {
    metrics.count(record);
    history.count(record, this_minute());
    decisions.tell(record);
  });
  const auto show = [this] { metrics.show(tenancy.ids(), tenancy.configuration().labelled_projects); };
  tenancy.on_change(show);
  show();
}

std::int64_t this_minute() {
  using namespace std::chrono;
  return floor<minutes>(system_clock::now()).time_since_epoch().count();
}

}  // namespace podfence::proxy
