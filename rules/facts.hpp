#pragma once
// What is known while one request is judged. Rules read facts and never wait: an unknown one is noted as a question,
// the caller learns the answer and asks for the decision again (decide.hpp).

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/decision.hpp"
#include "rules/engine_version.hpp"
#include "rules/json.hpp"
#include "rules/owner_memory.hpp"
#include "rules/project.hpp"
#include "rules/usage.hpp"

namespace podfence::rules {

/// The record of who holds what cannot carry a trustworthy label (design: ledger). Look-ups are immediate.
class Ledger {
 public:
  virtual ~Ledger() = default;
  virtual bool holds_image(std::string_view project, std::string_view image_id) const = 0;
  /// Does any other project hold it?
  virtual bool held_by_others(std::string_view project, std::string_view image_id) const = 0;
  virtual bool owns_tag(std::string_view project, std::string_view tag) const = 0;
  virtual bool tag_owned_by_others(std::string_view project, std::string_view tag) const = 0;
  /// Did any other project give that name itself? (Claim::Change::MakeTag)
  virtual bool tag_made_by_others(std::string_view project, std::string_view tag) const = 0;
  virtual bool holds_secret(std::string_view project, std::string_view id) const = 0;
  /// Their ids.
  virtual std::vector<std::string> secrets(std::string_view project) const = 0;
  /// What keeps the project's layer cache apart from everybody's: 32 hexadecimal digits that others do not know.
  virtual std::string cache_key(std::string_view project) const = 0;
  /// How many images it holds.
  virtual std::int64_t images(std::string_view project) const = 0;
};

struct Fact {
  Ownership ownership = Ownership::Missing;
  std::string id;        ///< full id; of a volume its exact name
  json::Value document;  ///< the libpod inspect answer, or the list; null when taken from memory
};

class Facts {
 public:
  Facts(const Project& project, const Ledger& ledger, OwnerMemory& memory, Usage& usage)
      : project_(project), ledger_(ledger), memory_(memory), usage_(usage) {}

  /// By a client's word, or a name of upstream's that is the project's own (names.hpp).
  /// nullptr: not known yet, and noted as a question. Full ids that memory knows as ours need no question unless the
  /// document is wanted.
  const Fact* find(Kind kind, std::string_view name, bool want_document = false);
  /// What upstream calls exactly so, whosever it is: names that the operator gave, or a control plane.
  const Fact* find_upstream(Kind kind, std::string_view name);
  /// Own objects of that kind (images: all that upstream has, to be reduced by visible_*), in libpod's list form.
  /// `filters` is canonical JSON for upstream, "" for just our label. nullptr: noted as a question.
  const json::Array* list(Kind kind, std::string_view filters = "");
  /// The same without filters, to be counted. nullptr: noted as a question.
  const json::Array* count(Kind kind);
  /// Names of the volumes that own containers mount: what anonymous ones are recognised by. nullptr: noted as a
  /// question.
  const json::Array* mounted_volumes();
  /// Is the own container with that full id the infra container of a pod? nullopt: noted as a question.
  std::optional<bool> is_infra(const std::string& id);
  /// The engine's. nullopt: noted as a question. Asked by who needs it, every time: the engine may be another one by
  /// then.
  std::optional<EngineVersion> engine_version();
  /// Did an own container mount this anonymous volume once? Those carry no label; a random name is never used twice.
  bool is_remembered_volume(std::string_view name) const;
  /// Has the image been fetched for this request already?
  bool was_fetched(const std::string& reference) const { return fetched_.contains(reference); }
  void note_fetched(std::string reference) { fetched_.insert(std::move(reference)); }
  /// Have the words of the image with that full id been let through for this request already? One request may name it
  /// many times.
  bool has_judged_words(const std::string& image_id) const { return judged_words_.contains(image_id); }
  void note_judged_words(std::string image_id) { judged_words_.insert(std::move(image_id)); }

  /// Asked again when it is needed again: a name may have been given to another object, a list may be older than its
  /// items.
  void forget(const Question& question) { known_.erase(question); }

  /// Full ids (of volumes: names) of everything that was resolved as own or shared.
  std::vector<std::string> resolved_ids() const;

  /// All that was found out, by what was asked.
  const std::map<Question, Fact>& known() const { return known_; }

  bool complete() const { return open_.empty(); }
  std::size_t open() const { return open_.size(); }
  std::vector<Question> take_open() {
    const auto questions = std::exchange(open_, {});
    return {questions.begin(), questions.end()};
  }

  /// What to ask upstream for a question.
  UpstreamRequest request_for(const Question& question) const;
  /// Takes the answer. False: it cannot be understood; the exchange must fail with 502.
  bool learn(const Question& question, int status, std::string_view content, const Fields& fields = {});

  const Project& project() const { return project_; }
  const Ledger& ledger() const { return ledger_; }
  OwnerMemory& memory() { return memory_; }
  Usage& usage() { return usage_; }

 private:
  const Project& project_;
  const Ledger& ledger_;
  OwnerMemory& memory_;
  Usage& usage_;
  const Fact* ask(const Question& question);
  const Fact* find_named(Kind kind, std::string_view word, bool want_document);
  const Fact* find_exactly(Kind kind, std::string_view name, bool want_document);
  const Fact* find_image(std::string_view name);
  const Fact* find_exec(std::string_view id);
  const Fact* find_manifest(std::string_view name);
  const Fact* find_volume(std::string_view name);
  bool learn_document(const Question& question, json::Value document, Fact& fact);
  bool learn_object(const Question& question, json::Value document, Fact& fact);
  bool learn_list(const Question& question, json::Value document, Fact& fact);
  bool learn_mounts(const json::Value& containers, Fact& fact);
  void remember_volume(std::string_view name);

  std::map<Question, Fact> known_;
  std::set<Question> open_;
  std::set<std::string> fetched_;
  std::set<std::string> judged_words_;  ///< of documents that are known
};

/// The network that Podman gives to containers that name none: everybody shares it, nobody may change it. The id is
/// fixed, whatever its name (c/common: defaultNetwork).
inline constexpr std::string_view default_network_id =
    "2f259bab93aaaaa2542ba43ef33eb990d0999ee1b9924b557b7be53c0b7a1bb9";

/// Can an object of that kind have the name, or an id that is written so? Podman is not asked about others.
bool can_be_called(Kind kind, std::string_view name);
/// Can the name in the question come to mean something else between an answer and what is done about it?
bool may_change_hands(const Question& question);
/// The project that an object's label names, "" for none.
std::string_view labelled_project(const Project& project, const json::Value& object);

/// Ownership by label of an object's JSON, either family, list item or inspect answer.
Ownership owner_of(const Project& project, const json::Value& object);

}  // namespace podfence::rules
