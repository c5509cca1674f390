#pragma once
// Requests made up from requests: what clients say in other words, with other values, and with something in it that two
// readers might read in two ways. The same seed gives the same requests everywhere.

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "rules/endpoint.hpp"
#include "rules/json.hpp"
#include "rules/query_table.hpp"

namespace podfence::differential {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(engine_() % end); }
  bool one_in(std::size_t times) { return below(times) == 0; }
  template <class Items>
  const auto& pick(const Items& items) {
    return *(std::begin(items) + static_cast<std::ptrdiff_t>(below(std::size(items))));
  }

 private:
  std::mt19937_64 engine_;  // the standard says what it gives, and does not say so of distributions
};

class Generator {
 public:
  /// Whole raw requests to begin with, and names of things that the project owns.
  Generator(const std::vector<std::string>& requests, std::vector<std::string> names, std::uint64_t seed);

  /// A raw request.
  std::string next();

 private:
  struct Seed {
    std::string method;
    std::string path;
    std::vector<rules::QueryPair> query;
    const rules::Endpoint* endpoint;  ///< never nullptr
    std::string content;
  };

  Seed from_row();
  std::string value_of(const rules::Parameter& parameter);
  std::string text();
  rules::json::Value json_of(rules::Body body);
  rules::json::Value leaf();

  void change_query(Seed& request);
  void change_content(Seed& request);
  void change(rules::json::Value& value, rules::Body body);
  std::string respelled(std::string_view name);
  std::string loosely_encoded(std::string_view text);
  std::string loosely_written(const rules::json::Value& value);
  std::string loosely_quoted(std::string_view text);
  std::string written(const Seed& request);
  std::string fields();

  std::vector<Seed> seeds_;
  std::vector<std::string> names_;
  Random random_;
};

}  // namespace podfence::differential
