#include "proxy/control_door.hpp"

#include "proxy/server.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace {

using rules::Deny;
using rules::refusal;

Deny deny(const rules::Refusal* rule, const std::string& subject) { return {rule, subject, rules::Kind::None}; }

}  // namespace

std::variant<ProjectHandle, Door::OneOf, Deny> ControlDoor::project_for(const RequestHead& head) const {
  if (head.project.empty()) {
    OneOf entitled;
    for (auto& project : server_.projects())
      if (identity_.is_entitled(project->id)) entitled.push_back(std::move(project));
    return entitled;
  }
  if (!rules::is_project_id(head.project)) return deny(refusal("operator.project"), head.project);
  if (!identity_.is_entitled(head.project)) return deny(refusal("control.entitlement"), head.project);
  if (auto project = server_.project(head.project)) return project;
  return deny(refusal("control.project-unknown"), head.project);
}

std::variant<ProjectHandle, Door::OneOf, Deny> ClosedDoor::project_for(const RequestHead&) const {
  return deny(refusal("control.identity"), listener());
}

}  // namespace podfence::proxy
