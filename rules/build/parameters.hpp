#pragma once
// The query of a build: POST /build and /libpod/build share Podman's parser (compat/images_build.go:BuildImage).

#include <span>

#include "rules/query_table.hpp"

namespace podfence::rules::build {

std::span<const Parameter> parameters();

}  // namespace podfence::rules::build
