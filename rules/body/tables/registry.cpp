// Logging in to a registry: Podman tries the credentials and keeps nothing of them.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row login[] = {
    {"username",      Text, pass},
    {"password",      Text, pass},
    {"email",         Text, drop},
    {"serveraddress", Text, keep_zero(registry)},
    {"auth",          Text, deny_field},
    {"identitytoken", Text, deny_field},
    {"registrytoken", Text, deny_field},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> registry_login_rows = login;

}  // namespace podfence::rules
