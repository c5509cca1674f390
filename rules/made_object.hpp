#pragma once
// Requests and claims about an object that an earlier request of the same batch makes (Batch::Item::about). Its id is
// written in when it is known, so that nothing else can have got the name meanwhile.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/decision.hpp"

namespace podfence::rules {

/// Stands in targets for the id. A client's text has it percent-encoded.
inline constexpr std::string_view made_id_mark = "{id}";

/// The full id of what was made, a secret's as well, by upstream's answer; nullopt: the answer tells none.
std::optional<std::string> made_id(std::string_view answer);

/// Claims whose `what` is the mark are about what was made. Without an id there is nothing to say about it.
std::vector<Claim> with_made_id(std::vector<Claim> claims, std::string_view answer);

/// In the target, and as the pod of a container's content.
UpstreamRequest with_made_id(UpstreamRequest request, std::string_view id);

}  // namespace podfence::rules
