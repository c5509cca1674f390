#pragma once
// A small world of two projects, p1 who asks and p10, and the policies under which p1 may be judged in it. Everything
// is made once; a decision begins with nothing known.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "rules/answer.hpp"
#include "rules/decide.hpp"
#include "rules/stated_objects.hpp"
#include "tests/rules/world.hpp"

namespace podfence::fuzz {

/// What a client may be judged by. A digit of the input chooses.
struct Setting {
  const char* name;
  std::string engine;  ///< version of Podman
  rules::Project project;
};
const std::vector<Setting>& settings();
/// '0' is the first; what is no digit of one is taken modulo.
const Setting& setting_of(char digit);

class World {
 public:
  /// `alone`: nothing of p10 exists.
  explicit World(bool alone = false);

  /// All that is known during one exchange.
  struct Knowledge {
    rules::OwnerMemory memory;
    rules::Usage usage;
    rules::Facts facts;
    Knowledge(const Setting& setting, const rules::Ledger& ledger) : facts(setting.project, ledger, memory, usage) {}
  };
  Knowledge know(const Setting& setting) const { return Knowledge(setting, ledger_); }

  /// The decision that a session would come to.
  rules::Decision decide(const Setting& setting, rules::Method method, std::string_view target,
                         std::string_view content);
  rules::Decision settle(const Setting& setting, rules::Exchange& exchange);

  /// Learns what is asked.
  void answer(const Setting& setting, rules::Facts& facts, const std::vector<rules::Question>& questions);

  const tests::FakeLedger& ledger() const { return ledger_; }

 private:
  rules::StatedObjects objects_;
  tests::FakeLedger ledger_;
  std::map<rules::Question, rules::StatedObjects::Answer> answers_;  ///< that were given once
};

/// Something of p10: an id, a name, or a tag, that must never be what a request is about.
const std::vector<std::string>& foreign_words();
/// The first of them that the text is or holds; "" for none. Names count only as whole texts, ids wherever they stand.
std::string_view foreign_in(std::string_view text);
/// Of the name of a volume, which may be called like anything else.
bool is_foreign_volume(std::string_view name);

}  // namespace podfence::fuzz
