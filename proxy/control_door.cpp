#include "proxy/control_door.hpp"

#include "proxy/server.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

using rules::Deny;
using rules::refusal;

std::variant<ProjectHandle, Door::OneOf, Deny> ControlDoor::project_for(const RequestHead& head) const {
  if (head.project.empty()) {
    OneOf entitled;
    for (auto& project : server_.projects())
      if (identity_.is_entitled(project->id)) entitled.push_back(std::move(project));
    return entitled;
  }
  if (!rules::is_project_id(head.project)) return Deny{refusal("operator.project"), head.project};
  if (!identity_.is_entitled(head.project)) return Deny{refusal("control.entitlement"), head.project};
  if (auto project = server_.project(head.project)) return project;
  return Deny{refusal("control.project-unknown"), head.project};
}

std::variant<ProjectHandle, Door::OneOf, Deny> ClosedDoor::project_for(const RequestHead&) const {
  return Deny{refusal("control.identity"), listener()};
}

}  // namespace podfence::proxy
