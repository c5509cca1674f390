#include "rules/dockerfile/source.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "rules/ascii.hpp"
#include "rules/dockerfile/refuse.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::dockerfile {

namespace {

constexpr std::string_view scratch = "scratch";

bool is_image(const std::string& name) {
  if (full_image_id(name)) return true;
  const auto prefix = std::string_view(name).substr(0, name.find(':'));
  if (prefix.size() < name.size() && is_transport(prefix)) return false;
  return normalise_image_name(name).has_value();
}

bool may_be_id(std::string_view name) {
  constexpr std::size_t shortest_id = 12;
  return name.size() >= shortest_id && std::ranges::all_of(name, [](char c) {
           return ascii::is_digit(c) || (ascii::lower(c) >= 'a' && ascii::lower(c) <= 'f');
         });
}

std::variant<Source, Deny> image(const std::string& name, const std::string& platform, std::size_t line) {
  if (!is_image(name)) return deny_at(refusal("dockerfile.image"), line, name);
  return Image{name, platform};
}

}  // namespace

bool is_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, ascii::is_digit);
}

bool climbs(std::string_view path) {
  int depth = 0;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto part = path.substr(0, end);
    if (part == "..")
      --depth;
    else if (!part.empty() && part != ".")
      ++depth;
    if (depth < 0) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

void StageNames::add(const std::string& name) {
  if (!name.empty()) positions_.emplace(name, names_.size());
  names_.push_back(name);
}

bool StageNames::may_begin(std::string_view name) const {
  constexpr std::size_t longest = 128;
  const auto may_hold = [](char c) { return ascii::is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= longest && ascii::is_alphanumeric(name.front()) &&
         std::ranges::all_of(name, may_hold) && !is_number(name) && !may_be_id(name) && name != scratch &&
         !positions_.contains(name);
}

std::variant<Source, Deny> StageNames::base(const std::string& name, const std::string& platform,
                                            std::size_t line) const {
  if (name == scratch) return Source(Scratch{});
  if (const auto found = positions_.find(name); found != positions_.end()) return Source(StageReference{found->second});
  if (!is_number(name)) return image(name, platform, line);
  // A number is the name of a stage that has no other (imagebuilder/builder.go: NewStages), and means nothing else.
  const auto stage = copied(name, line);
  const auto* source = std::get_if<Source>(&stage);
  if (source && !names_[std::get<StageReference>(*source).position].empty())
    return deny_at(refusal("dockerfile.stage"), line, name);
  return stage;
}

std::variant<Source, Deny> StageNames::copied(const std::string& name, std::size_t line) const {
  if (const auto found = positions_.find(name); found != positions_.end()) return Source(StageReference{found->second});
  if (!is_number(name)) {
    if (name == scratch) return deny_at(refusal("dockerfile.image"), line, name);
    return image(name, "", line);
  }
  // stages[n] of one that is not there ends the engine (executor.go, Build), and a later one would be looked for as an
  // image.
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  const bool plain = error == std::errc() && end == name.data() + name.size() && std::to_string(position) == name;
  if (!plain || position >= names_.size()) return deny_at(refusal("dockerfile.stage"), line, name);
  return Source(StageReference{position});
}

}  // namespace podfence::rules::dockerfile
