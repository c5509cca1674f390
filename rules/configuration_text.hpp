#pragma once
// The lexical side of the configuration file: comments, and what single values may look like.

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace podfence::rules {

/// A comment that has no end.
struct OpenComment {
  std::size_t at;
};

/// The text with `// …` and `/* … */` outside of strings replaced by spaces, so that positions stay the same.
std::variant<std::string, OpenComment> strip_comments(std::string_view text);

/// Each returns what is wrong, or nullptr.
const char* wrong_with_project_id(std::string_view text);
const char* wrong_with_path(std::string_view text);
const char* wrong_with_socket(std::string_view text);
/// A file, or a word for another place.
const char* wrong_with_audit_place(std::string_view text);
const char* wrong_with_label_key(std::string_view text);
const char* wrong_with_shared_image(std::string_view text);
const char* wrong_with_registry(std::string_view text);
const char* wrong_with_subnet_range(std::string_view text);
/// A path that Podman reads as one in the texts that it has for mounts.
const char* wrong_with_mount_path(std::string_view text);
/// One that may be opened to a project, as far as its text tells.
const char* wrong_with_workspace_host(std::string_view text);

}  // namespace podfence::rules
