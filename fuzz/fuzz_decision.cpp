#include <optional>

#include "fuzz/fuzz.hpp"
#include "rules/method.hpp"
#include "tests/rules/world.hpp"

using namespace podfence;
using namespace podfence::tests;

namespace {

World with_sessions() {
  World world = one_of_every_kind();
  world.exec(id('7'), id('a'));
  world.exec(id('8'), id('b'));
  return world;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// Ids of the other project's objects: they can be known to a client, but must never be what an action is about.
void claim_no_foreign_id(std::string_view text) {
  for (const char digit : {'b', 'd', 'f', '8'})
    fuzz::claim(text.find("/" + id(digit)) == std::string_view::npos, "no foreign id in the path");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto space = text.find(' ');
  const auto line = text.find('\n');
  if (space == std::string_view::npos || line == std::string_view::npos || space > line) return 0;
  const auto method = rules::parse_method(text.substr(0, space));
  if (!method) return 0;
  auto world = with_sessions();
  const auto decision = world.decide(*method, text.substr(space + 1, line - space - 1), text.substr(line + 1));
  const auto* forward = std::get_if<Forward>(&decision);
  if (!forward) return 0;

  const auto& request = forward->request;
  claim_no_foreign_id(request.target.substr(0, request.target.find('?')));
  const auto content = request.content.value_or("");
  fuzz::claim(count(content, "\"appx.project\"") <= 1, "the label at most once");
  const auto again = world.decide(request.method, request.target, content);
  const auto* same = std::get_if<Forward>(&again);
  fuzz::claim(same || std::holds_alternative<Reply>(again), "what goes upstream is accepted again");
  if (!same) return 0;
  fuzz::claim(same->request.content.value_or("") == content, "the content is a fixpoint");
  fuzz::claim(same->request.target == request.target, "the target is a fixpoint");
  return 0;
}
