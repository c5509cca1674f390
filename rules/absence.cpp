#include "rules/absence.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace podfence::rules {

namespace {

/// What Podman says when something goes while it is looked at (libpod/define/errors.go). An image is read in several
/// steps by 4.3.1.
constexpr auto signs_of_absence = std::to_array<std::string_view>(
    {R"("cause":"image not known")", R"("cause":"layer not known")", R"("cause":"size is not known")",
     R"("cause":"file does not exist")", R"("cause":"no such )", R"("cause":"network not found")",
     R"( has already been removed")"});
/// And what it says when it stumbles over that: 4.3.1 has no look at what it found.
constexpr auto signs_of_stumbling = std::to_array<std::string_view>({"nil pointer dereference"});
/// A prefix that fits several objects.
constexpr auto signs_of_ambiguity = std::to_array<std::string_view>({"more than one", "multiple"});

bool has_any(std::string_view content, std::span<const std::string_view> signs) {
  return std::ranges::any_of(signs,
                             [&](std::string_view sign) { return content.find(sign) != std::string_view::npos; });
}

}  // namespace

bool says_absent(int status, std::string_view content) {
  return status == 404 ||
         (status == 500 && (has_any(content, signs_of_absence) || has_any(content, signs_of_ambiguity)));
}

bool passes_by(const Question& question, int status, std::string_view content) {
  if (question.ask != Question::Ask::Object) return list_passes_by(status, content);
  return question.kind == Kind::Image && status == 500 && has_any(content, signs_of_stumbling);
}

bool list_passes_by(int status, std::string_view content) {
  return status == 500 && (has_any(content, signs_of_stumbling) || has_any(content, signs_of_absence));
}

}  // namespace podfence::rules
