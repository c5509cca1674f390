#include <optional>

#include "fuzz/fuzz.hpp"
#include "rules/method.hpp"
#include "tests/rules/world.hpp"

using namespace podfence;
using namespace podfence::tests;

namespace {

World two_projects() {
  World world;
  world.add(Kind::Container, "web", id('a'), "p1");
  world.add(Kind::Container, "web10", id('b'), "p10");
  world.add(Kind::Pod, "pod", id('c'), "p1");
  world.add(Kind::Pod, "pod10", id('d'), "p10");
  world.add(Kind::Network, "net", id('e'), "p1");
  world.add(Kind::Network, "net10", id('f'), "p10");
  world.volume("data", "p1");
  world.volume("data10", "p10");
  world.image(id('1'), {"localhost/shared/base:latest"});
  world.image(id('2'), {"docker.io/library/mine:1"});
  world.image(id('3'), {"docker.io/library/theirs:1"});
  world.exec(id('7'), id('a'));
  world.exec(id('8'), id('b'));
  world.ledger.holds = {{"p1", id('2')}, {"p10", id('3')}};
  world.ledger.tags = {{"p1", "docker.io/library/mine:1"}, {"p10", "docker.io/library/theirs:1"}};
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
  auto world = two_projects();
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
