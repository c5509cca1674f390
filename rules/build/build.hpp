#pragma once
// What builds of a project have in common.

#include <string>

#include "rules/build/options.hpp"

namespace podfence::rules::build {

/// The line behind every FROM: a label that nobody else's layers have, so that Podman takes none from the cache but the
/// project's own (buildah/imagebuildah: historyAndDiffIDsMatch compares the whole history).
std::string cache_label(const Project& project, const Ledger& ledger);
/// Is it an image that this project's builds have made?
bool has_cache_label(const json::Value& image, const Project& project, const Ledger& ledger);

/// Before 5.0 the builder's private network leads to the loopback addresses of the host (buildah 1.28:
/// setupRootlessNetwork starts slirp4netns without --disable-host-loopback).
bool has_network(const Options& options, const Project& project, EngineVersion engine);

}  // namespace podfence::rules::build
