#include "rules/control.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "rules/base64.hpp"
#include "rules/configuration_text.hpp"
#include "rules/contains.hpp"
#include "rules/json_pointer.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

namespace {

using By = ControlIdentity::By;
using Wrong = std::optional<ControlError>;

struct ByRow {
  By by;
  std::string_view key;  ///< in an identity
};
constexpr auto by_rows = std::to_array<ByRow>({
    {By::User, "user"},
    {By::Uri, "uri"},
    {By::Dns, "dns"},
    {By::CommonName, "common_name"},
});

Wrong wrong(std::string where, std::string what) { return ControlError{std::move(where), std::move(what)}; }

std::vector<std::string> texts_of(const json::Value& object, std::string_view name) {
  std::vector<std::string> texts;
  for (const auto& item : object.list(name)) texts.push_back(*item.string());
  return texts;
}

bool is_project_pattern(std::string_view text) {
  if (text.ends_with('*')) return text.size() == 1 || is_project_id(text.substr(0, text.size() - 1));
  return is_project_id(text);
}

Wrong check_projects(const ControlIdentity& identity, const std::string& at) {
  if (identity.projects.empty()) return wrong(at + "/projects", "must name a project, or \"*\" for all");
  for (std::size_t i = 0; i < identity.projects.size(); ++i)
    if (!is_project_pattern(identity.projects[i]))
      return wrong(at + "/projects/" + std::to_string(i), "must be a project id, or the beginning of one with '*'");
  return std::nullopt;
}

Wrong check_pins(const ControlIdentity& identity, const std::string& at) {
  for (std::size_t i = 0; i < identity.pins.size(); ++i) {
    const auto pin = decode_base64(identity.pins[i]);
    if (!pin || pin->size() != 32)
      return wrong(at + "/pins/" + std::to_string(i), "must be the base64 of a SHA-256 of a public key");
  }
  return std::nullopt;
}

Wrong read_identity(const json::Value& value, const std::string& at, bool of_socket, ControlIdentity& identity) {
  int said = 0;
  for (const auto& row : by_rows) {
    const auto* name = value.find(row.key);
    if (!name) continue;
    ++said;
    identity.by = row.by;
    identity.name = name->string() ? *name->string() : name->number()->text;
  }
  if (said != 1) return wrong(at, "must say one of user, uri, dns and common_name");
  if (of_socket != (identity.by == By::User))
    return wrong(at, of_socket ? "must say user, the uid: that is all that a unix socket tells"
                               : "must say uri, dns or common_name of a certificate");
  identity.pins = texts_of(value, "pins");
  identity.projects = texts_of(value, "projects");
  if (of_socket && !identity.pins.empty()) return wrong(at + "/pins", "belong to certificates");
  if (auto failure = check_pins(identity, at)) return failure;
  return check_projects(identity, at);
}

/// "127.0.0.1:7443" and "[::1]:7443". That it is an address shows when it is listened on.
bool split_address(std::string_view text, std::string& address, std::uint16_t& port) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  const auto digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return error == std::errc() && end == digits.data() + digits.size() && port > 0;
}

Wrong read_tls(const json::Value& value, const std::string& at, ControlListener& listener) {
  if (!split_address(value.text("tls"), listener.address, listener.port))
    return wrong(at + "/tls", "must be an IP address and a port, such as 127.0.0.1:7443 or [::1]:7443");
  const struct {
    const char* key;
    std::string& target;
    bool needed;
  } files[] = {{"certificate", listener.certificate, true},
               {"key", listener.key, true},
               {"clients", listener.clients, true},
               {"revoked", listener.revoked, false}};
  for (const auto& [key, target, needed] : files) {
    target = value.text(key);
    if (target.empty() && needed) return wrong(at, std::string("must say ") + key + ": an absolute path of a PEM file");
    if (target.empty()) continue;
    if (const char* mistake = wrong_with_path(target)) return wrong(at + "/" + key, mistake);
  }
  return std::nullopt;
}

Wrong read_listener(const json::Value& value, const std::string& at, ControlListener& listener) {
  const bool of_socket = value.find("socket") != nullptr;
  if (of_socket == (value.find("tls") != nullptr)) return wrong(at, "must say one of socket and tls");
  if (of_socket) {
    listener.socket = value.text("socket");
    if (const char* mistake = wrong_with_socket(listener.socket)) return wrong(at + "/socket", mistake);
    for (const auto* key : {"certificate", "key", "clients", "revoked"})
      if (value.find(key)) return wrong(at + "/" + key, "belongs to tls");
  } else if (auto failure = read_tls(value, at, listener)) {
    return failure;
  }
  const auto& identities = value.list("identities");
  if (identities.empty()) return wrong(at, "must say identities: whom it lets in");
  for (std::size_t i = 0; i < identities.size(); ++i) {
    auto& identity = listener.identities.emplace_back();
    if (auto failure = read_identity(identities[i], at + "/identities/" + std::to_string(i), of_socket, identity))
      return failure;
  }
  return std::nullopt;
}

bool is_pinned(const ControlIdentity& identity, const Credentials& client) {
  return identity.pins.empty() || std::ranges::any_of(identity.pins, [&](const std::string& pin) {
           return decode_base64(pin) == client.key_digest;
         });
}

bool fits(const ControlIdentity& identity, const Credentials& client) {
  if (!is_pinned(identity, client)) return false;
  switch (identity.by) {
    case By::User:
      return client.uid && std::to_string(*client.uid) == identity.name;
    case By::Uri:
      return contains(client.uris, identity.name);
    case By::Dns:
      return contains(client.dns_names, identity.name);
    case By::CommonName:
      return !identity.name.empty() && client.common_name == identity.name;
  }
  return false;
}

}  // namespace

std::string ControlIdentity::text() const {
  return std::string(std::ranges::find(by_rows, by, &ByRow::by)->key) + ":" + name;
}

bool ControlIdentity::is_entitled(std::string_view project) const {
  return std::ranges::any_of(projects, [&](const std::string& pattern) {
    return pattern.ends_with('*') ? project.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1))
                                  : project == pattern;
  });
}

std::string ControlIdentity::sole_project() const {
  return projects.size() == 1 && !projects.front().ends_with('*') ? projects.front() : "";
}

std::string ControlListener::text() const {
  if (!socket.empty()) return socket;
  const bool six = address.find(':') != std::string::npos;
  return (six ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

std::string text_of(const Credentials& client) {
  std::string text;
  const auto add = [&](By by, const std::string& name) {
    if (!name.empty()) text += (text.empty() ? "" : ", ") + ControlIdentity{by, name}.text();
  };
  if (client.uid) add(By::User, std::to_string(*client.uid));
  for (const auto& uri : client.uris) add(By::Uri, uri);
  for (const auto& name : client.dns_names) add(By::Dns, name);
  add(By::CommonName, client.common_name);
  return text;
}

const ControlIdentity* identify(const ControlListener& listener, const Credentials& client) {
  const auto found =
      std::ranges::find_if(listener.identities, [&](const auto& identity) { return fits(identity, client); });
  return found == listener.identities.end() ? nullptr : &*found;
}

std::variant<std::vector<ControlListener>, ControlError> read_control(const json::Value& list) {
  std::vector<ControlListener> listeners;
  for (const auto& value : *list.items()) {
    const auto at = "/" + std::to_string(listeners.size());
    auto& listener = listeners.emplace_back();
    if (auto failure = read_listener(value, at, listener)) return *std::move(failure);
    for (std::size_t other = 0; other + 1 < listeners.size(); ++other)
      if (listeners[other].text() == listener.text()) return ControlError{at, "is where another one listens already"};
  }
  return listeners;
}

}  // namespace podfence::rules
