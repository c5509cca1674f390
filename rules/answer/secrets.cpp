// Secrets: lists of own ones, and the record of what was made.

#include <algorithm>

#include "rules/answer/line_rule.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/name_patterns.hpp"
#include "rules/secret.hpp"

namespace podfence::rules::answer {

bool rewrite_secrets(Exchange& exchange, json::Value& document) {
  if (document.is_null()) document = json::Value::array();
  if (!document.items()) return false;
  std::erase_if(*document.items(), [&](const json::Value& secret) {
    return !exchange.facts.ledger().holds_secret(exchange.project.id, secret.text("ID"));
  });
  keep_wanted_names(exchange, *document.items());
  return true;
}

namespace {

/// Only what the answer says was made: the name alone could be somebody else's by now.
class MadeSecretRule final : public LineRule {
 public:
  explicit MadeSecretRule(Exchange& exchange) : exchange_(exchange) {}

  bool keep(json::Value& line) override {
    id_ = line.text("ID");
    return !id_.empty();
  }

  std::vector<Claim> claims() override {
    if (id_.empty()) return {};
    std::vector<Claim> claims;
    for (const auto& [question, fact] : exchange_.facts.known())
      if (is_replaced(question, fact)) claims.push_back({Claim::Change::DropSecret, fact.id});
    claims.push_back({Claim::Change::HoldSecret, id_});
    return claims;
  }

 private:
  bool is_replaced(const Question& question, const Fact& fact) const {
    return question.ask == Question::Ask::Object && question.kind == Kind::Secret && fact.ownership == Ownership::Own &&
           secret_name(fact.document) == question.name && fact.id != id_;
  }

  Exchange& exchange_;
  std::string id_;
};

}  // namespace

std::unique_ptr<LineRule> make_made_secret_rule(Exchange& exchange) {
  return std::make_unique<MadeSecretRule>(exchange);
}

}  // namespace podfence::rules::answer
