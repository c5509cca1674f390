#pragma once
// Where a client came in decides who it is, and which project its requests are for.

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "proxy/head.hpp"
#include "rules/decision.hpp"
#include "rules/project.hpp"

namespace podfence::proxy {

using ProjectHandle = std::shared_ptr<const rules::Project>;

class Door {
 public:
  explicit Door(std::string listener) : listener_(std::move(listener)) {}
  virtual ~Door() = default;
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  /// The request is for one of these; which one has to be found out.
  using OneOf = std::vector<ProjectHandle>;
  /// A request is judged by the policy that counts when it begins.
  virtual std::variant<ProjectHandle, OneOf, rules::Deny> project_for(const RequestHead& head) const = 0;
  /// The project of all requests, "" where each has its own.
  virtual std::string project() const { return ""; }
  /// Who the client is, "" where that is the project.
  virtual std::string identity() const { return ""; }

  /// Address and port of a client of TCP, "" for one of a unix socket.
  virtual std::string remote() const { return ""; }

  const std::string& listener() const { return listener_; }
  /// The project is gone: what still runs is being cut off.
  bool is_removed() const { return removed_; }
  void remove() { removed_ = true; }

 private:
  std::string listener_;
  bool removed_ = false;
};

/// The socket of one project.
class ProjectDoor final : public Door {
 public:
  ProjectDoor(ProjectHandle project, std::string listener) : Door(std::move(listener)), project_(std::move(project)) {}

  std::variant<ProjectHandle, OneOf, rules::Deny> project_for(const RequestHead&) const override { return project_; }
  std::string project() const override { return project_->id; }
  const ProjectHandle& handle() const { return project_; }
  void judge_by(ProjectHandle project) { project_ = std::move(project); }

 private:
  ProjectHandle project_;
};

}  // namespace podfence::proxy
