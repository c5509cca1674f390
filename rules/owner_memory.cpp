#include "rules/owner_memory.hpp"

namespace podfence::rules {

void OwnerMemory::remember(Kind kind, std::string_view id, std::string_view project) {
  const auto [place, added] = owners_.try_emplace(Key(kind, id));
  place->second.project = project;
  if (!added) return;
  order_.push_back(place->first);
  if (order_.size() <= capacity_) return;
  owners_.erase(order_.front());
  order_.pop_front();
}

const std::string* OwnerMemory::owner(Kind kind, std::string_view id) const {
  const auto place = owners_.find(Key(kind, id));
  ++(place == owners_.end() ? misses_ : hits_);
  return place == owners_.end() ? nullptr : &place->second.project;
}

void OwnerMemory::note_infra(std::string_view container, bool is_infra) {
  if (const auto place = owners_.find(Key(Kind::Container, container)); place != owners_.end())
    place->second.is_infra = is_infra;
}

std::optional<bool> OwnerMemory::is_infra(std::string_view container) const {
  const auto place = owners_.find(Key(Kind::Container, container));
  return place == owners_.end() ? std::nullopt : place->second.is_infra;
}

}  // namespace podfence::rules
