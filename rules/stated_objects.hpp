#pragma once
// A small world that somebody writes down, so that a request can be explained without an engine: a file of JSON with
// comments (docs/explain.md). Answers the rules' questions as Podman would; what it does not name does not exist.

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/configuration.hpp"
#include "rules/decision.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

class StatedObjects {
 public:
  /// Nothing but the network that every engine has.
  StatedObjects();

  /// `file` is for the errors. The label says whose an object is: Project::label_key.
  static std::variant<StatedObjects, ConfigurationError> read(std::string file, std::string_view text,
                                                              std::string_view label_key);

  struct Answer {
    int status;
    std::string content;
  };
  /// Lists hold every object of the kind: filters are not applied.
  Answer answer(const Question& question) const;

  /// What the ledger would hold.
  struct Holding {
    std::string project;
    Claim claim;
  };
  const std::vector<Holding>& holdings() const { return holdings_; }

 private:
  struct Object {
    std::string name;
    std::string id;
    json::Value document;
  };

  void add(Kind kind, const json::Value& stated, std::string_view label_key);
  void add_image(const json::Value& stated);
  void add_secret(const json::Value& stated);
  void add_exec(const json::Value& stated);
  void hold(const json::Value& projects, Claim::Change change, const std::string& what);
  const Object* find(Kind kind, std::string_view name) const;

  std::map<Kind, std::vector<Object>> objects_;
  std::vector<Holding> holdings_;
};

}  // namespace podfence::rules
