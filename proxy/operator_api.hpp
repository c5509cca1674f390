#pragma once
// What the requests of the operator's socket do (rules/operator/call.hpp).

#include <string>

#include "proxy/caretaker.hpp"
#include "proxy/services.hpp"
#include "proxy/tenancy.hpp"
#include "proxy/watching.hpp"
#include "rules/operator/call.hpp"

namespace podfence::proxy {

class OperatorApi {
 public:
  OperatorApi(Services& services, Tenancy& tenancy, Caretaker& caretaker, const Watching& watching,
              rules::PolicyFiles policies)
      : services_(services),
        tenancy_(tenancy),
        caretaker_(caretaker),
        watching_(watching),
        policies_(std::move(policies)) {}

  /// `content` for rows that take some.
  Task<rules::Reply> answer(rules::OperatorCall call, std::string content);

 private:
  Task<rules::Reply> show(std::string project);
  Task<rules::Reply> ready();
  std::string metrics() const;
  Task<rules::Reply> put(std::string project, std::string content);
  Task<rules::Reply> remove(rules::OperatorCall call);
  std::optional<rules::Deny> not_to_be_spared(const std::string& project, std::optional<rules::Teardown> how) const;
  Task<rules::Reply> collect(rules::OperatorCall call);
  rules::Reply renew(const std::string& project);
  rules::Reply reload();
  rules::Reply validate(const std::string& text) const;

  Services& services_;
  Tenancy& tenancy_;
  Caretaker& caretaker_;
  const Watching& watching_;
  rules::PolicyFiles policies_;
};

/// As an error that the operator reads.
rules::Reply operator_error(const rules::Deny& deny);

}  // namespace podfence::proxy
