#pragma once
// A control plane's request that does not say which project it is for: that is found out, and the request is then
// judged as that project's own. Lists are joined from those of all its projects.

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proxy/inquiry.hpp"
#include "proxy/patience.hpp"
#include "proxy/request_content.hpp"
#include "proxy/services.hpp"
#include "rules/belonging.hpp"

namespace podfence::proxy {

class Verification {
 public:
  using Project = std::shared_ptr<const rules::Project>;
  /// The project, or a refusal, or the whole answer.
  using Result = std::variant<Project, rules::Deny, rules::Reply>;

  Verification(Services& services, std::vector<Project> projects, const RequestHead& head, RequestContent& content)
      : services_(services),
        projects_(std::move(projects)),
        head_(head),
        content_(content),
        joined_(services.buffers, "") {
    for (auto& project : projects_) project = with_full_names(std::move(project));
  }

  Task<Result> find();
  /// The content, if it had to be read.
  std::optional<std::string> take_content() { return std::exchange(read_, std::nullopt); }

  /// For how many projects a list is joined.
  static constexpr std::size_t max_joined = 64;

 private:
  Task<Result> by_name();
  Task<Result> by_label();
  Task<Result> join();
  /// A list, or a refusal, or Podman's own error.
  using Listed = std::variant<std::string, rules::Deny, rules::Reply>;
  Task<Listed> list_of(const rules::Project& project, Patience& patience);
  Task<Listed> ask_for_list(const rules::Forward& forward, Inquiry& inquiry);
  Result project_of(const std::string& id) const;
  static Project with_full_names(Project project);

  Services& services_;
  std::vector<Project> projects_;
  const RequestHead& head_;
  RequestContent& content_;
  rules::Match match_;
  std::optional<std::string> read_;
  BufferBudget::Share joined_;  ///< until the answer has been sent
};

}  // namespace podfence::proxy
