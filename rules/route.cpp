// Finds the row of a request. Podman's router (gorilla/mux) takes the first registration that matches; ours takes the
// most literal one, and since the path that goes upstream is written from the row and its parameter, not from the
// client's path, both always mean the same endpoint.

#include <algorithm>
#include <map>
#include <optional>

#include "rules/endpoint.hpp"
#include "rules/shown_path.hpp"

namespace podfence::rules {

namespace {

using Segments = std::span<const std::string>;

/// In order of preference.
enum class Part { Literal, OneSegment, ManySegments };

struct Piece {
  Part part;
  std::string_view text;
};

Piece piece_of(std::string_view segment) {
  if (segment.front() != '{') return {Part::Literal, segment};
  return {segment.ends_with(":.*}") ? Part::ManySegments : Part::OneSegment, segment};
}

std::vector<Piece> pieces_of(std::string_view path) {
  std::vector<Piece> pieces;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    pieces.push_back(piece_of(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return pieces;
}

/// Where the template and the segments agree, literal by literal.
bool literals_match(std::span<const Piece> pieces, Segments segments) {
  return std::ranges::equal(pieces, segments, [](const Piece& piece, const std::string& segment) {
    return piece.part != Part::Literal || piece.text == segment;
  });
}

std::string join(Segments segments) {
  std::string result = segments.front();
  for (const std::string& segment : segments.subspan(1)) result += '/' + segment;
  return result;
}

/// The parameter's value where the path is of the template's shape, "" where that has no parameter.
std::optional<std::string> match(std::span<const Piece> pieces, Segments segments) {
  // Most rows of a group differ in their end.
  if (pieces.back().part == Part::Literal && pieces.back().text != segments.back()) return std::nullopt;
  const auto parameter = std::ranges::find_if(pieces, [](const Piece& piece) { return piece.part != Part::Literal; });
  if (parameter == pieces.end()) return literals_match(pieces, segments) ? std::optional("") : std::nullopt;
  if (segments.size() < pieces.size()) return std::nullopt;
  const auto before = static_cast<std::size_t>(parameter - pieces.begin());
  const std::size_t behind = pieces.size() - before - 1;
  const Segments name = segments.subspan(before, segments.size() - before - behind);
  if (!literals_match(pieces.first(before), segments.first(before)) ||
      !literals_match(pieces.last(behind), segments.last(behind)))
    return std::nullopt;
  if (parameter->part == Part::OneSegment && (name.size() != 1 || name[0].find('/') != std::string::npos))
    return std::nullopt;
  return join(name);
}

/// Compares templates that both match: the first difference from the left decides, then the one that says more.
bool more_literal(std::span<const Piece> left, std::span<const Piece> right) {
  const auto [a, b] = std::ranges::mismatch(left, right, {}, &Piece::part, &Piece::part);
  if (a != left.end() && b != right.end()) return a->part < b->part;
  return left.size() > right.size();
}

struct Row {
  const Endpoint* endpoint;
  std::vector<Piece> pieces;
};

/// The rows by the literal segments that all templates begin with: one, and one more below `libpod`.
struct Group {
  bool is_libpod = false;
  std::string_view name;

  auto operator<=>(const Group&) const = default;
};

Group group_of(std::span<const Piece> pieces) {
  const bool is_libpod = pieces.front().text == "libpod" && pieces.size() > 1;
  return {is_libpod, pieces[is_libpod ? 1 : 0].text};
}

Group group_of(Segments segments) {
  if (segments.empty()) return {};
  const bool is_libpod = segments.front() == "libpod" && segments.size() > 1;
  return {is_libpod, segments[is_libpod ? 1 : 0]};
}

using Rows = std::map<Group, std::vector<Row>>;

const Rows& rows() {
  static const Rows table = [] {
    Rows result;
    for (const Endpoint& endpoint : endpoints()) {
      Row row{&endpoint, pieces_of(endpoint.path)};
      const auto group = group_of(row.pieces);
      result[group].push_back(std::move(row));
    }
    return result;
  }();
  return table;
}

std::span<const Row> rows_for(const Target& target) {
  const auto group = rows().find(group_of(target.segments));
  return group == rows().end() ? std::span<const Row>() : std::span<const Row>(group->second);
}

/// Podman registers the libpod family below a version only, but for its ping.
bool lacks_version(const Endpoint& endpoint, const Target& target) {
  return endpoint.family == Family::Libpod && target.version.empty() && endpoint.path != "/libpod/_ping";
}

}  // namespace

std::variant<Match, Deny> route(Method method, const Target& target) {
  const Row* best = nullptr;
  std::string best_name;
  bool path_known = false;
  for (const Row& row : rows_for(target)) {
    auto name = match(row.pieces, target.segments);
    if (!name) continue;
    path_known = true;
    if (row.endpoint->method != method || (best && !more_literal(row.pieces, best->pieces))) continue;
    best = &row;
    best_name = *std::move(name);
  }
  if (!path_known) return Deny{refusal("endpoint.unknown"), shown_path(target)};
  if (!best) return Deny{refusal("endpoint.method"), std::string(text(method)) + ' ' + shown_path(target)};
  if (lacks_version(*best->endpoint, target)) return Deny{refusal("endpoint.unversioned"), shown_path(target)};
  return Match{best->endpoint, std::move(best_name)};
}

}  // namespace podfence::rules
