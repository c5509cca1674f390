// Changes of manifest lists.

#include "rules/body/checks.hpp"
#include "rules/body/tables/parts.hpp"

namespace podfence::rules {

namespace {

using enum Shape;

// clang-format off
constexpr Row modify[] = {
    {"",                        Object,  checked(finish_manifest, "of what is added, images of yours and shared ones go on as full ids, others as `docker://` of a registry that the project may use; what is changed or removed is named by its digest")},
    {"operation",               Text,    choice("update remove annotate")},
    {"images[]",                Text,    pass},
    {"all",                     Boolean, pass},
    {"annotation[]",            Text,    pass},
    {"annotations{}",           Text,    pass},
    {"arch",                    Text,    pass},
    {"features[]",              Text,    pass},
    {"os",                      Text,    pass},
    {"os_features[]",           Text,    pass},
    {"os_version",              Text,    pass},
    {"variant",                 Text,    pass},
    {"index_annotation[]",      Text,    pass},
    {"index_annotations{}",     Text,    pass},
    {"subject",                 Text,    deny_field},
    {"artifact_type",           Text,    deny_field},
    {"artifact_layer_type",     Text,    deny_field},
    {"artifact_config_type",    Text,    deny_field},
    {"artifact_config",         Text,    deny_path},
    {"artifact_exclude_titles", Boolean, deny_field},
    {"artifact_annotations",    Any,     deny_field},
    {"artifact_subject",        Text,    deny_field},
    {"artifact_files",          Any,     deny_path},
    {"Authfile",                Any,     drop},  // podman --remote sends these; what counts is X-Registry-Auth
    {"Username",                Any,     drop},
    {"Password",                Any,     drop},
    {"SkipTLSVerify",           Boolean, deny_field},
};
// clang-format on

}  // namespace

constinit const std::span<const Row> manifest_rows = modify;

}  // namespace podfence::rules
