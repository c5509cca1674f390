#include "rules/stated_objects.hpp"

#include <algorithm>
#include <utility>

#include "rules/configuration_source.hpp"
#include "rules/image_name.hpp"
#include "rules/policy_reading.hpp"

namespace podfence::rules {
namespace {

constexpr std::string_view schema_text = R"({
  "type": "object", "additionalProperties": false, "description": "an object of lists",
  "properties": {
    "containers": {"$ref": "#/definitions/objects"}, "pods": {"$ref": "#/definitions/objects"},
    "volumes": {"$ref": "#/definitions/objects"}, "networks": {"$ref": "#/definitions/objects"},
    "secrets": {"type": "array", "description": "a list of secrets", "items": {
      "type": "object", "additionalProperties": false, "description": "a secret", "required": ["name"], "properties": {
        "name": {"type": "string", "description": "a name"},
        "id": {"type": "string", "pattern": "^[0-9a-f]{25}$", "description": "an id: 25 digits 0-9, a-f"},
        "project": {"type": "string", "description": "the id of a project"}}}},
    "images": {"type": "array", "description": "a list of images", "items": {
      "type": "object", "additionalProperties": false, "description": "an image", "required": ["id"], "properties": {
        "id": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "an id: 64 digits 0-9, a-f"},
        "tags": {"type": "object", "description": "an object: for each tag the projects that have pulled it",
                 "additionalProperties": {"$ref": "#/definitions/ids"}},
        "held_by": {"$ref": "#/definitions/ids"}, "document": {"$ref": "#/definitions/document"}}}},
    "execs": {"type": "array", "description": "a list of exec sessions", "items": {
      "type": "object", "additionalProperties": false, "description": "an exec session",
      "required": ["id", "container"], "properties": {
        "id": {"type": "string", "description": "an id"},
        "container": {"type": "string", "description": "the name or id of a container"}}}}},
  "definitions": {
    "objects": {"type": "array", "description": "a list of objects", "items": {
      "type": "object", "additionalProperties": false, "description": "an object", "required": ["name"], "properties": {
        "name": {"type": "string", "description": "a name"},
        "id": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "an id: 64 digits 0-9, a-f"},
        "project": {"type": "string", "description": "the id of a project"},
        "document": {"$ref": "#/definitions/document"}}}},
    "ids": {"type": "array", "description": "a list of project ids",
            "items": {"type": "string", "description": "the id of a project"}},
    "document": {"type": "object", "description": "an object, as Podman's inspect gives it"}}
})";

constexpr std::pair<std::string_view, Kind> plain_kinds[] = {
    {"containers", Kind::Container}, {"pods", Kind::Pod}, {"volumes", Kind::Volume}, {"networks", Kind::Network}};

/// One that can be recognised: the digits of the name.
std::string made_up_id(std::string_view name, std::size_t size = 64) {
  constexpr char digits[] = "0123456789abcdef";
  std::string id;
  for (const char c : name) {
    id += digits[static_cast<unsigned char>(c) >> 4];
    id += digits[static_cast<unsigned char>(c) & 15];
  }
  id.resize(size, '0');
  return id;
}

std::string text_or(const json::Value& object, std::string_view name, std::string otherwise) {
  const std::string_view text = object.text(name);
  return text.empty() ? std::move(otherwise) : std::string(text);
}

json::Value with_document(json::Value base, const json::Value& stated) {
  const json::Value* document = stated.find("document");
  return document ? merged(std::move(base), *document) : base;
}

json::Value stated_default_network() {
  json::Value network = json::Value::object();
  network.set("name", "podman");
  network.set("id", default_network_id);
  return network;
}

}  // namespace

StatedObjects::StatedObjects() { add(Kind::Network, stated_default_network(), ""); }

std::variant<StatedObjects, ConfigurationError> StatedObjects::read(std::string file, std::string_view text,
                                                                    std::string_view label_key) {
  static const json::Schema schema(schema_text);
  const auto source = read_source(std::move(file), text, schema);
  if (const auto* error = std::get_if<ConfigurationError>(&source)) return *error;
  const json::Value& world = std::get<Source>(source).value;
  StatedObjects result;
  const auto each = [&](std::string_view name, auto take) {
    if (const json::Value* list = world.find(name))
      for (const json::Value& stated : *list->items()) take(stated);
  };
  for (const auto& plain : plain_kinds)
    each(plain.first, [&](const json::Value& stated) { result.add(plain.second, stated, label_key); });
  each("images", [&](const json::Value& stated) { result.add_image(stated); });
  each("secrets", [&](const json::Value& stated) { result.add_secret(stated); });
  each("execs", [&](const json::Value& stated) { result.add_exec(stated); });
  return result;
}

void StatedObjects::add(Kind kind, const json::Value& stated, std::string_view label_key) {
  const std::string name(stated.text("name"));
  const std::string id = kind == Kind::Volume ? name : text_or(stated, "id", made_up_id(name));
  json::Value labels = json::Value::object(), document = json::Value::object();
  if (const auto project = stated.text("project"); !project.empty()) labels.set(label_key, project);
  const bool lower_case = kind == Kind::Network;
  document.set(lower_case ? "id" : "Id", id);
  document.set(lower_case ? "name" : "Name", name);
  if (kind == Kind::Container) document.set("State", "running");
  if (kind == Kind::Pod) document.set("Status", "Running");
  document.set("Labels", std::move(labels));
  objects_[kind].push_back({name, id, with_document(std::move(document), stated)});
}

void StatedObjects::hold(const json::Value& projects, Claim::Change change, const std::string& what) {
  for (const json::Value& project : *projects.items()) holdings_.push_back({*project.string(), {change, what}});
}

void StatedObjects::add_image(const json::Value& stated) {
  const std::string id(stated.text("id"));
  json::Value tags = json::Value::array(), document = json::Value::object();
  if (const json::Value* named = stated.find("tags"))
    for (const auto& [tag, projects] : *named->members()) {
      tags.push(tag);
      hold(projects, Claim::Change::OwnTag, tag);
    }
  if (const json::Value* projects = stated.find("held_by")) hold(*projects, Claim::Change::HoldImage, id);
  document.set("Id", id);
  document.set("RepoTags", std::move(tags));
  objects_[Kind::Image].push_back({"", id, with_document(std::move(document), stated)});
}

void StatedObjects::add_secret(const json::Value& stated) {
  constexpr std::size_t id_size = 25;
  const std::string name(stated.text("name"));
  const std::string id = text_or(stated, "id", made_up_id(name, id_size));
  if (const auto project = stated.text("project"); !project.empty())
    holdings_.push_back({std::string(project), {Claim::Change::HoldSecret, id}});
  json::Value document = json::Value::object(), spec = json::Value::object();
  spec.set("Name", name);
  document.set("ID", id);
  document.set("Spec", std::move(spec));
  objects_[Kind::Secret].push_back({name, id, std::move(document)});
}

void StatedObjects::add_exec(const json::Value& stated) {
  const std::string id(stated.text("id")), container(stated.text("container"));
  const Object* known = find(Kind::Container, container);
  json::Value document = json::Value::object();
  document.set("ID", id);
  document.set("ContainerID", known ? known->id : container);
  objects_[Kind::Exec].push_back({id, id, std::move(document)});
}

/// By its name or id, or by a part of the id that fits no other; images also by what a short name may mean.
const StatedObjects::Object* StatedObjects::find(Kind kind, std::string_view name) const {
  const auto place = objects_.find(kind);
  if (place == objects_.end() || name.empty()) return nullptr;
  const auto& objects = place->second;
  const auto is_it = [&](const Object& object) {
    if (object.name == name || object.id == name || (kind == Kind::Image && full_image_id(name) == object.id))
      return true;
    const json::Value* tags = object.document.find("RepoTags");
    return kind == Kind::Image && tags && tags->items() &&
           std::ranges::any_of(*tags->items(), [&](const json::Value& tag) {
             return tag.string() && (*tag.string() == name || may_mean(name, *tag.string()));
           });
  };
  if (const auto exact = std::ranges::find_if(objects, is_it); exact != objects.end()) return &*exact;
  const auto begins_so = [&](const Object& object) { return kind != Kind::Volume && object.id.starts_with(name); };
  const auto first = std::ranges::find_if(objects, begins_so);
  return std::ranges::count_if(objects, begins_so) == 1 ? &*first : nullptr;
}

StatedObjects::Answer StatedObjects::answer(const Question& question) const {
  if (question.ask == Question::Ask::Object) {
    const Object* object = find(question.kind, question.name);
    return object ? Answer{200, json::write(object->document)} : Answer{404, "{}"};
  }
  json::Value list = json::Value::array();
  const auto place = objects_.find(question.ask == Question::Ask::Mounts ? Kind::Container : question.kind);
  if (place != objects_.end())
    for (const Object& object : place->second) list.push(object.document);
  return {200, json::write(list)};
}

}  // namespace podfence::rules
