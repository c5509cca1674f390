#pragma once
// What is done to each line of an answer that comes as JSON lines; LineJudge (answer.hpp) drives one of these.

#include <memory>
#include <vector>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"
#include "rules/json_parts.hpp"

namespace podfence::rules::answer {

class LineRule {
 public:
  virtual ~LineRule() = default;
  /// False drops the line. With facts missing the result is thrown away, and the same line comes again.
  virtual bool keep(json::Value& line) = 0;
  /// Can be told of its text that keep() would drop it? Most lines of a stream may be somebody else's.
  virtual bool drops(std::string_view) const { return false; }
  /// What is asked about in a line; nullptr: all of it.
  virtual const json::Parts* parts() const { return nullptr; }
  /// Behind the last line. May be called again, when facts were missing.
  virtual std::vector<Claim> claims() { return {}; }
  /// Behind claims(): is something gone that the lines have told of? Somebody else's removal can come between.
  virtual bool lost() const { return false; }
  /// Lines of our own behind the last one.
  virtual std::vector<json::Value> last_lines() { return {}; }
};

std::unique_ptr<LineRule> make_event_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_stats_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_container_stats_rule();
std::unique_ptr<LineRule> make_pull_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_build_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_push_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_made_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_manifest_rule(Exchange& exchange);
std::unique_ptr<LineRule> make_made_secret_rule(Exchange& exchange);

}  // namespace podfence::rules::answer
