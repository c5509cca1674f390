#pragma once
// What `top` shows of a container's processes.

#include <optional>
#include <span>
#include <string>

namespace podfence::rules {

/// The columns that options for ps ask for (`-ef`, `aux`, `-eo pid,user=WHO`, `pid comm`), by the words of Podman's own
/// reader (psgo), joined by commas; without any, those that `podman top` shows. nullopt: one is none of them, or is
/// about the host
/// (`hpid`). For other words Podman 4 starts a `ps` of the container's and keeps all that it writes, and 5 starts the
/// host's, which knows the host's names (libpod/container_top_linux.go).
std::optional<std::string> process_columns(std::span<const std::string> said);

}  // namespace podfence::rules
