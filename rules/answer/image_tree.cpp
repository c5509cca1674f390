// libpod's tree of an image: a text for people, in which every layer has in brackets the names of all images that end
// with it, whosever they are (libimage: Image.Tree).

#include "rules/answer/rewrite.hpp"
#include "rules/image_name.hpp"

namespace podfence::rules::answer {

namespace {

std::string visible_part(const Exchange& exchange, std::string_view names) {
  std::string visible;
  while (!names.empty()) {
    const auto name = names.substr(0, names.find(' '));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (!visible_name(exchange.project, exchange.facts.ledger(), name)) continue;
    visible.append(visible.empty() ? "" : " ").append(name);
  }
  return visible;
}

}  // namespace

bool rewrite_image_tree(Exchange& exchange, json::Value& document) {
  auto* tree = document.find("Tree");
  if (!tree || !tree->string()) return false;
  std::string shown;
  std::string_view text = *tree->string();
  while (!text.empty()) {
    const auto open = text.find('[');
    shown.append(text.substr(0, open));
    if (open == std::string_view::npos) break;
    const auto close = text.find(']', open);
    if (close == std::string_view::npos) return false;
    shown.append("[").append(visible_part(exchange, text.substr(open + 1, close - open - 1))).append("]");
    text.remove_prefix(close + 1);
  }
  *tree = std::move(shown);
  return true;
}

}  // namespace podfence::rules::answer
