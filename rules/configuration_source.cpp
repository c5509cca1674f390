#include "rules/configuration_source.hpp"

#include <algorithm>

#include "rules/configuration_schema.hpp"
#include "rules/configuration_text.hpp"
#include "rules/json_pointer.hpp"
#include "rules/policy_reading.hpp"

namespace podfence::rules {
namespace {

constexpr std::size_t max_projects = 65'536;

/// How much of a pointer there is in a value.
std::size_t depth_within(const json::Value& value, const std::vector<std::string>& names) {
  std::string pointer;
  std::size_t depth = 0;
  for (const std::string& name : names) {
    pointer = json::extended(pointer, name);
    if (!json::find(value, pointer)) break;
    ++depth;
  }
  return depth;
}

}  // namespace

ConfigurationError error_at(const Source& source, std::string where, std::string what) {
  const std::size_t line = json::line_of(source.plain, where);
  return {std::move(where), std::move(what), source.file, line};
}

std::variant<Source, ConfigurationError> read_source(std::string file, std::string_view text,
                                                     const json::Schema& schema) {
  const auto broken = [&](std::size_t at, std::string what) {
    return ConfigurationError{"", std::move(what), file, json::line_at(text, at)};
  };
  if (text.starts_with("\xEF\xBB\xBF")) return broken(0, "must not begin with a byte order mark");
  auto plain = strip_comments(text);
  if (const auto* open = std::get_if<OpenComment>(&plain))
    return broken(open->at, "a comment that begins with /* has no end");
  Source source{file, std::get<std::string>(std::move(plain)), {}};
  auto parsed = json::parse(source.plain, {.names = max_projects});
  if (auto* error = std::get_if<json::Error>(&parsed)) return broken(error->at, std::move(error->what));
  source.value = std::get<json::Value>(std::move(parsed));
  if (auto violation = schema.check(source.value))
    return error_at(source, std::move(violation->where), std::move(violation->what));
  return source;
}

ConfigurationError error_within(std::span<const Layer> layers, const std::string& where, std::string what,
                                const std::string& whose) {
  const auto names = json::names_of_pointer(where);
  const Layer* nearest = &layers.back();
  for (const Layer& layer : layers)
    if (&layer != nearest && depth_within(*layer.value, names) > depth_within(*nearest->value, names)) nearest = &layer;
  if (nearest != &layers.back()) what += whose;
  return error_at(*nearest->source, nearest->at + where, std::move(what));
}

std::variant<Policy, ConfigurationError> policy_of(std::span<const Layer> layers, const std::string& whose) {
  json::Value all = json::Value::object();
  for (const Layer& layer : layers) {
    // By itself, so that a mistake is told where it was made, also when a higher layer covers it.
    const auto read = read_policy(*layer.value);
    if (const auto* error = std::get_if<PolicyError>(&read))
      return error_at(*layer.source, layer.at + error->where, error->what);
    all = merged(std::move(all), *layer.value);
  }
  auto read = read_policy(all);
  const auto* error = std::get_if<PolicyError>(&read);
  const auto unfit = error ? std::optional(*error) : check_policy(std::get<Policy>(read));
  if (unfit) return error_within(layers, unfit->where, unfit->what, whose);
  return std::get<Policy>(std::move(read));
}

std::vector<std::string> PolicyShelf::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, source] : sources_) paths.push_back(path);
  return paths;
}

std::string PolicyShelf::wrong_with_name(const std::string& name) {
  static const json::Schema schema(configuration_schema, "policy_name");
  if (const auto violation = schema.check(name)) return violation->what;
  const char* wrong = name.starts_with('/') ? wrong_with_path(name) : nullptr;
  return wrong ? wrong : "";
}

std::variant<const Source*, std::string, ConfigurationError> PolicyShelf::find(const std::string& name) {
  static const json::Schema schema(configuration_schema, "policy");
  if (auto wrong = wrong_with_name(name); !wrong.empty()) return wrong;
  const std::string path = name.starts_with('/') ? name : files_.directory + "/" + name + ".json";
  if (const auto known = sources_.find(path); known != sources_.end()) return &known->second;
  const FileText file = files_.read ? files_.read(path) : FileText{"", "cannot be read"};
  if (!file.wrong.empty()) return "names " + path + ", which " + file.wrong;
  auto source = read_source(path, file.text, schema);
  if (auto* error = std::get_if<ConfigurationError>(&source)) return std::move(*error);
  return &sources_.emplace(path, std::get<Source>(std::move(source))).first->second;
}

std::string text_of(const ConfigurationError& error, const std::string& configuration_file) {
  std::string text = error.file.empty() ? configuration_file : error.file;
  if (error.line > 0) text += ':' + std::to_string(error.line);
  return text + ": " + (error.where.empty() ? "" : error.where + " ") + error.what;
}

std::size_t line_in_configuration(std::string_view text, std::string_view where) {
  const auto plain = strip_comments(text);
  return json::line_of(std::get<std::string>(plain), where);
}

std::vector<std::string> opening_texts(const Configuration& configuration) {
  std::vector<std::string> texts;
  if (configuration.unconfined)
    texts.push_back("insecure_unconfined is on: what takes podfence over has all that its user has");
  for (const auto& [project, socket, life] : configuration.projects)
    for (const auto& text : opening_texts(project.policy)) texts.push_back("project " + project.id + ": " + text);
  return texts;
}

ConfigurationError wrong_workspace(const Project& project, std::size_t index, std::string what) {
  return {json::extended("/projects", project.id) + "/workspace/" + std::to_string(index) + "/host", std::move(what)};
}

}  // namespace podfence::rules
