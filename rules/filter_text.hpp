#pragma once
// The value of Podman's `filters` parameter: read in both of its encodings, written in the one it came in.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/decision.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

struct Filter {
  std::string name;
  std::vector<std::string> values;
};

/// {"label":["a=b"]} or {"label":{"a=b":true}}.
enum class Encoding { Lists, Maps };

struct Filters {
  Encoding encoding = Encoding::Lists;
  std::vector<Filter> filters;

  /// Of the filter of that name; nullptr where there is none.
  std::vector<std::string>* values_of(std::string_view name);
};

std::variant<Filters, Deny> read_filters(std::string_view text);
std::string write_filters(const Filters& filters);

/// The project's label, joined to the label filters that are there.
void add_own_label(Filters& filters, const Project& project);

}  // namespace podfence::rules
