#include "tests/differential/generate.hpp"

#include <algorithm>
#include <array>

#include "rules/ascii.hpp"
#include "rules/body/table.hpp"
#include "rules/utf8.hpp"

namespace podfence::differential {
namespace {

using namespace rules;
using json::Value;

/// What JSON, URL or HTTP decoders have been known to disagree about, and ordinary words.
constexpr std::string_view texts[] = {"",
                                      "a",
                                      "data",
                                      "web",
                                      "x=y",
                                      "a b",
                                      "a+b",
                                      "a%20b",
                                      "a&b=c",
                                      "a;b",
                                      "a#b",
                                      "a?b",
                                      "/workspace",
                                      "/workspace/x",
                                      "/tmp",
                                      "0",
                                      "1",
                                      "-1",
                                      "true",
                                      "TRUE",
                                      "false",
                                      "on",
                                      "null",
                                      "[]",
                                      "{}",
                                      "{\"a\":1}",
                                      "\"",
                                      "\\",
                                      "\\u0041",
                                      "\\/",
                                      "<>&'\"",
                                      "\t",
                                      "\n",
                                      "\r\n",
                                      "\x01",
                                      "\x7f",
                                      "\xc3\xa9",
                                      "\xe2\x80\xa8",
                                      "\xe2\x80\xa9",
                                      "\xe2\x84\xaa",
                                      "\xc5\xbf",
                                      "\xc4\xb0",
                                      "\xc4\xb1",
                                      "\xef\xbf\xbd",
                                      "\xef\xbb\xbf",
                                      "\xf0\x9f\x98\x80",
                                      "\xf4\x8f\xbf\xbf",
                                      "e\xcc\x81",
                                      "\xc2\x80",
                                      "512m",
                                      "1.5",
                                      "host",
                                      "none",
                                      "bridge",
                                      "container:web",
                                      "localhost/bb:latest",
                                      "127.0.0.1:8080",
                                      "appx.project=p1",
                                      "0000000000000000000000000000000000000000000000000000000000000000",
                                      "PATH=/bin",
                                      "no",
                                      "always"};
constexpr std::string_view numbers[] = {"0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "10",
                                        "64",
                                        "1024",
                                        "65536",
                                        "536870912",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "1e2",
                                        "1.0",
                                        "0.5"};
constexpr std::string_view names_of_maps[] = {
    "a", "A", "label", "appx.project", "x.y/z", "\xc3\xa9", "", "8080/tcp", "\xe2\x84\xaa", "k", "net"};
constexpr std::string_view signals[] = {"SIGTERM", "term", "9", "KILL"};
constexpr std::string_view filters[] = {R"({"label":["a=b"]})",           R"({"label":{"a=b":true}})",
                                        R"({"name":["web","data"]})",     R"({"status":["running"]})",
                                        R"({"label":["\u00e9=\u2028"]})", "{}",
                                        R"({"until":["10m"]})",           R"({"dangling":["true"]})"};
constexpr std::string_view other_fields[] = {"Accept: */*\r\n",
                                             "User-Agent: x\r\n",
                                             "Content-Type: application/json\r\n",
                                             "Content-Type: application/x-www-form-urlencoded\r\n",
                                             "Connection: close\r\n",
                                             "Connection: Upgrade\r\nUpgrade: tcp\r\n",
                                             "X-Registry-Auth: e30=\r\n",
                                             "X-Registry-Auth: eyJ1c2VybmFtZSI6InUiLCJwYXNzd29yZCI6InAifQ==\r\n",
                                             "Cookie: a=b\r\n",
                                             "Expect: 100-continue\r\n"};

std::span<const Row> rows_of_part(const Table& table, Random& random) { return random.pick(table.parts).rows; }

std::string chunked(std::string_view content, std::size_t piece) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  while (!content.empty()) {
    const auto taken = content.substr(0, piece);
    content.remove_prefix(taken.size());
    std::string size;
    for (auto left = taken.size(); left > 0; left /= 16) size.insert(size.begin(), digits[left % 16]);
    result.append(size).append("\r\n").append(taken).append("\r\n");
  }
  return result + "0\r\n\r\n";
}

/// Every value below, this one among them.
void collect(Value& value, std::vector<Value*>& all) {
  all.push_back(&value);
  if (auto* items = value.items())
    for (auto& item : *items) collect(item, all);
  if (auto* members = value.members())
    for (auto& member : *members) collect(member.value, all);
}

}  // namespace

Generator::Generator(const std::vector<std::string>& requests, std::vector<std::string> names, std::uint64_t seed)
    : names_(std::move(names)), random_(seed) {
  for (const std::string_view request : requests) {
    const auto line = request.substr(0, request.find("\r\n"));
    const auto space = line.find(' '), last = line.rfind(' ');
    const auto end = request.find("\r\n\r\n");
    if (space == last || end == std::string_view::npos) continue;
    const auto method = parse_method(line.substr(0, space));
    const auto text = line.substr(space + 1, last - space - 1);
    auto target = parse_target(text);
    auto* parsed = std::get_if<Target>(&target);
    if (!method || !parsed) continue;
    const auto match = route(*method, *parsed);
    if (const auto* found = std::get_if<Match>(&match))
      seeds_.push_back({std::string(rules::text(*method)), std::string(text.substr(0, text.find('?'))), parsed->query,
                        found->endpoint, std::string(request.substr(end + 4))});
  }
}

std::string Generator::text() {
  if (random_.one_in(3)) return random_.pick(names_);
  std::string result(random_.pick(texts));
  while (random_.one_in(4)) result += random_.pick(texts);
  return result;
}

/// A request that some row serves, for a thing that there is.
Generator::Seed Generator::from_row() {
  const auto all = endpoints();
  const Endpoint* row = &random_.pick(all);
  while (row->refusal) row = &random_.pick(all);
  std::string path;
  std::string_view rest = row->path;
  while (!rest.empty()) {
    const auto open = std::min(rest.find('{'), rest.size());
    path += rest.substr(0, open);
    rest.remove_prefix(open);
    if (rest.empty()) break;
    path += encode(random_.pick(names_));
    rest.remove_prefix(rest.find('}') + 1);
  }
  const std::string_view version = row->family == Family::Libpod ? random_.pick(std::array{"/v4.3.1", "/v5.4.2"})
                                                                 : random_.pick(std::array{"", "/v1.41", "/v1.24"});
  Seed seed{std::string(rules::text(row->method)), std::string(version) + path, {}, row, ""};
  const auto known = parameters_of(row->query);
  while (!known.empty() && random_.one_in(2)) {
    const auto& parameter = random_.pick(known);
    if (std::ranges::none_of(seed.query, [&](const auto& pair) { return pair.name == parameter.name; }))
      seed.query.push_back({std::string(parameter.name), value_of(parameter)});
  }
  return seed;
}

std::string Generator::value_of(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Boolean:
      return std::string(random_.pick(std::array{"true", "false", "1", "0", "t", "TRUE", "on", ""}));
    case ParameterType::Integer:
    case ParameterType::StopSeconds:
    case ParameterType::Unsigned:
      return std::string(random_.pick(numbers));
    case ParameterType::Signal:
      return std::string(random_.pick(signals));
    case ParameterType::Filters:
      return std::string(random_.pick(filters));
    default:
      return text();
  }
}

void Generator::change_query(Seed& request) {
  const auto known = parameters_of(request.endpoint->query);
  if (!known.empty() && random_.one_in(2)) {
    const auto& parameter = random_.pick(known);
    std::erase_if(request.query, [&](const auto& pair) { return ascii::equal_caseless(pair.name, parameter.name); });
    request.query.push_back({std::string(parameter.name), value_of(parameter)});
  }
  if (request.query.empty()) return;
  auto& pair = request.query[random_.below(request.query.size())];
  if (random_.one_in(6)) pair.name = respelled(pair.name);
  if (random_.one_in(4)) pair.value = text();
  if (random_.one_in(12)) request.query.push_back(pair);
}

/// Another case, or letters that only a case-folding reader takes for these.
std::string Generator::respelled(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == 'k' && random_.one_in(4))
      result += "\xe2\x84\xaa";
    else if (c == 's' && random_.one_in(4))
      result += "\xc5\xbf";
    else
      result += random_.one_in(3) && ascii::is_lower(c) ? static_cast<char>(c - 'a' + 'A') : ascii::lower(c);
  }
  return result;
}

Value Generator::leaf() {
  switch (random_.below(8)) {
    case 0:
      return Value();
    case 1:
      return Value(random_.one_in(2));
    case 2:
      return Value(json::Number{std::string(random_.pick(numbers))});
    case 3:
      return Value::array();
    case 4:
      return Value::object();
    default:
      return Value(text());
  }
}

/// A member that some row of the table knows, with a value that may or may not be of its shape.
Value Generator::json_of(Body body) {
  Value result = Value::object();
  const Table* table = table_of(body);
  if (!table) return result;
  const auto rows = rows_of_part(*table, random_);
  const Row& row = random_.pick(rows);
  Value value = leaf();
  if (row.shape == Shape::Text && random_.one_in(2)) value = Value(text());
  if (row.shape == Shape::Boolean) value = Value(random_.one_in(2));
  if (row.shape == Shape::Integer || row.shape == Shape::Unsigned)
    value = Value(json::Number{std::string(random_.pick(numbers))});
  std::vector<std::string> steps;
  for (std::string_view path = row.path; !path.empty();) steps.emplace_back(take_step(path));
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    Value outer = *step == "[]" ? Value::array() : Value::object();
    if (*step == "[]")
      outer.push(std::move(value));
    else
      outer.set(*step == "{}" ? random_.pick(names_of_maps) : std::string_view(*step), std::move(value));
    value = std::move(outer);
  }
  return value.members() ? value : result;
}

/// One place below is made another.
void Generator::change(Value& value, Body body) {
  std::vector<Value*> all;
  collect(value, all);
  Value& place = *all[random_.below(all.size())];
  if (auto* text_place = place.string()) {
    *text_place = random_.one_in(3) ? *text_place + text() : text();
  } else if (auto* members = place.members(); members && !members->empty() && random_.one_in(2)) {
    auto& member = (*members)[random_.below(members->size())];
    if (random_.one_in(2))
      member.name = respelled(member.name);
    else
      place.erase(std::string(member.name));
  } else if (place.members()) {
    const Value added = json_of(body);
    for (const auto& member : *added.members()) place.set(member.name, member.value);
  } else if (auto* items = place.items(); items && !items->empty() && random_.one_in(2)) {
    items->push_back(random_.pick(*items));
  } else if (place.items()) {
    place.push(leaf());
  } else {
    place = leaf();
  }
}

void Generator::change_content(Seed& request) {
  if (!table_of(request.endpoint->body)) return;
  auto parsed = json::parse(request.content);
  auto* value = std::get_if<Value>(&parsed);
  Value whole = value ? std::move(*value) : Value::object();
  if (random_.one_in(2)) {
    const Value added = json_of(request.endpoint->body);
    if (whole.members())
      for (const auto& member : *added.members()) whole.set(member.name, member.value);
  }
  while (random_.one_in(2)) change(whole, request.endpoint->body);
  request.content = loosely_written(whole);
}

/// A string as JSON may spell it too.
std::string Generator::loosely_quoted(std::string_view text) {
  const auto plain = json::write(Value(text));
  std::string result;
  bool escaped = false;
  for (const char c : plain) {
    const bool may_be_coded = !escaped && c > 0x20 && c < 0x7f && c != '"' && c != '\\';
    escaped = !escaped && c == '\\';
    if (may_be_coded && random_.one_in(40)) {
      constexpr char digits[] = "0123456789abcdef";
      result.append("\\u00").append(1, digits[c >> 4]).append(1, digits[c & 15]);
    } else if (may_be_coded && c == '/' && random_.one_in(8)) {
      result += "\\/";
    } else {
      result += c;
    }
  }
  return result;
}

std::string Generator::loosely_written(const Value& value) {
  const std::string space = random_.one_in(30) ? std::string(random_.pick(std::array{" ", "\n", "\t", "\r\n"})) : "";
  if (const auto* text = value.string()) return space + loosely_quoted(*text);
  std::string result;
  if (const auto* items = value.items()) {
    for (const auto& item : *items) result.append(result.empty() ? "" : ",").append(loosely_written(item));
    return "[" + result + space + "]";
  }
  if (const auto* members = value.members()) {
    for (const auto& [name, member] : *members)
      result.append(result.empty() ? "" : ",").append(loosely_quoted(name)).append(":").append(loosely_written(member));
    return space + "{" + result + space + "}";
  }
  return json::write(value);
}

/// Percent codes where they must be, and sometimes where they need not be.
std::string Generator::loosely_encoded(std::string_view text) {
  if (random_.one_in(3)) return encode(text);
  std::string result;
  for (const char c : text) {
    const bool plain =
        ascii::is_alphanumeric(c) || std::string_view("-._~!$'()*,/:@").find(c) != std::string_view::npos;
    if (c == ' ' && random_.one_in(2))
      result += '+';
    else if (plain && !random_.one_in(60))
      result += c;
    else if (const auto code = encode(std::string_view(&c, 1)); code.size() == 1)
      result += c;
    else
      result += random_.one_in(4) ? ascii::lower(code) : code;
  }
  return result;
}

std::string Generator::fields() {
  std::string result;
  while (random_.one_in(4)) result += random_.pick(other_fields);
  return result;
}

std::string Generator::written(const Seed& request) {
  std::string head = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) {
    head += &name == &request.query.front().name ? '?' : '&';
    head += loosely_encoded(name) + (value.empty() && random_.one_in(2) ? "" : "=" + loosely_encoded(value));
  }
  head += " HTTP/1.1\r\nHost: d\r\n" + fields();
  const auto& content = request.content;
  if (!content.empty() && random_.one_in(5))
    return head + "Transfer-Encoding: chunked\r\n\r\n" + chunked(content, 1 + random_.below(content.size()));
  if (!content.empty() || random_.one_in(8)) head += "Content-Length: " + std::to_string(content.size()) + "\r\n";
  return head + "\r\n" + content;
}

std::string Generator::next() {
  Seed request = random_.one_in(3) ? from_row() : random_.pick(seeds_);
  if (random_.one_in(2)) change_query(request);
  if (!random_.one_in(8)) change_content(request);
  auto bytes = written(request);
  if (random_.one_in(25)) bytes[random_.below(bytes.size())] = static_cast<char>(random_.below(256));
  return bytes;
}

}  // namespace podfence::differential
