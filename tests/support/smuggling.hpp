#pragma once
// Plays a request in every way the network may cut it, and looks at all that must not happen.

#include <string>
#include <vector>

#include "tests/support/messages.hpp"
#include "tests/support/stepped_proxy.hpp"

namespace podfence::testing {

struct RefusedRow {
  std::string id;     ///< as in the tables of known differences between parsers: F framing, L length, H fields, …
  std::string bytes;  ///< complete, so that no reader has a reason to wait for more
  int status = 400;
};

/// A request that the proxy would forward if it ever took it for one: rows carry it where a body might end too early.
inline const std::string smuggled = "DELETE /v1.41/containers/c1 HTTP/1.1\r\nHost: d\r\n\r\n";
inline const std::string create_content = R"({"Image":"localhost/bb:latest"})";

/// A container create with these field lines (each with its CRLF) between Host and the empty line.
std::string create_request(std::string_view fields, std::string_view content);
std::string get_request(std::string_view target, std::string_view fields = "");

using Pieces = std::vector<std::string>;

/// Is this one of the places where bytes are cut in two? Every one, but for rows of thousands of bytes, which say one
/// thing many times: those at their ends, and some between.
bool cuts_at(std::string_view bytes, std::size_t position);
/// All those cuts at once.
Pieces bytewise(std::string_view bytes);

/// What came of some bytes.
struct Played {
  std::string read;                   ///< by the client, without the request id and the ids of new objects
  bool refused = false;               ///< the connection was ended by the proxy
  std::vector<std::string> requests;  ///< that upstream saw, to the byte; it saw nothing else
};

/// Whole, byte by byte, split at every position, and behind a good request. Checks that the same comes of it each time.
Played play_same(SteppedProxy& proxy, const std::string& bytes);

/// In all those ways one answer with a right status in Podman's shape, the connection ended, and not one byte upstream.
/// And once through a whole proxy, which serves other clients as before.
void play_refused(const std::vector<RefusedRow>& rows);

struct AlikeRow {
  std::string id;
  std::string bytes;
};
/// In all those ways the same comes of a row as of the plain request: the client reads the same, and upstream sees the
/// same bytes. `start` of the answer, so that a refusal is not taken for one.
void play_alike(SteppedProxy& proxy, const std::string& plain, std::string_view start,
                const std::vector<AlikeRow>& rows);

}  // namespace podfence::testing
