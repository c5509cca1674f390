#include "rules/json_path.hpp"

#include <algorithm>

namespace podfence::rules::json {

namespace {

std::string_view take_step(std::string_view& path) {
  const auto dot = std::min(path.find('.'), path.size());
  const auto step = path.substr(0, dot);
  path.remove_prefix(std::min(dot + 1, path.size()));
  return step;
}

}  // namespace

const Value* at(const Value& root, std::string_view path) {
  const Value* value = &root;
  while (value && !path.empty()) value = value->find(take_step(path));
  return value;
}

const Value& part(const Value& root, std::string_view path) {
  static const Value nothing = Value::object();
  const Value* value = at(root, path);
  return value ? *value : nothing;
}

Value& make(Value& root, std::string_view path) {
  Value* value = &root;
  while (!path.empty()) {
    const auto step = take_step(path);
    if (!value->find(step)) value->set(step, Value());
    value = value->find(step);
  }
  return *value;
}

}  // namespace podfence::rules::json
