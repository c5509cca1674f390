#include "fuzz/json_mutator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#include "fuzz/fuzz.hpp"
#include "fuzz/words.hpp"
#include "rules/ascii.hpp"
#include "rules/json.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace podfence::fuzz {

namespace {

using rules::json::Array;
using rules::json::Member;
using rules::json::Number;
using rules::json::Object;
using rules::json::Value;

constexpr std::size_t most_nodes = 4096;

class Mutation {
 public:
  Mutation(Value& root, unsigned seed) : random_(seed) { collect(root); }

  void once() {
    static constexpr std::array steps{&Mutation::insert_member, &Mutation::insert_member, &Mutation::replace,
                                      &Mutation::replace,       &Mutation::copy_value,    &Mutation::rename,
                                      &Mutation::duplicate,     &Mutation::nest,          &Mutation::unnest,
                                      &Mutation::retype,        &Mutation::erase,         &Mutation::edit_text};
    (this->*steps[below(steps.size())])();
  }

  /// Puts a part of another input in place of one of this.
  void splice(Value& other) {
    const auto own = std::exchange(nodes_, {});
    collect(other);
    *own[below(own.size())] = Value(*any());
  }

 private:
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  template <typename List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }
  Value* any() { return one_of(nodes_); }

  void collect(Value& value) {
    if (nodes_.size() >= most_nodes) return;
    nodes_.push_back(&value);
    if (auto* items = value.items())
      for (auto& item : *items) collect(item);
    if (auto* members = value.members())
      for (auto& member : *members) collect(member.value);
  }

  template <typename Test>
  Value* any_that(Test holds) {
    std::vector<Value*> fitting;
    std::ranges::copy_if(nodes_, std::back_inserter(fitting), [&](Value* value) { return holds(*value); });
    return fitting.empty() ? nullptr : one_of(fitting);
  }
  Value* any_object() {
    return any_that([](const Value& value) { return value.members() != nullptr; });
  }
  Value* any_full_object() {
    return any_that([](const Value& value) { return value.members() && !value.members()->empty(); });
  }

  Value scalar() {
    switch (below(6)) {
      case 0:
        return Number{std::string(one_of(telling_numbers()))};
      case 1:
        return below(2) == 0;
      case 2:
        return Value();
      default:
        return std::string(one_of(telling_texts()));
    }
  }

  Value value() {
    switch (below(6)) {
      case 0:
        return Array{scalar()};
      case 1:
        return Object{{name(), scalar()}};
      case 2:
        return Array{Object{{name(), scalar()}, {name(), scalar()}}};
      default:
        return scalar();
    }
  }

  std::string name() { return below(8) == 0 ? std::string(one_of(telling_texts())) : one_of(known_names()); }

  void insert_member() {
    auto* object = any_object();
    if (!object) return replace();
    auto& members = *object->members();
    members.insert(members.begin() + static_cast<std::ptrdiff_t>(below(members.size() + 1)), Member{name(), value()});
  }

  void replace() { *any() = value(); }

  void copy_value() {
    Value first = *any();  // of the two one may lie within the other
    *any() = std::move(first);
  }

  /// Another spelling: of ASCII case, or a character that Go folds to a letter.
  std::string respelled(std::string text) {
    if (text.empty()) return text;
    char& c = text[below(text.size())];
    if (below(4) == 0 && (c == 'k' || c == 'K' || c == 's' || c == 'S')) {
      const auto at = static_cast<std::size_t>(&c - text.data());
      return text.replace(at, 1, rules::ascii::lower(c) == 'k' ? "\xE2\x84\xAA" : "\xC5\xBF");
    }
    if (below(3) == 0) return rules::ascii::lower(text);
    if (rules::ascii::is_upper(c))
      c = rules::ascii::lower(c);
    else if (rules::ascii::is_lower(c))
      c = static_cast<char>(c - 'a' + 'A');
    return text;
  }

  void rename() {
    auto* object = any_full_object();
    if (!object) return;
    auto& member = (*object->members())[below(object->members()->size())];
    member.name = below(2) == 0 ? respelled(member.name) : name();
  }

  void duplicate() {
    if (auto* list = any_that([](const Value& value) { return value.items() && !value.items()->empty(); });
        list && below(3) == 0) {
      list->push(Value(one_of(*list->items())));
      return;
    }
    auto* object = any_full_object();
    if (!object) return;
    Member copy = one_of(*object->members());
    if (below(2) == 0) copy.name = respelled(copy.name);
    if (below(2) == 0) copy.value = value();
    object->members()->push_back(std::move(copy));
  }

  void nest() {
    auto& place = *any();
    Value inner = std::move(place);
    place = below(2) == 0 ? Value(Array{std::move(inner)}) : Value(Object{{name(), std::move(inner)}});
  }

  void unnest() {
    auto& place = *any();
    Value inner;
    if (place.items() && !place.items()->empty()) inner = one_of(*place.items());
    if (place.members() && !place.members()->empty()) inner = one_of(*place.members()).value;
    place = std::move(inner);
  }

  /// The same said in another type.
  void retype() {
    auto& place = *any();
    if (const auto* text = place.string())
      place = below(2) == 0 ? Value(Array{*text}) : Value(Object{{*text, Value::object()}});
    else if (const auto* number = place.number())
      place = number->text;
    else if (const auto* boolean = place.boolean())
      place = below(2) == 0 ? Value(*boolean ? "true" : "false") : Value::integer(*boolean);
    else if (place.items())
      place = Value::object();
    else
      place = Value::array();
  }

  void erase() {
    auto* holder = any_that([](const Value& value) {
      return (value.items() && !value.items()->empty()) || (value.members() && !value.members()->empty());
    });
    if (!holder) return;
    const auto erase_one = [&](auto& list) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(below(list.size())));
    };
    if (holder->items())
      erase_one(*holder->items());
    else
      erase_one(*holder->members());
  }

  /// By bytes, with the dictionary and what the comparisons in the program told.
  void edit_text() {
    auto* place = any_that([](const Value& value) { return value.string() != nullptr; });
    if (!place) return replace();
    constexpr std::size_t room = 64;
    auto& text = *place->string();
    const auto size = text.size();
    text.resize(size + room);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, size + room));
  }

  std::minstd_rand random_;
  std::vector<Value*> nodes_;
};

std::optional<Value> read(std::string_view text) {
  auto parsed = rules::json::parse(text, rules::json::answer_limits);  // which lets repeated names through
  if (auto* value = std::get_if<Value>(&parsed)) return std::move(*value);
  return std::nullopt;
}

/// The size of the new input; 0 when it does not fit.
std::size_t put(std::string_view prefix, const Value& value, std::uint8_t* data, std::size_t most) {
  const auto text = rules::json::write(value);
  if (prefix.size() + text.size() > most) return 0;
  std::memmove(data, prefix.data(), prefix.size());
  std::memcpy(data + prefix.size(), text.data(), text.size());
  return prefix.size() + text.size();
}

}  // namespace

}  // namespace podfence::fuzz

using namespace podfence::fuzz;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  const auto input = text_of(data, size);
  const auto begin = json_begins(input);
  constexpr unsigned by_bytes = 8;  // one in so many
  if (seed % by_bytes == 0 || begin == std::string_view::npos) return LLVMFuzzerMutate(data, size, most);
  auto value = read(input.substr(begin));
  if (!value) return LLVMFuzzerMutate(data, size, most);
  const unsigned steps = 1 + seed / by_bytes % 3;
  for (unsigned step = 0; step < steps; ++step) Mutation(*value, seed + step).once();
  const std::string prefix(input.substr(0, begin));
  const auto written = put(prefix, *value, data, most);
  return written > 0 ? written : LLVMFuzzerMutate(data, size, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data, std::size_t size, const std::uint8_t* other,
                                                 std::size_t other_size, std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  const auto input = text_of(data, size), second = text_of(other, other_size);
  const auto begin = json_begins(input), other_begin = json_begins(second);
  if (begin == std::string_view::npos || other_begin == std::string_view::npos) return 0;
  auto value = read(input.substr(begin));
  auto part = read(second.substr(other_begin));
  if (!value || !part) return 0;
  Mutation(*value, seed).splice(*part);
  return put(input.substr(0, begin), *value, out, most);
}
