#pragma once
// Plays a request that must be refused in every way the network may cut it, and looks at all that must not happen.

#include <string>
#include <vector>

#include "tests/support/running_proxy.hpp"

namespace podfence::testing {

struct RefusedRow {
  std::string id;     ///< as in the tables of known differences between parsers: F framing, L length, H fields, …
  std::string bytes;  ///< complete, so that no reader has a reason to wait for more
  std::vector<int> statuses = {400};
};

/// A request that the proxy would forward if it ever took it for one: rows carry it where a body might end too early.
inline const std::string smuggled = "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n";
inline const std::string create_content = R"({"Image":"localhost/bb:latest"})";

/// A container create with these field lines (each with its CRLF) between Host and the empty line.
std::string create_request(std::string_view fields, std::string_view content);
std::string get_request(std::string_view target, std::string_view fields = "");
std::string chunked(std::string_view content, std::size_t piece_size = 9);

/// Whole, byte by byte, split at positions, and behind a good request. Each time: one answer with a right status in
/// Podman's shape, the connection ended, not one byte upstream, and other clients served.
void play_refused(RunningProxy& proxy, const RefusedRow& row);
void play_refused(const std::vector<RefusedRow>& rows);

/// The same bytes in every cut. Gives what the client read, which must not depend on the cut, without the request id
/// and the ids of new objects.
std::string play_same(RunningProxy& proxy, const std::string& bytes);

}  // namespace podfence::testing
