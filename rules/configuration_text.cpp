#include "rules/configuration_text.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/address.hpp"
#include "rules/configuration.hpp"
#include "rules/contains.hpp"

namespace podfence::rules {
namespace {

/// Where the string that begins at `start` (a quotation mark) ends: behind its closing mark, or at the end of the text.
std::size_t end_of_string(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

/// Where the comment that begins at `start` ends, or npos.
std::size_t end_of_comment(std::string_view text, std::size_t start) {
  if (text[start + 1] == '/') return std::min(text.find('\n', start), text.size());
  const std::size_t close = text.find("*/", start + 2);
  return close == std::string_view::npos ? close : close + 2;
}

bool starts_comment(std::string_view text, std::size_t at) {
  return text[at] == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*');
}

bool is_lower_alphanumeric(char c) { return ascii::is_lower(c) || ascii::is_digit(c); }

}  // namespace

std::variant<std::string, OpenComment> strip_comments(std::string_view text) {
  std::string plain(text);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      i = end_of_string(text, i);
    } else if (starts_comment(text, i)) {
      const std::size_t end = end_of_comment(text, i);
      if (end == std::string_view::npos) return OpenComment{i};
      for (; i < end; ++i)
        if (plain[i] != '\n') plain[i] = ' ';
    } else {
      ++i;
    }
  }
  return plain;
}

const char* wrong_with_project_id(std::string_view text) {
  return is_project_id(text)
             ? nullptr
             : "must be a project id: 1 to 63 characters a-z, 0-9 and '-', the first one a letter or digit";
}

const char* wrong_with_path(std::string_view text) {
  if (!text.starts_with('/')) return "must be an absolute path";
  if (std::ranges::any_of(text, ascii::is_control)) return "must not hold control characters";
  for (std::size_t start = 1; start <= text.size();) {
    const std::size_t end = std::min(text.find('/', start), text.size());
    const std::string_view segment = text.substr(start, end - start);
    if (segment.empty() || segment == "." || segment == "..")
      return "must be a clean path: no empty, '.' or '..' part and no '/' at the end";
    start = end + 1;
  }
  return nullptr;
}

const char* wrong_with_socket(std::string_view text) {
  constexpr std::size_t longest_socket_path = 107;  // sockaddr_un holds 108 bytes with the final NUL
  if (const char* wrong = wrong_with_path(text)) return wrong;
  return text.size() > longest_socket_path ? "is longer than the 107 bytes that the path of a socket may have"
                                           : nullptr;
}

const char* wrong_with_audit_place(std::string_view text) {
  if (text == audit_to_standard_error || text == audit_to_journal) return nullptr;
  if (!text.starts_with('/')) return "must be an absolute path, journald or stderr";
  return wrong_with_path(text);
}

const char* wrong_with_label_key(std::string_view text) {
  // Labels under these names mean something to Podman, Docker Compose or systemd.
  constexpr auto taken = std::to_array<std::string_view>({"io.podman", "io.containers", "com.docker", "org.systemd"});
  if (text.empty() || text.size() > 64 || !is_lower_alphanumeric(text.front()) || !is_lower_alphanumeric(text.back()) ||
      !std::ranges::all_of(text, [](char c) { return is_lower_alphanumeric(c) || c == '.' || c == '-'; }))
    return "must be a label key of 1 to 64 characters a-z, 0-9, '.' and '-', with a letter or digit at both ends";
  if (std::ranges::any_of(taken, [&](std::string_view prefix) { return text.starts_with(prefix); }))
    return "must not begin with a name that Podman, Docker or systemd gives a meaning: io.podman, io.containers, "
           "com.docker, org.systemd";
  return nullptr;
}

const char* wrong_with_shared_image(std::string_view text) {
  if (!std::ranges::all_of(text, ascii::is_graphic) || text.size() > 512)
    return "must be at most 512 printable ASCII characters without spaces";
  const std::string_view registry = text.substr(0, text.find('/'));
  if (registry.find('*') != std::string_view::npos)
    return "must not have '*' in the name of the registry: it would open the images of every project to all projects";
  const bool names_registry = registry == "localhost" || registry.find_first_of(".:") != std::string_view::npos;
  if (registry.size() + 1 >= text.size() || !names_registry)
    return "must be a full image name that begins with the registry, such as docker.io/library/alpine:* or localhost/*";
  return nullptr;
}

const char* wrong_with_registry(std::string_view text) {
  const bool is_name = std::ranges::all_of(text, [](char c) {
    return ascii::is_lower(c) || ascii::is_digit(c) || std::string_view(".-_:/*").find(c) != std::string_view::npos;
  });
  if (text.empty() || text.size() > 512 || !is_name || text.starts_with('/') ||
      text.find("//") != std::string_view::npos)
    return "must be the name of a registry, or of repositories in it, such as quay.io, *.example.org:5000 or "
           "docker.io/library/*";
  return nullptr;
}

const char* wrong_with_subnet_range(std::string_view text) {
  const auto range = parse_subnet(text);
  return range && is_private_range(*range)
             ? nullptr
             : "must be a range of private addresses by its first one, such as 10.89.0.0/16, within 10.0.0.0/8, "
               "172.16.0.0/12, 192.168.0.0/16 or fd00::/8";
}

const char* wrong_with_mount_path(std::string_view text) {
  if (const char* wrong = wrong_with_path(text)) return wrong;
  return text.find_first_of(":,\"'\\") == std::string_view::npos
             ? nullptr
             : "must not hold ':', ',', '\\' or quotes: Podman splits texts there";
}

const char* wrong_with_workspace_host(std::string_view text) {
  constexpr auto roots = std::to_array<std::string_view>(
      {"/bin",     "/boot",    "/dev",     "/etc",     "/home",      "/lib",      "/lib32",   "/lib64",
       "/libx32",  "/media",   "/mnt",     "/opt",     "/proc",      "/root",     "/run",     "/sbin",
       "/srv",     "/sys",     "/tmp",     "/usr",     "/var",       "/run/user", "/var/lib", "/var/log",
       "/var/run", "/var/tmp", "/usr/bin", "/usr/lib", "/usr/local", "/usr/share"});
  constexpr auto closed = std::to_array<std::string_view>({"/dev/", "/proc/", "/sys/", "/etc/", "/boot/"});
  if (text == "/") return "must not be the whole host";
  if (const char* wrong = wrong_with_mount_path(text)) return wrong;
  if (contains(roots, text)) return "must not be a directory that the system lives by";
  return std::ranges::any_of(closed, [&](std::string_view part) { return text.starts_with(part); })
             ? "must not lie within /boot, /dev, /etc, /proc or /sys"
             : nullptr;
}

}  // namespace podfence::rules
