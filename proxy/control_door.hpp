#pragma once
// A client of a control plane: it says with each request which project it speaks for.

#include "proxy/door.hpp"
#include "rules/control.hpp"

namespace podfence::proxy {

class Server;

class ControlDoor final : public Door {
 public:
  ControlDoor(std::string listener, rules::ControlIdentity identity, std::string remote, const Server& server)
      : Door(std::move(listener)), identity_(std::move(identity)), remote_(std::move(remote)), server_(server) {}

  std::variant<ProjectHandle, OneOf, rules::Deny> project_for(const RequestHead& head) const override;
  std::string identity() const override { return identity_.text(); }
  std::string remote() const override { return remote_; }

 private:
  rules::ControlIdentity identity_;
  std::string remote_;
  const Server& server_;
};

/// Of a client who may not come in: what it is told comes through it.
class ClosedDoor final : public Door {
 public:
  ClosedDoor(std::string listener, std::string remote) : Door(std::move(listener)), remote_(std::move(remote)) {}
  std::variant<ProjectHandle, OneOf, rules::Deny> project_for(const RequestHead& head) const override;
  std::string remote() const override { return remote_; }

 private:
  std::string remote_;
};

}  // namespace podfence::proxy
