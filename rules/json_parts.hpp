#pragma once
// A JSON text of which only some members are asked about: those are read, and the runs of others between them are kept
// as the text that they are.

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "rules/json.hpp"

namespace podfence::rules::json {

/// Names of members, wherever they stand.
class Parts {
 public:
  enum class Reads { Nothing, Through, Whole };

  /// `whole`: all below them is read; `through`: what is named here is read of it.
  Parts(const std::vector<std::string_view>& whole, const std::vector<std::string_view>& through) {
    for (const auto name : whole) parts_.push_back({name, Reads::Whole});
    for (const auto name : through) parts_.push_back({name, Reads::Through});
    std::ranges::stable_sort(parts_, {}, [](const Part& part) { return mark(part.name); });
    for (const auto& part : parts_) ++ends_[mark(part.name)];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  }

  Reads reads(std::string_view name) const {
    const auto place = mark(name);
    for (std::size_t at = place == 0 ? 0 : ends_[place - 1]; at < ends_[place]; ++at)
      if (parts_[at].name == name) return parts_[at].reads;
    return Reads::Nothing;
  }

 private:
  /// Most names share theirs with none that is asked about.
  static std::size_t mark(std::string_view name) {
    if (name.empty()) return 0;
    return (name.size() + 5u * static_cast<unsigned char>(name.front()) +
            11u * static_cast<unsigned char>(name.back())) %
           256;
  }

  struct Part {
    std::string_view name;
    Reads reads;
  };
  std::vector<Part> parts_;                ///< by their marks
  std::array<std::uint16_t, 256> ends_{};  ///< of those with each mark
};

/// Of an answer of upstream's (answer_limits). The whole text is checked to be JSON. A run of members that are not
/// asked about stands in its object as one member without a name, whose value is a Run of `text`; `write` writes it as
/// it is. Refuses a name that is asked about and stands twice in one object. `also`: one more name to be read whole.
std::variant<Value, Error> parse_parts(std::string_view text, const Parts& parts, std::string_view also);

}  // namespace podfence::rules::json
