#include "rules/verify/probe.hpp"

#include <algorithm>
#include <array>

#include "rules/tar.hpp"
#include "rules/target.hpp"

namespace podfence::rules::verify {

namespace {

/// `{word}`: only letters and `-`, so that the braces of JSON are none.
template <class Use>
void each_word(std::string_view text, const Use& use) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";
  std::size_t at = 0;
  while (at < text.size()) {
    const auto open = text.find('{', at);
    if (open == std::string_view::npos) break;
    const auto end = text.find_first_not_of(letters, open + 1);
    const bool is_word = end != std::string_view::npos && end > open + 1 && text[end] == '}';
    use(text.substr(at, open - at), is_word ? text.substr(open + 1, end - open - 1) : std::string_view());
    at = is_word ? end + 1 : open + 1;
    if (!is_word) use("{", {});
  }
  use(text.substr(at), {});
}

/// `GET /path?a=b&c=d` in parts, the query encoded.
struct Line {
  std::string method, target;
};
Line line_of(std::string_view request) {
  const auto space = request.find(' ');
  const auto target = request.substr(space + 1);
  const auto mark = target.find('?');
  std::vector<QueryPair> query;
  auto rest = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const auto pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const auto equals = pair.find('=');
    query.push_back({std::string(pair.substr(0, equals)), std::string(pair.substr(equals + 1))});
  }
  return {std::string(request.substr(0, space)), write_target(target.substr(0, mark), query)};
}

std::string archive_of(std::string path, std::string content) {
  const std::array files = {TarFile{std::move(path), std::move(content)}};
  return write_tar(files);
}

struct Sent {
  std::string content, type;
};
Sent sent(std::string text, Form form) {
  constexpr const char* archive = "application/x-tar";
  if (form == Form::Context) return {archive_of("Dockerfile", std::move(text)), archive};
  if (form == Form::Files) return {archive_of("podfence-verify", std::move(text)), archive};
  return {std::move(text), "application/json"};
}

}  // namespace

std::string Scene::filled(std::string_view text, bool with_absent) const {
  std::string result;
  each_word(text, [&](std::string_view before, std::string_view word) {
    result += before;
    if (word.empty()) return;
    const auto other = with_absent ? absent.find(word) : absent.end();
    const auto value = values.find(word);
    if (other != absent.end())
      result += other->second;
    else if (value != values.end())
      result += value->second;
  });
  return result;
}

std::string Scene::why_not(std::string_view text) const {
  std::string why;
  each_word(text, [&](std::string_view, std::string_view word) {
    if (word.empty() || values.contains(word) || !why.empty()) return;
    const auto reason = missing.find(word);
    why = reason == missing.end() ? "there is no " + std::string(word) : reason->second;
  });
  return why;
}

std::string request_bytes(std::string_view request, std::string_view content, Form form, const Scene& scene,
                          bool with_absent) {
  if (form == Form::Bytes) return scene.filled(content, with_absent);
  const auto line = line_of(scene.filled(request, with_absent));
  const auto body = sent(scene.filled(content, with_absent), form);
  std::string text = line.method + " " + line.target + " HTTP/1.1\r\nHost: podfence\r\n";
  if (form == Form::Upgrade) text += "Connection: Upgrade\r\nUpgrade: tcp\r\n";
  if (!body.content.empty()) text += "Content-Type: " + body.type + "\r\n";
  if (line.method != "GET") text += "Content-Length: " + std::to_string(body.content.size()) + "\r\n";
  return text + "\r\n" + body.content;
}

std::string bytes_of(const Probe& probe, const Scene& scene, bool with_absent) {
  return request_bytes(probe.request, probe.content, probe.form, scene, with_absent);
}

std::string shown(const Probe& probe, const Scene& scene) {
  constexpr std::size_t most = 240;
  auto text = scene.filled(probe.request);
  if (probe.form != Form::Bytes && !probe.content.empty()) text += " " + scene.filled(probe.content.substr(0, most));
  for (auto& letter : text)
    if (letter == '\n') letter = ' ';
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

}  // namespace podfence::rules::verify
