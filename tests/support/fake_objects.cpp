#include "tests/support/fake_objects.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "rules/json.hpp"

namespace podfence::testing {
namespace {

using rules::Kind;
namespace json = rules::json;

constexpr std::string_view label_key = "appx.project";

const std::map<std::string_view, Kind> kinds = {{"containers", Kind::Container}, {"pods", Kind::Pod},
                                                {"volumes", Kind::Volume},       {"networks", Kind::Network},
                                                {"images", Kind::Image},         {"exec", Kind::Exec}};

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string query_value(std::string_view query, std::string_view name) {
  for (std::size_t start = 0; start <= query.size();) {
    const auto end = std::min(query.find('&', start), query.size());
    const auto pair = query.substr(start, end - start);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return decoded(pair.substr(name.size() + 1));
    start = end + 1;
  }
  return "";
}

json::Value labels_of(const FakeObject& object) {
  auto labels = json::Value::object();
  if (!object.project.empty()) labels.set(label_key, object.project);
  return labels;
}

/// One document that holds the members both of list items and of inspect answers, of both families.
json::Value document(const FakeObject& object) {
  auto value = json::Value::object();
  const auto set = [&](std::initializer_list<json::Member> members) {
    for (const auto& [name, content] : members) value.set(name, content);
  };
  auto config = json::Value::object();
  config.set("Labels", labels_of(object));
  switch (object.kind) {
    case Kind::Container:
      set({{"Id", object.id},
           {"Name", object.name},
           {"Names", json::Array{object.name}},
           {"Config", config},
           {"Labels", labels_of(object)},
           {"Mounts", json::Value::array()},
           {"State", "running"}});
      break;
    case Kind::Image:
      set({{"Id", object.id},
           {"RepoTags", json::Array{object.name}},
           {"Labels", labels_of(object)},
           {"Config", config}});
      break;
    case Kind::Network:
      set({{"name", object.name},
           {"id", object.id},
           {"labels", labels_of(object)},
           {"Name", object.name},
           {"Id", object.id},
           {"Labels", labels_of(object)}});
      break;
    case Kind::Volume:
      set({{"Name", object.name},
           {"Driver", "local"},
           {"Labels", labels_of(object)},
           {"Options", json::Value::object()}});
      break;
    case Kind::Exec:
      set({{"ID", object.id}, {"ContainerID", object.name}, {"Running", false}, {"ExitCode", json::Value::integer(0)}});
      break;
    default:
      set({{"Id", object.id}, {"Name", object.name}, {"Labels", labels_of(object)}});
  }
  return value;
}

std::string not_found(Kind kind, std::string_view name) {
  return http_answer(404, error_content(404, "no such " + std::string(rules::text(kind)) + ": " + std::string(name)));
}

}  // namespace

std::string http_answer(int status, std::string_view content, std::string_view content_type) {
  const bool bare = status == 204 || status == 304;
  std::string bytes = "HTTP/1.1 " + std::to_string(status) + " Said So\r\nApi-Version: 1.41\r\n";
  bytes += "Libpod-Api-Version: 4.3.1\r\nServer: Libpod/4.3.1 (linux)\r\nX-Reference-Id: 0xc000123456\r\n";
  if (!bare) bytes += "Content-Type: " + std::string(content_type) + "\r\n";
  if (!bare) bytes += "Content-Length: " + std::to_string(content.size()) + "\r\n";
  return bytes + "\r\n" + std::string(bare ? std::string_view() : content);
}

std::string error_content(int status, std::string_view message) {
  auto value = json::Value::object();
  value.set("cause", message);
  value.set("message", message);
  value.set("response", json::Value::integer(status));
  return json::write(value);
}

std::string FakeObjects::add(Kind kind, std::string name, std::string project) {
  std::array<char, 65> id{};
  const unsigned mixed = ++made_ * 2654435761u;
  std::snprintf(id.data(), id.size(), "%08x%08x%08x%08x%08x%08x%08x%08x", mixed, made_, mixed, made_, mixed, made_,
                mixed, made_);
  objects_.push_back({kind, kind == Kind::Volume ? name : id.data(), std::move(name), std::move(project)});
  return objects_.back().id;
}

const FakeObject* FakeObjects::find(Kind kind, std::string_view name) const {
  const auto found = std::ranges::find_if(objects_, [&](const FakeObject& object) {
    return object.kind == kind && (object.name == name || object.id == name);
  });
  return found == objects_.end() ? nullptr : &*found;
}

std::string FakeObjects::answer(std::string_view method, std::string_view target, std::string_view content) {
  const auto mark = std::min(target.find('?'), target.size());
  auto path = target.substr(0, mark);
  const auto query = target.substr(std::min(mark + 1, target.size()));
  const bool versioned = path.size() > 2 && path[1] == 'v' && path[2] >= '0' && path[2] <= '9';
  if (versioned) path.remove_prefix(std::min(path.find('/', 1), path.size()));
  const std::string_view family = path.starts_with("/libpod/") ? "libpod" : "docker";
  if (family == "libpod") path.remove_prefix(7);

  if (path == "/_ping") return http_answer(200, "OK", "text/plain");
  if (path == "/version") return http_answer(200, R"({"Version":"4.3.1","ApiVersion":"1.41"})");
  const auto slash = std::min(path.find('/', 1), path.size());
  const auto kind = kinds.find(path.substr(1, slash - 1));
  if (kind == kinds.end()) return http_answer(404, error_content(404, "not found"));
  const auto rest = path.substr(std::min(slash + 1, path.size()));
  if (rest.empty() || rest == "json" || rest == "create" || rest == "prune")
    return collection(method, family, kind->second, rest, query, content);
  const auto last = rest.rfind('/');
  if (last == std::string_view::npos) return single(method, kind->second, decoded(rest), "json");
  return single(method, kind->second, decoded(rest.substr(0, last)), rest.substr(last + 1));
}

std::string FakeObjects::collection(std::string_view method, std::string_view family, Kind kind, std::string_view verb,
                                    std::string_view query, std::string_view content) {
  // "Whose container mounts this volume?" is the one filter that the answer must obey: no container mounts any here.
  if (query.find("%22volume%22") != std::string_view::npos) return http_answer(200, "[]");
  if (method == "GET") return http_answer(200, list(family, kind));
  if (method == "POST" && verb == "create") return create(family, kind, query, content);
  return http_answer(405, error_content(405, "not here"));
}

std::string FakeObjects::single(std::string_view method, Kind kind, std::string_view name, std::string_view verb) {
  const auto* object = find(kind, name);
  if (object == nullptr) return not_found(kind, name);
  if (method == "DELETE") {
    std::erase_if(objects_, [&](const FakeObject& other) { return &other == object; });
    return http_answer(204, "");
  }
  if (method == "GET" && verb == "json") return http_answer(200, json::write(document(*object)));
  if (method == "POST" && verb == "exec") {
    const auto id = add(Kind::Exec, object->id, "");
    return http_answer(201, R"({"Id":")" + id + R"("})");
  }
  return http_answer(204, "");
}

std::string FakeObjects::create(std::string_view family, Kind kind, std::string_view query, std::string_view content) {
  auto parsed = json::parse(content);
  const auto* body = std::get_if<json::Value>(&parsed);
  if (body == nullptr) return http_answer(500, error_content(500, "Decode(): bad JSON"));
  auto name = query_value(query, "name");
  for (const auto* key : {"name", "Name"})
    if (name.empty()) name = body->text(key);
  std::string project;
  for (const auto* key : {"labels", "Labels", "Label"})
    if (const auto* labels = body->find(key); labels && project.empty()) project = labels->text(label_key);
  if (const auto* existing = find(kind, name); existing && !name.empty()) {
    if (kind == Kind::Volume && family == "docker") return http_answer(201, json::write(document(*existing)));
    return http_answer(kind == Kind::Volume ? 500 : 409, error_content(409, name + " is in use already"));
  }
  const auto id = add(kind, name, project);
  if (kind == Kind::Container) return http_answer(201, R"({"Id":")" + id + R"(","Warnings":[]})");
  return http_answer(201, json::write(document(*find(kind, id))));
}

std::string FakeObjects::list(std::string_view family, Kind kind) const {
  json::Value items = json::Value::array();
  for (const auto& object : objects_)
    if (object.kind == kind) items.push(document(object));
  if (kind != Kind::Volume || family == "libpod") return json::write(items);
  auto wrapped = json::Value::object();
  wrapped.set("Volumes", items);
  wrapped.set("Warnings", json::Value::array());
  return json::write(wrapped);
}

}  // namespace podfence::testing
