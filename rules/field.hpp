#pragma once
// A header field, in the sense of RFC 9110 section 5. Names compare without regard to ASCII case.

#include <string>
#include <string_view>
#include <vector>

namespace podfence::rules {

struct Field {
  std::string name;
  std::string value;
};
using Fields = std::vector<Field>;

/// The value of the first field of that name, or nullptr.
const std::string* find(const Fields& fields, std::string_view name);

}  // namespace podfence::rules
