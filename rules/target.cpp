#include "rules/target.hpp"

#include <algorithm>
#include <optional>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/utf8.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

constexpr bool is_one_of(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
constexpr ascii::Set is_unreserved([](char c) { return ascii::is_alphanumeric(c) || is_one_of("-._~", c); });
/// RFC 3986 pchar, '/' and '%', but not ';': Go drops the query pair that holds one, and no name has a use for it.
constexpr ascii::Set is_path_character([](char c) { return is_unreserved(c) || is_one_of("!$&'()*+,=:@%/", c); });
constexpr ascii::Set is_query_character([](char c) { return is_path_character(c) || c == '?'; });
/// What a segment may hold once it is decoded.
constexpr ascii::Set fits_in_path([](char c) { return (ascii::is_graphic(c) || c == ' ') && !is_one_of("%\\", c); });

std::string hex_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return {hex_digits[byte >> 4], hex_digits[byte & 15]};
}

/// Refusals quote positions instead of bytes: the bytes are what could not be read.
Deny bad_character(std::string_view text, std::size_t position) {
  return {refusal("target.encoding"), "byte 0x" + hex_byte(text[position]) + " at " + std::to_string(position)};
}

int hex_value(char c) {
  if (ascii::is_digit(c)) return c - '0';
  const char low = ascii::lower(c);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/// The character of the percent code that begins the text.
std::optional<char> percent_code(std::string_view text) {
  if (text.size() < 3 || hex_value(text[1]) < 0 || hex_value(text[2]) < 0) return std::nullopt;
  return static_cast<char>(hex_value(text[1]) * 16 + hex_value(text[2]));
}

/// Every character allowed and every percent code complete.
std::optional<Deny> check_characters(std::string_view text, const ascii::Set& allowed) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!allowed(text[i]) || (text[i] == '%' && !percent_code(text.substr(i)))) return bad_character(text, i);
  return std::nullopt;
}

/// Of checked text. A form-encoded '+' is a space (WHATWG URL, application/x-www-form-urlencoded).
std::string decode(std::string_view text, bool form) {
  const auto is_meant = [form](char c) { return c != '%' && !(form && c == '+'); };
  if (std::ranges::all_of(text, is_meant)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      result += *percent_code(text.substr(i));
      i += 2;
    } else {
      result += form && text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

template <typename Visit>
bool each_part(std::string_view text, char separator, Visit visit) {
  while (true) {
    const auto end = text.find(separator);
    if (!visit(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

/// Podman routes on the encoded path: a letter of a literal segment that comes encoded is no match there, so it is none
/// here, and what needs no code must not have one.
bool encodes_unreserved(std::string_view segment) {
  for (std::size_t i = 0; i < segment.size(); ++i)
    if (segment[i] == '%' && is_unreserved(*percent_code(segment.substr(i)))) return true;
  return false;
}

bool looks_like_version(std::string_view segment) {
  return segment.size() >= 2 && segment[0] == 'v' && ascii::is_digit(segment[1]);
}

/// `v` number(.number){0,2}. Podman takes `v1.41foo` and `v99` as well, and its handlers differ in what they make of
/// it.
bool is_version(std::string_view segment) {
  constexpr std::size_t max_digits = 4;
  int numbers = 0;
  return each_part(segment.substr(1), '.', [&](std::string_view number) {
    if (number.empty() || number.size() > max_digits || ++numbers > 3) return false;
    if (number.size() > 1 && number[0] == '0') return false;
    return std::ranges::all_of(number, ascii::is_digit);
  });
}

/// podman --remote sends the destination of a manifest list's push as people write it, `docker://registry/name`. That
/// is what it is in any case, and two slashes are clean nowhere else in a path.
std::string without_transport(const std::vector<std::string>& segments, std::string segment) {
  constexpr std::string_view transport = "docker://";
  const bool is_destination = !segments.empty() && segments.back() == "registry" && segment.starts_with(transport) &&
                              contains(segments, "manifests");
  if (is_destination) segment.erase(0, transport.size());
  return segment;
}

std::optional<Deny> parse_path(std::string_view path, Target& target) {
  if (auto denied = check_characters(path, is_path_character)) return denied;
  std::string_view bad;
  const bool clean = each_part(path.substr(1), '/', [&](std::string_view segment) {
    bad = segment;
    if (segment.empty() || encodes_unreserved(segment)) return false;
    target.segments.push_back(without_transport(target.segments, decode(segment, false)));
    return fits_path(target.segments.back());
  });
  if (!clean) return Deny{refusal("target.path"), bad.empty() ? "an empty one" : std::string(bad)};
  if (looks_like_version(target.segments.front())) {
    if (!is_version(target.segments.front())) return Deny{refusal("target.version"), target.segments.front()};
    target.version = target.segments.front();
    target.segments.erase(target.segments.begin());
  }
  return std::nullopt;
}

std::optional<Deny> parse_query(std::string_view query, Target& target) {
  if (query.empty()) return std::nullopt;
  if (auto denied = check_characters(query, is_query_character)) return denied;
  std::string_view bad;
  const bool clean = each_part(query, '&', [&](std::string_view pair) {
    bad = pair;
    const auto equals = pair.find('=');
    QueryPair decoded{decode(pair.substr(0, equals), true), {}};
    if (equals != std::string_view::npos) decoded.value = decode(pair.substr(equals + 1), true);
    const bool one_reading = !decoded.name.empty() && std::ranges::all_of(decoded.name, ascii::is_graphic) &&
                             is_utf8(decoded.value) && !is_one_of(decoded.value, '\0');
    if (one_reading) target.query.push_back(std::move(decoded));
    return one_reading;
  });
  if (!clean) return Deny{refusal("query.syntax"), bad.empty() ? "an empty pair" : std::string(bad)};
  return std::nullopt;
}

}  // namespace

bool fits_path(std::string_view text) {
  if (!std::ranges::all_of(text, fits_in_path)) return false;
  return each_part(text, '/', [](std::string_view part) { return !part.empty() && part != "." && part != ".."; });
}

std::variant<Target, Deny> parse_target(std::string_view text, std::size_t limit) {
  if (text.size() > limit) return Deny{refusal("target.length"), std::to_string(limit)};
  if (text.empty() || text[0] != '/') return Deny{refusal("target.form"), "no path"};
  const auto mark = text.find('?');
  Target target;
  if (auto denied = parse_path(text.substr(0, mark), target)) return *denied;
  if (mark != std::string_view::npos)
    if (auto denied = parse_query(text.substr(mark + 1), target)) return *denied;
  return target;
}

std::string encode(std::string_view text) {
  if (std::ranges::all_of(text, is_unreserved)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (char c : text) {
    if (is_unreserved(c))
      result += c;
    else
      result += '%' + hex_byte(c);
  }
  return result;
}

std::string write_target(std::string_view encoded_path, const std::vector<QueryPair>& query) {
  std::string result(encoded_path);
  char separator = '?';
  for (const QueryPair& pair : query) {
    result += separator;
    result += encode(pair.name) + '=' + encode(pair.value);
    separator = '&';
  }
  return result;
}

}  // namespace podfence::rules
