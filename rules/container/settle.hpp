#pragma once
// What becomes of a container, by the project's policy: the one set of rules for both families.

#include <variant>

#include "rules/body/table.hpp"
#include "rules/container/description.hpp"

namespace podfence::rules {

/// While facts are missing the changes are not complete, and the caller asks before it sends them.
std::variant<Changes, Deny> settle(const Description& description, Body body, const Place& place);

/// The content with what policy makes of it.
std::optional<Deny> settle_content(Body body, json::Value& content, const Place& place);

// The parts.
using Settled = std::optional<Deny>;
Settled settle_amounts(const Description& description, const Policy& policy, bool writes_defaults, Changes& changes);
Settled settle_amount(const SaidAmount& said, const Policy& policy);
/// The number itself, or what policy brings it to.
std::variant<std::int64_t, Deny> settled_amount(const SaidAmount& said, const Policy& policy);
Settled settle_network(const Description& description, const Place& place, Changes& changes);
Settled settle_ports(const Description& description, const Place& place, Changes& changes);

/// The full id of a network that the project may use, or the name itself while it is not known yet: one of its own, or
/// the gate of its policy. Where nothing may reach out, that can only be an internal one.
std::variant<std::string, Deny> resolve_network(const std::string& name, const Place& place);

/// Of an own network: may the project's containers join it?
Settled check_way_out(const std::string& network, const Place& place);

}  // namespace podfence::rules
