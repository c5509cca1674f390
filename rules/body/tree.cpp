#include "rules/body/tree.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "rules/ascii.hpp"

namespace podfence::rules {

namespace {

Node& member_of(Node& node, std::string_view name) {
  const auto found = std::ranges::find(node.members, name, &Node::name);
  if (found != node.members.end()) return *found;
  node.members.emplace_back().name = name;
  return node.members.back();
}

Node& child_of(std::unique_ptr<Node>& child) {
  if (!child) child = std::make_unique<Node>();
  return *child;
}

Node& node_at(Node& root, std::string_view path) {
  Node* node = &root;
  while (!path.empty()) {
    const std::string_view step = take_step(path);
    node = step == "[]" ? &child_of(node->item) : step == "{}" ? &child_of(node->entry) : &member_of(*node, step);
  }
  return *node;
}

std::optional<json::Value> usual_value(const Rule& rule) {
  const auto text = rule.kind == Rule::Kind::Forced ? rule.value : rule.default_text;
  return text.empty() ? std::nullopt : std::optional(std::get<json::Value>(json::parse(text)));
}

void finish(Node& node) {
  if (node.row) node.usual = usual_value(node.row->rule);
  node.index_members();
  for (auto& member : node.members) finish(member);
  for (const auto& child : {&node.item, &node.entry})
    if (*child) finish(**child);
}

Node compile(const Table& table) {
  Node root;
  for (const Part& part : table.parts)
    for (const Row& row : part.rows) node_at(root, std::string(part.prefix).append(row.path)).row = &row;
  finish(root);
  return root;
}

/// Where the search for that name begins, in whatever case it is written.
std::size_t first_place(std::string_view name) {
  if (name.empty()) return 0;
  const auto folded = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(name[at] | 0x20)}; };
  return 31 * (31 * (31 * name.size() + folded(0)) + folded(name.size() / 2)) + folded(name.size() - 1);
}

}  // namespace

/// Go also folds characters outside ASCII to letters (U+017F, U+212A); such names have no row.
const Node* Node::member(std::string_view spelling) const {
  const Node* other_case = nullptr;
  for (auto place = first_place(spelling);; ++place) {
    const Node* candidate = places_[place & (places_.size() - 1)];
    if (!candidate) return other_case;
    if (candidate->name == spelling) return candidate;
    if (!other_case && ascii::equal_caseless(candidate->name, spelling)) other_case = candidate;
  }
}

void Node::index_members() {
  places_.assign(std::bit_ceil(2 * members.size() + 1), nullptr);
  for (const auto& member : members) {
    auto place = first_place(member.name);
    while (places_[place & (places_.size() - 1)]) ++place;
    places_[place & (places_.size() - 1)] = &member;
  }
}

const Node& tree_of(const Table& table) {
  static const auto trees = [] {
    std::map<Body, Node> all;
    for (const Table& each : tables()) all.emplace(each.body, compile(each));
    return all;
  }();
  return trees.at(table.body);
}

}  // namespace podfence::rules
