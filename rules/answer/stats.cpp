// Statistics: libpod's lines for many containers, the one array for pods, and the lines of one container.

#include <algorithm>
#include <set>

#include "rules/answer/line_rule.hpp"

namespace podfence::rules::answer {

namespace {

class StatsRule final : public LineRule {
 public:
  explicit StatsRule(Exchange& exchange) : exchange_(exchange) {}

  bool keep(json::Value& line) override {
    if (auto* pods = line.items()) {
      std::erase_if(*pods, [&](const json::Value& row) { return !is_of_own_pod(row); });
      return true;
    }
    auto* stats = line.find("Stats");
    if (!stats) return false;
    if (stats->is_null()) return true;
    if (!stats->items()) return false;
    ask_again_for_new(*stats->items());
    std::erase_if(*stats->items(), [&](const json::Value& row) { return !is_own(row.text("ContainerID")); });
    return true;
  }

 private:
  bool is_own(std::string_view id) const {
    const auto* owner = exchange_.facts.memory().owner(Kind::Container, id);
    return owner && *owner == exchange_.project.id;
  }

  /// One look at the list of own containers for each line with ids that were not seen before.
  void ask_again_for_new(const json::Array& rows) {
    const auto is_new = [&](const json::Value& row) {
      return !is_own(row.text("ContainerID")) && !foreign_.contains(row.text("ContainerID"));
    };
    if (std::ranges::none_of(rows, is_new)) return;
    if (!asking_) exchange_.facts.forget({Question::Ask::List, Kind::Container, ""});
    asking_ = !exchange_.facts.list(Kind::Container);  // whatever is in it is remembered as own
    if (asking_) return;
    for (const auto& row : rows)
      if (is_new(row)) foreign_.emplace(row.text("ContainerID"));
  }

  /// Pod and container are cut to twelve digits here (abi/pods_stats.go).
  bool is_of_own_pod(const json::Value& row) const {
    const auto* pods = exchange_.facts.list(Kind::Pod);
    const auto id = row.text("Pod");
    return pods && !id.empty() &&
           std::ranges::any_of(*pods, [&](const json::Value& pod) { return pod.text("Id").starts_with(id); });
  }

  Exchange& exchange_;
  std::set<std::string, std::less<>> foreign_;
  bool asking_ = false;
};

/// It was resolved as an own one.
class ContainerStatsRule final : public LineRule {
 public:
  bool keep(json::Value& line) override { return line.members() != nullptr; }
};

}  // namespace

std::unique_ptr<LineRule> make_container_stats_rule() { return std::make_unique<ContainerStatsRule>(); }

std::unique_ptr<LineRule> make_stats_rule(Exchange& exchange) { return std::make_unique<StatsRule>(exchange); }

}  // namespace podfence::rules::answer
