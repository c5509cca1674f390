#pragma once
// The parts of a mount. Podman's own texts for mounts are never passed on: every part is judged by itself, and the text
// is written anew.

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/body/table.hpp"
#include "rules/policy.hpp"

namespace podfence::rules {

/// The path in the container, without a slash at its end.
std::variant<std::string, Deny> judge_target_path(std::string_view path);

/// A named volume of the project; one that does not exist is noted in JudgedBody::volumes.
std::variant<std::string, Deny> judge_volume_name(const std::string& name, const Place& place);

/// Options of a volume's mount, without those that are never sent.
std::variant<std::vector<std::string>, Deny> judge_volume_options(std::vector<std::string> options);

/// Options of a tmpfs: a size is bounded, or added, and so are nosuid and nodev.
std::variant<std::vector<std::string>, Deny> judge_tmpfs_options(const std::vector<std::string>& options,
                                                                 const Policy& policy);

/// Of a tmpfs whose client names no size: its memory is the host's, so there is always one.
std::int64_t tmpfs_standard_size(const Policy& policy);

/// Refuses `ro` and `rw` at once, and an option that is neither in the list nor one of those that are never sent.
std::optional<Deny> judge_options(const std::vector<std::string>& options, std::span<const std::string_view> allowed);

/// "" is no option at all.
std::vector<std::string> split_options(std::string_view text);
std::string join_options(const std::vector<std::string>& options);
/// Of a list whose items are known to be texts; nullptr is the empty one.
std::vector<std::string> texts_of(const json::Value* list);
json::Value list_of(const std::vector<std::string>& texts);

/// A source that Podman takes for a path and not for a volume's name.
bool is_path(std::string_view source);

}  // namespace podfence::rules
