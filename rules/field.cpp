#include "rules/field.hpp"

#include "rules/ascii.hpp"

namespace podfence::rules {

const std::string* find(const Fields& fields, std::string_view name) {
  for (const Field& field : fields)
    if (ascii::equal_caseless(field.name, name)) return &field.value;
  return nullptr;
}

}  // namespace podfence::rules
