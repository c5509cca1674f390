// Exec sessions. Their container or session is in the path.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row create[] = {
    {"User",          Text,     pass},
    {"Privileged",    Boolean,  deny_privileged},
    {"Tty",           Boolean,  pass},
    {"ConsoleSize[]", Unsigned, pass},
    {"AttachStdin",   Boolean,  pass},
    {"AttachStderr",  Boolean,  pass},
    {"AttachStdout",  Boolean,  pass},
    {"Detach",        Boolean,  pass},
    {"DetachKeys",    Text,     keep_zero(pass)},
    {"Env[]",         Text,     environment},
    {"WorkingDir",    Text,     directory},
    {"Cmd[]",         Text,     pass},
    {"Container",     Any,      drop},  // docker-py says the container again; the path has it
};

constexpr Row start[] = {
    {"Detach",         Boolean,  pass},
    {"Tty",            Boolean,  pass},
    {"ConsoleSize[]",  Unsigned, pass},
    {"h",              Unsigned, pass},
    {"w",              Unsigned, pass},
    {"hijack",         Any,      drop},  // dockerode's own options
    {"stdin",          Any,      drop},
};

constexpr Row remove_session[] = {{"Force", Boolean, pass}};
// clang-format on

}  // namespace

constinit const std::span<const Row> exec_create_rows = create;
constinit const std::span<const Row> exec_start_rows = start;
constinit const std::span<const Row> exec_remove_rows = remove_session;

}  // namespace podfence::rules
