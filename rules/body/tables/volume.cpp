// Volume create. Driver options are a mount by another way.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row compat[] = {
    {"",                   Object,  checked(finish_labels_compat, "the project's label is added")},
    {"Name",               Text,    new_name<Kind::Volume>},
    {"Driver",             Text,    choice("local")},
    {"DriverOpts",         Any,     deny_path},  // type, o and device make a bind of it
    {"Labels{}",           Text,    label},
    {"ClusterVolumeSpec",  Any,     deny_field},
};

constexpr Row libpod[] = {
    {"",                   Object,  checked(finish_volume_libpod, "the project's label is added; `Label` is put into `Labels`")},
    {"Name",               Text,    new_name<Kind::Volume>},
    {"Driver",             Text,    choice("local")},
    {"Label{}",            Text,    label},
    {"Labels{}",           Text,    label},
    {"Options",            Any,     deny_path},
    {"IgnoreIfExists",     Any,     drop},  // would answer with a foreign volume of the name
    {"UID",                Integer, deny_field},
    {"GID",                Integer, deny_field},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> volume_compat_rows = compat;
constinit const std::span<const Row> volume_libpod_rows = libpod;

}  // namespace podfence::rules
