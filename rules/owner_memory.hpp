#pragma once
// Whose an object with an immutable id is or was: ids are never used twice and labels of an id never change.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rules/kind.hpp"

namespace podfence::rules {

/// Bounded; the oldest is forgotten first, and what is forgotten is asked again.
class OwnerMemory {
 public:
  explicit OwnerMemory(std::size_t capacity = 65536) : capacity_(capacity) {}
  void remember(Kind kind, std::string_view id, std::string_view project);
  /// The project, "" for "no project's", or nullptr when unknown.
  const std::string* owner(Kind kind, std::string_view id) const;

  /// Of a container that is remembered: is it the infra container of a pod? It is so for ever, or never.
  void note_infra(std::string_view container, bool is_infra);
  /// nullopt: not known.
  std::optional<bool> is_infra(std::string_view container) const;

  std::size_t size() const { return owners_.size(); }
  /// How often owner() knew, and did not.
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  using Key = std::pair<Kind, std::string>;
  struct Known {
    std::string project;
    std::optional<bool> is_infra;
  };
  std::size_t capacity_;
  std::map<Key, Known> owners_;
  std::deque<Key> order_;
  mutable std::uint64_t hits_ = 0;
  mutable std::uint64_t misses_ = 0;
};

}  // namespace podfence::rules
