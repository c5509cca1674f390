#pragma once
// The two forms of image_archive.hpp. Each says what it wants to be read, until it wants nothing, and then what the
// archive holds.

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "rules/image_archive.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

namespace docker_form {
inline constexpr std::string_view index_name = "manifest.json";
void want(const Archive& known, ArchiveRules& further);
std::variant<ImageArchive, Deny> read(const Archive& archive);
}  // namespace docker_form

namespace oci_form {
inline constexpr std::string_view index_name = "index.json";
void want(const Archive& known, ArchiveRules& further);
std::variant<ImageArchive, Deny> read(const Archive& archive);
}  // namespace oci_form

/// Bounds of one archive; each text that is read is held in memory.
inline constexpr std::size_t max_images = 64;
inline constexpr std::size_t max_layers = 1024;

/// A text of the archive as JSON, nullptr-like null when it is none.
std::optional<json::Value> parsed_text(const Archive& archive, std::string_view name);

/// Go's decoder takes the last of all members whose names differ by case only, some letters beyond ASCII included.
bool go_takes_for(std::string_view member, std::string_view field);

/// The member of exactly that name; nullopt when Go could take another one for it.
std::optional<const json::Value*> only_member(const json::Value& object, std::string_view name);

/// The digits of `sha256:DIGITS`; nullopt for every other digest.
std::optional<std::string> digest_digits(std::string_view digest);

}  // namespace podfence::rules
