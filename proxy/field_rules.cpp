#include "proxy/field_rules.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "rules/ascii.hpp"
#include "rules/contains.hpp"
#include "rules/refusal.hpp"

namespace podfence::proxy {

namespace ascii = rules::ascii;
using rules::Deny;
using rules::Fields;
using rules::refusal;

namespace {

std::vector<std::string_view> values(const Fields& fields, std::string_view name) {
  std::vector<std::string_view> result;
  for (const auto& field : fields)
    if (ascii::equal_caseless(field.name, name)) result.push_back(field.value);
  return result;
}

/// The value of a field that may stand once and whose value is printable ASCII.
std::optional<Deny> read_single(const Fields& fields, std::string_view name, std::optional<std::string_view>& value) {
  const auto all = values(fields, name);
  if (all.size() > 1) return Deny{refusal("http.field"), std::string(name) + " (given more than once)"};
  if (all.empty()) return std::nullopt;
  if (!std::ranges::all_of(all[0], [](char c) { return c == ' ' || ascii::is_graphic(c); }))
    return Deny{refusal("http.field"), std::string(name) + " (a character that is not printable ASCII)"};
  value = all[0];
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  const auto fits = [&](char c) { return ascii::is_alphanumeric(c) || marks.find(c) != std::string_view::npos; };
  return !text.empty() && std::ranges::all_of(text, fits);
}

/// All members of Connection; nullopt when one is not a token.
std::optional<std::vector<std::string>> connection_options(const Fields& fields) {
  std::vector<std::string> options;
  for (auto list : values(fields, "Connection")) {
    while (true) {
      const auto comma = list.find(',');
      const auto member = trim(list.substr(0, comma));
      if (!is_token(member)) return std::nullopt;
      options.push_back(ascii::lower(member));
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
  }
  return options;
}

std::optional<std::uint64_t> read_length(std::string_view text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, ascii::is_digit) && (text[0] != '0' || text == "0");
  std::uint64_t size = 0;
  if (!plain || std::from_chars(text.data(), text.data() + text.size(), size).ec != std::errc()) return std::nullopt;
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return size;
}

Deny framing_deny(std::string_view subject) { return {refusal("http.framing"), std::string(subject.substr(0, 64))}; }

}  // namespace

std::optional<Deny> read_framing(const Fields& fields, Framing& framing) {
  const auto codings = values(fields, "Transfer-Encoding");
  const auto lengths = values(fields, "Content-Length");
  if (!codings.empty() && !lengths.empty()) return framing_deny("Content-Length and Transfer-Encoding together");
  if (codings.size() > 1) return framing_deny("Transfer-Encoding twice");
  if (lengths.size() > 1) return framing_deny("Content-Length twice");
  if (!codings.empty()) {
    if (!ascii::equal_caseless(codings[0], "chunked")) return framing_deny("Transfer-Encoding other than chunked");
    framing = Framing::chunked();
  }
  if (!lengths.empty()) {
    const auto size = read_length(lengths[0]);
    if (!size) return framing_deny("Content-Length that is not a plain number");
    framing = Framing::sized(*size);
  }
  return std::nullopt;
}

std::optional<Deny> check_host(const Fields& fields) {
  const auto hosts = values(fields, "Host");
  if (hosts.size() != 1) return Deny{refusal("http.field"), hosts.empty() ? "Host is missing" : "Host twice"};
  constexpr std::string_view marks = "-._~%:[]";
  const auto fits = [&](char c) { return ascii::is_alphanumeric(c) || marks.find(c) != std::string_view::npos; };
  if (!std::ranges::all_of(hosts[0], fits)) return Deny{refusal("http.field"), "Host that is not a name and a port"};
  return std::nullopt;
}

bool names_connection_option(const Fields& fields, std::string_view option) {
  const auto options = connection_options(fields);
  return !options || rules::contains(*options, option);
}

std::optional<Deny> read_connection(const Fields& fields, RequestHead& head) {
  const auto options = connection_options(fields);
  if (!options) return Deny{refusal("http.field"), "Connection is not a list of names"};
  const auto has = [&](std::string_view option) { return rules::contains(*options, option); };
  std::optional<std::string_view> upgrade;
  if (auto deny = read_single(fields, "Upgrade", upgrade)) return deny;
  if (has("upgrade") != upgrade.has_value())
    return Deny{refusal("http.upgrade"), upgrade ? "Upgrade without Connection" : "Connection without Upgrade"};
  if (upgrade && ascii::equal_caseless(*upgrade, "h2c"))
    return Deny{refusal("http.upgrade"), "h2c", rules::Kind::None,
                "set DOCKER_BUILDKIT=0 if this is BuildKit's client"};
  if (upgrade && !ascii::equal_caseless(*upgrade, "tcp"))
    return Deny{refusal("http.upgrade"), std::string(upgrade->substr(0, 32))};
  head.upgrade = upgrade.has_value();
  head.keep_alive = !has("close");
  return std::nullopt;
}

std::optional<Deny> read_content_fields(const Fields& fields) {
  std::optional<std::string_view> coding;
  if (auto deny = read_single(fields, "Content-Encoding", coding)) return deny;
  if (coding && !ascii::equal_caseless(*coding, "identity"))
    return Deny{refusal("content.encoding"), std::string(coding->substr(0, 32))};
  std::optional<std::string_view> type;
  if (auto deny = read_single(fields, "Content-Type", type)) return deny;
  // Podman 6 hands whatever has this anywhere in its content type to another server (pkg/api/server: gRPC).
  if (type && ascii::lower(*type).find("application/grpc") != std::string::npos)
    return Deny{refusal("http.field"), "Content-Type: application/grpc"};
  return std::nullopt;
}

std::optional<Deny> read_expectation(const Fields& fields, RequestHead& head) {
  const auto all = values(fields, "Expect");
  if (all.empty()) return std::nullopt;
  if (all.size() > 1 || !ascii::equal_caseless(all[0], "100-continue"))
    return Deny{refusal("http.expectation"), std::string(all[0].substr(0, 32))};
  head.expects_continue = true;
  return std::nullopt;
}

std::optional<Deny> read_own_fields(const Fields& fields, RequestHead& head) {
  std::string registries;
  const struct {
    std::string_view name;
    std::string& target;
  } own[] = {
      {"X-Registry-Auth", head.registry_auth}, {"X-Registry-Config", registries}, {"X-Appx-Project", head.project}};
  for (const auto& [name, target] : own) {
    std::optional<std::string_view> value;
    if (auto deny = read_single(fields, name, value)) return deny;
    if (value && !names_connection_option(fields, ascii::lower(name))) target = *value;
  }
  // Without the field a request is about all projects of the client: one that came to nothing may not mean that.
  if (head.project.empty() && !values(fields, "X-Appx-Project").empty())
    return Deny{refusal("http.field"), "X-Appx-Project (it names no project)"};
  if (registries.empty()) return std::nullopt;
  if (!head.registry_auth.empty()) return Deny{refusal("http.field"), "X-Registry-Config beside X-Registry-Auth"};
  head.registry_auth = std::move(registries);  // a map by registry is understood there too
  return std::nullopt;
}

}  // namespace podfence::proxy
