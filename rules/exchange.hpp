#pragma once
// One client request and what is known about it: the argument of every rule.

#include <optional>
#include <string>

#include "rules/archive.hpp"
#include "rules/endpoint.hpp"
#include "rules/facts.hpp"
#include "rules/json.hpp"
#include "rules/project.hpp"
#include "rules/target.hpp"

namespace podfence::rules {

struct Request {
  Method method = Method::Get;
  Target target;
  bool upgrade = false;                ///< the client asked for Connection: Upgrade, Upgrade: tcp
  bool has_content = false;            ///< content follows or followed the head
  std::optional<json::Value> content;  ///< parsed, for rows whose body is judged
  std::optional<std::string> bytes;    ///< as they came, for rows that take those
  std::optional<Archive> archive;      ///< likewise; decide() is first asked without it
  std::string registry_auth;           ///< X-Registry-Auth, "" if none
};

struct Exchange {
  const Project& project;
  const Match& match;
  const Request& request;
  Facts& facts;
};

}  // namespace podfence::rules
