#pragma once
// What the header fields of a message may say, by their raw values: the fields that decide where a message ends, what
// the connection becomes, and the few others that are read. All are taken from the head once; trailers never count.

#include <optional>
#include <string_view>

#include "proxy/head.hpp"
#include "rules/decision.hpp"

namespace podfence::proxy {

/// At most one Transfer-Encoding, exactly `chunked`; at most one Content-Length, plain digits; never both. Without
/// either `framing` keeps its value.
std::optional<rules::Deny> read_framing(const rules::Fields& fields, Framing& framing);

/// Exactly one Host, a name and a port. What it names does not matter: upstream's Host is ours.
std::optional<rules::Deny> check_host(const rules::Fields& fields);

/// Connection and Upgrade: keep_alive and upgrade.
std::optional<rules::Deny> read_connection(const rules::Fields& fields, RequestHead& head);

/// Content-Encoding and Content-Type.
std::optional<rules::Deny> read_content_fields(const rules::Fields& fields);

std::optional<rules::Deny> read_expectation(const rules::Fields& fields, RequestHead& head);

/// X-Registry-Auth, or what docker build sends in its place, X-Registry-Config; and X-Appx-Project. Dropped when
/// Connection names them: they were then meant for this hop only (RFC 9110 section 7.6.1).
std::optional<rules::Deny> read_own_fields(const rules::Fields& fields, RequestHead& head);

bool names_connection_option(const rules::Fields& fields, std::string_view option);

}  // namespace podfence::proxy
