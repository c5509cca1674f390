#include "rules/answer/scrub.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "rules/ascii.hpp"
#include "rules/host_path.hpp"
#include "rules/names.hpp"

namespace podfence::rules::answer {

namespace {

/// Podman repeats what it was sent. Nobody reads more of it than this.
constexpr std::size_t longest_text = 4096;

/// As long as the shortest form of an id that Podman writes, and the whole.
constexpr std::size_t shortest_id = 12, full_id = 64;

/// Parts of paths that only the host has: the store, the run-time directory, the configuration.
constexpr std::string_view host_path_marks[] = {"/containers/storage", "/overlay-containers/", "/containers/overlay",
                                                "/run/user/",          "/run/libpod",          "/libpod/tmp",
                                                "/config/containers/", "/.config/containers",  "/run/containers/",
                                                "/etc/containers/",    "/netns/netns-",        "/share/containers"};

bool is_hexadecimal(char c) { return ascii::is_digit(c) || (c >= 'a' && c <= 'f'); }
bool is_word(char c) { return ascii::is_alphanumeric(c) || c == '_'; }
bool is_path_character(char c) {
  return ascii::is_graphic(c) && std::string_view("\"'`()[]{}<>,;").find(c) == std::string_view::npos;
}

bool is_punctuation(char c) { return c == ':' || c == '.'; }

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Calls `use` with every word of the text, and what stands before it.
template <class Use>
void for_each_word(std::string_view text, Use use) {
  while (!text.empty()) {
    const auto start = std::ranges::find_if(text, is_word);
    const auto end = std::find_if_not(start, text.end(), is_word);
    use(std::string_view(text.begin(), start), std::string_view(start, end));
    text = std::string_view(end, text.end());
  }
}

bool is_id(std::string_view word) { return word.size() >= shortest_id && std::ranges::all_of(word, is_hexadecimal); }

/// The ids that the client said, and those of what it was told is its own. Clients send a lot: collected once.
class Known {
 public:
  explicit Known(const Exchange& exchange) : exchange_(exchange) {
    const auto& request = exchange.request;
    for (const auto& segment : request.target.segments) collect(segment);
    for (const auto& pair : request.target.query) collect(pair.value);
    if (request.content) collect(json::write(*request.content));
    for (const auto& id : exchange.facts.resolved_ids()) ids_.insert(id);
  }

  /// Also of the beginning of an id.
  bool operator()(std::string_view id) const {
    const auto next = ids_.lower_bound(id);
    return (next != ids_.end() && next->starts_with(id)) || is_own(id);
  }

 private:
  void collect(std::string_view text) {
    for_each_word(text, [&](std::string_view, std::string_view word) {
      if (is_id(word)) ids_.emplace(word);
    });
  }

  bool is_own(std::string_view id) const {
    constexpr Kind kinds[] = {Kind::Container, Kind::Pod, Kind::Network, Kind::Volume};
    return std::ranges::any_of(kinds, [&](Kind kind) {
      const auto* owner = exchange_.facts.memory().owner(kind, id);
      return owner && *owner == exchange_.project.id;
    });
  }

  const Exchange& exchange_;
  std::set<std::string, std::less<>> ids_;
};

/// A whole id that runs into other text is nobody's own.
std::string without_full_ids(std::string_view word) {
  std::string result;
  while (!word.empty()) {
    const auto start = std::ranges::find_if(word, is_hexadecimal);
    const auto end = std::find_if_not(start, word.end(), is_hexadecimal);
    const std::string_view run(start, end);
    result.append(word.begin(), start).append(run.size() >= full_id ? "<hidden>" : run);
    word = std::string_view(end, word.end());
  }
  return result;
}

std::string without_foreign_ids(const Exchange& exchange, std::string_view text) {
  const Known known(exchange);
  std::string result;
  for_each_word(text, [&](std::string_view before, std::string_view word) {
    result.append(before);
    if (!is_id(word))
      result.append(without_full_ids(word));
    else
      result.append(known(word) ? word : "<hidden>");
  });
  return result;
}

}  // namespace

std::string without_host_paths(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto start = std::ranges::find_if(text, is_path_character);
    result.append(text.begin(), start);
    const auto stop = std::find_if_not(start, text.end(), is_path_character);
    auto end = stop;
    while (end != start && is_punctuation(*(end - 1))) --end;
    const std::string_view word(start, end);
    const bool of_host =
        std::ranges::any_of(host_path_marks, [&](std::string_view mark) { return has_part(word, mark); });
    if (of_host)
      result.append(word.substr(0, word.find('/'))).append("<path>");
    else
      result.append(word);
    result.append(end, stop);
    text = std::string_view(stop, text.end());
  }
  return result;
}

std::string scrub(const Exchange& exchange, std::string_view text) {
  // Before it is cut, so that no half of a path is left.
  const std::string shown = with_client_paths(exchange.project, std::string(text));
  return with_client_names(
      exchange.project,
      without_foreign_ids(exchange, without_host_paths(std::string_view(shown).substr(0, longest_text))));
}

}  // namespace podfence::rules::answer
