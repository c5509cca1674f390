#pragma once
// What the requests of the operator's socket do (rules/operator/call.hpp).

#include <string>

#include "proxy/services.hpp"
#include "proxy/tenancy.hpp"
#include "proxy/watching.hpp"
#include "rules/operator/call.hpp"

namespace podfence::proxy {

class OperatorApi {
 public:
  OperatorApi(Services& services, Tenancy& tenancy, const Watching& watching, rules::PolicyFiles policies)
      : services_(services), tenancy_(tenancy), watching_(watching), policies_(std::move(policies)) {}

  /// `content` for rows that take some.
  Task<rules::Reply> answer(rules::OperatorCall call, std::string content);

 private:
  Task<rules::Reply> show(std::string project);
  Task<rules::Reply> ready();
  std::string metrics() const;
  rules::Reply put(const std::string& project, const std::string& content);
  rules::Reply reload();
  rules::Reply validate(const std::string& text) const;

  Services& services_;
  Tenancy& tenancy_;
  const Watching& watching_;
  rules::PolicyFiles policies_;
};

/// As an error that the operator reads.
rules::Reply operator_error(const rules::Deny& deny);

}  // namespace podfence::proxy
