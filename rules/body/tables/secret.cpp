// Secret create. Other drivers than Podman's own file driver run programs of the client's choice as the Podman user, or
// keep the value where their options say.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row compat[] = {
    {"",                Object,  checked(finish_secret, "the project's label is added; the driver is `file`")},
    {"Name",            Text,    new_name<Kind::Secret>},
    {"Data",            Text,    pass},
    {"Labels{}",        Text,    label},
    {"Driver.Name",     Text,    secret_driver},
    {"Driver.Options",  Any,     deny(refusal("secret.driver"))},
    {"Templating",      Any,     deny_field},  // Docker's; Podman has none
};
// clang-format on

}  // namespace

constinit const std::span<const Row> secret_rows = compat;

}  // namespace podfence::rules
