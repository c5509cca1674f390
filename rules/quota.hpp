#pragma once
// Quotas: what a project may have at one time. Which request adds what is told by its row of the endpoint table and by
// its judged content; what is there already by Usage, and by a count where that is not known or not enough.

#include <optional>
#include <vector>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"

namespace podfence::rules {

/// What every request of that row adds one of.
std::optional<Resource> resource_of(const Endpoint& endpoint);

/// Has the project's turn to be taken for it (proxy/name_locks.hpp)? While something is counted nothing may be added.
bool takes_turn(const Endpoint& endpoint);

/// Writes what the request adds, as far as there are quotas for it. `content` is the judged one, nullptr where there is
/// none.
void note_uses(Exchange& exchange, const json::Value* content, Forward& forward);

/// The same of one creation among those of a batch, and of what the batch needs first.
void note_creation(Exchange& exchange, Body body, const json::Value& content, std::vector<Use>& uses);
void note_batch_uses(Exchange& exchange, Batch& batch);

/// Refused when it is too much. Notes questions where that cannot be said yet.
std::optional<Deny> check_quotas(Exchange& exchange, const std::vector<Use>& uses);

}  // namespace podfence::rules
