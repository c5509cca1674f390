#include "rules/doctor/danger.hpp"

#include <array>
#include <charconv>

namespace podfence::rules::doctor {

namespace {

constexpr auto rows = std::to_array<Danger>({
    {"podman", "4.9.4", "a build can mount the host's root directory by a symbolic link in an image (CVE-2024-1753)"},
    {"podman", "5.0.0",
     "RUN steps of a build reach what listens on the host's loopback addresses, and one manifest list can keep all "
     "images from being listed; podfence refuses both unless policy opens it"},
    {"podman", "5.1.0",
     "a build with remote= removes the directory above the one that it names; podfence refuses remote=, so this is for "
     "whoever reaches Podman past it"},
    {"podman", "5.4.0",
     "networks of projects lose their isolation from each other, and paths below workspaces can only be mounted with "
     "insecure_bind_subpaths"},
    {"podman", "5.7.1",
     "an image whose WORKDIR is a symbolic link makes directories on the host, or changes their owner "
     "(CVE-2026-55686)"},
    {"runc", "1.1.12", "an image can leave its container by a file that runc leaves open (CVE-2024-21626)"},
});

/// Takes one number and the point behind it; 0 at the end.
int next_number(std::string_view& text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  if (text.starts_with('.'))
    text.remove_prefix(1);
  else
    text = {};
  return number;
}

}  // namespace

std::span<const Danger> dangers() { return rows; }

bool is_older(std::string_view version, std::string_view than) {
  while (!version.empty() || !than.empty()) {
    const int one = next_number(version), other = next_number(than);
    if (one != other) return one < other;
  }
  return false;
}

}  // namespace podfence::rules::doctor
