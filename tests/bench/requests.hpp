#pragma once
// The requests that the load makes. The mix is what a CI job and its compose client do: a quarter pings and versions, a
// third inspects, then lists, logs, starts and stops, execs, images.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace podfence::bench {

/// The text of the `turn`-th request of a kind; nullopt: there is no such kind.
std::optional<std::string> request_text(std::string_view kind, std::size_t turn);

/// Exec start with its Upgrade, the follower of events and the silent one.
std::string hijack_request();
std::string live_request();
std::string silent_request();
/// Of the container whose export comes in chunks, or of another one.
std::string export_request(bool chunked);
/// The head of a build whose context comes in chunks.
std::string build_head();
/// The head of an upload into a container; `size` nullopt: in chunks.
std::string upload_head(std::optional<unsigned long long> size);

}  // namespace podfence::bench
