#pragma once
// A table as a tree, to go along it with a value.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/body/table.hpp"

namespace podfence::rules {

struct Node {
  std::string name = {};
  const Row* row = nullptr;
  std::vector<Node> members = {};
  std::unique_ptr<Node> item = nullptr;   ///< `[]`
  std::unique_ptr<Node> entry = nullptr;  ///< `{}`
  std::optional<json::Value> usual = {};  ///< the row's default, or what it is forced to be

  bool is_leaf() const { return members.empty() && !item && !entry; }
  /// By the client's spelling of its name; nullptr: it has no row.
  const Node* member(std::string_view spelling) const;
  /// When it has all of its members.
  void index_members();

 private:
  std::vector<const Node*> places_ = {};  ///< of members, by their names; nullptr: free. A power of two of them.
};

/// Compiled once.
const Node& tree_of(const Table& table);

}  // namespace podfence::rules
