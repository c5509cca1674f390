#include "fuzz/accepted_body.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "fuzz/fuzz.hpp"
#include "rules/ascii.hpp"
#include "rules/body/address.hpp"
#include "rules/body/checks.hpp"
#include "rules/host_path.hpp"
#include "rules/workspace_volume.hpp"

namespace podfence::fuzz {

namespace {

using namespace rules;

/// A table by the whole path of each field. A path without a row of its own leads to fields that have one.
using Paths = std::map<std::string, const Row*, std::less<>>;

void add(std::string_view path, const Row* row, Paths& paths) {
  std::string walked;
  paths.try_emplace(walked, nullptr);
  while (!path.empty()) {
    const auto step = take_step(path);
    if (!walked.empty() && step != "[]" && step != "{}") walked += '.';
    paths.try_emplace(walked.append(step), nullptr);
  }
  paths[walked] = row;
}

const Paths& paths_of(Body body) {
  static const auto all = [] {
    std::map<Body, Paths> result;
    for (const auto& table : tables())
      for (const auto& part : table.parts)
        for (const auto& row : part.rows) add(std::string(part.prefix).append(row.path), &row, result[table.body]);
    return result;
  }();
  return all.at(body);
}

bool fits(const json::Value& value, Shape shape) {
  switch (shape) {
    case Shape::Text:
      return value.string();
    case Shape::Boolean:
      return value.boolean();
    case Shape::Integer:
      return value.int64().has_value();
    case Shape::Unsigned:
      return value.uint64().has_value();
    case Shape::TextOrNumber:
      return value.string() || value.number();
    case Shape::TextOrList:
      return value.string() || (value.items() && std::ranges::all_of(*value.items(), [](const json::Value& item) {
                                  return item.string();
                                }));
    case Shape::Object:
      return value.members();
    case Shape::Any:
      return false;  // dropped or denied as a whole
  }
  return false;
}

/// Checks of texts that name nothing. All others count as references, and so does what is below them.
bool names_nothing(const Rule& rule) {
  constexpr auto free = std::to_array<Check*>(
      {judge_label, judge_annotation, judge_environment, judge_host_entry, judge_new_name<Kind::Container>,
       judge_new_name<Kind::Pod>, judge_new_name<Kind::Volume>, judge_new_name<Kind::Secret>, judge_kube_name,
       judge_network_name, judge_alias, judge_log_option, judge_group, judge_interface, judge_timezone});
  return rule.kind == Rule::Kind::Checked && std::ranges::find(free, rule.check) != free.end();
}

bool is_namespace(std::string_view path) {
  constexpr auto modes =
      std::to_array<std::string_view>({"HostConfig.NetworkMode", "HostConfig.PidMode", "HostConfig.IpcMode",
                                       "HostConfig.UTSMode", "HostConfig.UsernsMode", "HostConfig.CgroupnsMode"});
  return path.ends_with("ns.nsmode") || std::ranges::find(modes, path) != modes.end();
}

bool is_subnet(std::string_view path) {
  constexpr auto places =
      std::to_array<std::string_view>({"IPAM.Config[].Subnet", "IPAM.Config[].IPRange", "subnets[].subnet"});
  return std::ranges::find(places, path) != places.end();
}

bool is_host_source(std::string_view path, const json::Value& mount) {
  if (path == "mounts[].source") return mount.text("type") != "tmpfs";
  return path == "HostConfig.Mounts[].Source" && mount.text("Type") != "tmpfs" && mount.text("Type") != "volume";
}

/// Where in the container something is put: that may be called like anything else.
bool is_inside(std::string_view path) {
  constexpr auto places =
      std::to_array<std::string_view>({".Target", ".destination", ".Dest", ".Destination", ".mountPath"});
  return std::ranges::any_of(places, [&](std::string_view place) { return path.ends_with(place); });
}

/// Texts that may be the name of a volume.
bool is_foreign(std::string_view text, std::string_view path) {
  if (path == "volumes[].Name" || path == "HostConfig.Mounts[].Source") return is_foreign_volume(text);
  if (path == "HostConfig.Binds[]") return is_foreign_volume(text.substr(0, text.find(':')));
  return !foreign_in(text).empty();
}

class Reading {
 public:
  Reading(Body body, const Setting& setting) : paths_(paths_of(body)), project_(setting.project) {}

  std::size_t labels = 0;

  void value(const json::Value& value, const std::string& path, bool is_reference) {
    const auto place = paths_.find(path);
    claim(place != paths_.end(), "no field outside of the table", path);
    const Row* row = place->second;
    if (is_of_podfence(path, value)) return;
    if (row) check_row(*row, value, path);
    // What is checked as a whole is checked with all that is in it; of the whole content that is the last touch.
    if (row && !path.empty())
      is_reference = (is_reference || row->rule.kind != Rule::Kind::Passed) && !names_nothing(row->rule);
    if (const auto* text = value.string()) check_text(*text, path, is_reference);
    if (const auto* items = value.items()) check_items(*items, row, path, is_reference);
    if (const auto* members = value.members()) check_members(value, *members, path, is_reference);
  }

 private:
  /// A volume of podfence's own, by which a workspace is mounted; clients cannot name one, nor a path below a volume.
  bool is_of_podfence(std::string_view path, const json::Value& mount) const {
    const auto name = path == "volumes[]"             ? mount.text("Name")
                      : path == "HostConfig.Mounts[]" ? mount.text("Source")
                                                      : "";
    if (!is_own_name(name)) return false;
    claim(workspace_of_volume(project_, name), "a volume of podfence is one of the project's workspaces", name);
    return true;
  }

  void check_row(const Row& row, const json::Value& value, const std::string& path) const {
    claim(row.rule.kind != Rule::Kind::Denied && row.rule.kind != Rule::Kind::Dropped,
          "nothing that is denied or dropped", path);
    claim(row.rule.kind == Rule::Kind::Checked || has_deeper(path) || fits(value, row.shape), "the type of the table",
          path);
  }

  bool has_deeper(const std::string& path) const {
    const auto member = paths_.lower_bound(path + ".");
    return path.empty() || paths_.contains(path + "[]") || paths_.contains(path + "{}") ||
           (member != paths_.end() && member->first.starts_with(path + "."));
  }

  void check_text(const std::string& text, const std::string& path, bool is_reference) const {
    if (is_reference && !is_inside(path)) claim(!is_foreign(text, path), "nothing foreign is named", path + " " + text);
    if (is_namespace(path))
      claim(text != "host" && !text.starts_with("ns:") && text != "path", "no namespace of the host",
            path + " " + text);
    if (is_subnet(path))
      claim(is_project_subnet(parse_subnet(text).value(), project_.policy.network.subnets),
            "no subnet but of policy's ranges", path + " " + text);
    if (path == "HostConfig.Binds[]" && text.starts_with('/')) check_source(text.substr(0, text.find(':')), path);
  }

  void check_items(const json::Array& items, const Row* row, const std::string& path, bool is_reference) {
    if (row && row->shape == Shape::TextOrList) return;
    for (const auto& item : items) value(item, path + "[]", is_reference);
  }

  void check_members(const json::Value& object, const json::Object& members, const std::string& path,
                     bool is_reference) {
    for (const auto& member : members) {
      const auto& [name, inner] = member;
      const auto twins = std::ranges::count_if(
          members, [&](const json::Member& other) { return ascii::equal_caseless(other.name, member.name); });
      const auto named = path.empty() ? name : path + "." + name;
      const bool is_field = paths_.contains(named);
      claim(!is_field || twins == 1, "each field once", named);
      if (!is_field && is_reference)
        claim(foreign_in(name).empty(), "no key names something foreign", path + " " + name);
      if (name == project_.label_key) count_label(path, inner);
      if (inner.string() && is_host_source(named, object)) check_source(*inner.string(), named);
      value(inner, is_field ? named : path + "{}", is_reference);
    }
  }

  void count_label(const std::string& path, const json::Value& value) {
    claim(path == "Labels" || path == "labels", "the label's key stands among the labels", path);
    claim(value.string() && *value.string() == project_.id, "the label says the project", path);
    ++labels;
  }

  void check_source(const std::string& source, const std::string& path) const {
    const auto holds = [&](const Workspace& workspace) {
      return source == workspace.host || (project_.policy.bind_subpaths && is_below(source, workspace.host));
    };
    claim(std::ranges::any_of(project_.policy.workspaces, holds) || source == project_.socket ||
              is_below(project_.socket, source),
          "nothing of the host is mounted but workspaces", path + " " + source);
  }

  const Paths& paths_;
  const Project& project_;
};

}  // namespace

bool is_labelled(Body body) {
  switch (body) {
    case Body::ContainerCreateCompat:
    case Body::ContainerCreateLibpod:
    case Body::PodCreate:
    case Body::VolumeCreateCompat:
    case Body::VolumeCreateLibpod:
    case Body::NetworkCreateCompat:
    case Body::NetworkCreateLibpod:
    case Body::SecretCreate:
      return true;
    default:
      return false;
  }
}

bool can_be_said(const std::string& content, const Setting& setting) {
  const auto names = [&](const std::string& text) { return content.find(text) != std::string::npos; };
  const auto& [id, label, policy, socket] = setting.project;
  const auto& gate = policy.network.egress.gate;
  return !names(socket) && !names("\"podfence.") && (gate.empty() || !names('"' + gate + '"')) &&
         std::ranges::none_of(policy.workspaces, [&](const Workspace& workspace) { return names(workspace.host); });
}

void check_accepted(Body body, const json::Value& content, const Setting& setting) {
  Reading reading(body, setting);
  reading.value(content, "", false);
  claim(reading.labels == (is_labelled(body) ? 1 : 0), "the project's label exactly once", json::write(content));
}

}  // namespace podfence::fuzz
