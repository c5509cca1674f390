#pragma once
// RUN --mount (buildah: internal/parse and run_common.go in 1.28, internal/volumes in 1.39).

#include <functional>
#include <string_view>
#include <variant>

#include "rules/dockerfile/dockerfile.hpp"

namespace podfence::rules::dockerfile {

using Resolve = std::function<std::variant<Source, Deny>(const std::string& name)>;

/// `text` is behind "--mount=", with its variables put in.
std::variant<Mount, Deny> read_mount(std::string_view text, const Options& options, std::size_t line,
                                     const Resolve& resolve);

}  // namespace podfence::rules::dockerfile
