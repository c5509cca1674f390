#include "proxy/control_door.hpp"

#include "proxy/server.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

using rules::Deny;
using rules::refusal;

std::variant<ProjectHandle, Door::OneOf, Deny> ControlDoor::project_for(const RequestHead& head) const {
  const auto id = head.project.empty() ? identity_.sole_project() : head.project;
  if (id.empty()) {
    OneOf entitled;
    for (auto& project : server_.projects())
      if (identity_.is_entitled(project->id)) entitled.push_back(std::move(project));
    return entitled;
  }
  if (!rules::is_project_id(id)) return Deny{refusal("operator.project"), id};
  if (!identity_.is_entitled(id)) return Deny{refusal("control.entitlement"), id};
  if (auto project = server_.project(id)) return project;
  return Deny{refusal("control.project-unknown"), id};
}

std::variant<ProjectHandle, Door::OneOf, Deny> ClosedDoor::project_for(const RequestHead&) const {
  return Deny{refusal("control.identity"), listener()};
}

}  // namespace podfence::proxy
