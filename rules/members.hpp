#pragma once
// An object of many members in the making, in the order in which they are first named: json::Value looks for a name
// through all that it has.

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "rules/json.hpp"

namespace podfence::rules {

class Members {
 public:
  /// Null where there was none. Valid until the next one is made.
  json::Value& operator[](const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, members_.size());
    if (is_new) members_.push_back({name, {}});
    return members_[place->second].value;
  }
  bool empty() const { return members_.empty(); }
  json::Value take() && { return std::move(members_); }

 private:
  json::Object members_;
  std::map<std::string, std::size_t> places_;  ///< in members_
};

}  // namespace podfence::rules
