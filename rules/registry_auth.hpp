#pragma once
// Credentials for a registry, as a client sends them with a pull. Without any, Podman takes the host user's own from
// auth.json, and so does it when the client's are empty (tried live on 4.3.1: pkg/auth falls back to the default file).
// A client must never pull with the host's rights, so something is always sent.

#include <string_view>
#include <variant>

#include "rules/decision.hpp"
#include "rules/field.hpp"

namespace podfence::rules {

/// The header field for upstream. `client` is the value of the client's X-Registry-Auth, "" if it sent none: base64 of
/// one set of credentials, or of a map from registry to credentials (podman --remote).
std::variant<Field, Deny> registry_credentials(std::string_view client);

}  // namespace podfence::rules
