// What real clients sent keeps its meaning: what is judged and sent on differs from it by the rewrites of one table,
// and by nothing else.

#include <doctest/doctest.h>

#include "tests/rules/body_samples.hpp"

using namespace podfence::tests;

namespace {

/// A documented change. In texts `-` is a value that is absent or zero, `*` any run of characters, `{name}` a name,
/// `{id}` the full id of what has that name. A path may have the folder before it.
struct Rewrite {
  std::string_view path, before, after;
  std::string_view why;
};
constexpr auto rewrites = std::to_array<Rewrite>({
    {"*abels.appx.project", "-", "p1", "the project's label is added"},
    {"name", "*", "-", "of a compat create: the query says it"},
    // Names become ids.
    {"*mage", "{name}", "{id}", "an image"},
    {"*ontainer", "{name}", "{id}", "a container"},
    {"dependencyContainers[]", "{name}", "{id}", "a container"},
    {"HostConfig.PidMode", "container:{name}", "container:{id}", "a container"},
    {"HostConfig.VolumesFrom[]", "{name}:ro", "{id}:ro", "a container"},
    {"volumes_from[]", "{name}:ro", "{id}:ro", "a container"},
    {"*ns.value", "{name}", "{id}", "a container"},
    {"pod", "{name}", "{id}", "a pod"},
    {"exec-create-compat/Container", "*", "-", "the path says it"},
    // The default network.
    {"HostConfig.NetworkMode", "-", "private", "the network of containers that name none"},
    {"HostConfig.NetworkMode", "default", "private", "likewise"},
    {"HostConfig.NetworkMode", "bridge", "private", "likewise"},
    {"HostConfig.NetworkMode", "container:{name}", "container:{id}", "a container"},
    {"HostConfig.NetworkMode", "{name}", "{id}", "a network"},
    {"netns.nsmode", "-", "private", "the network of containers that name none"},
    {"netns.nsmode", "bridge", "private", "likewise"},
    {"netns.nsmode", "slirp4netns", "private", "likewise"},
    {"pod-create/netns.nsmode", "bridge", "-", "a pod without infra container has no network of its own"},
    {"Networks.default", "*", "-", "the shared network is left out, and a name on it"},
    // What says nothing, or nothing that Podman hears.
    {"HostConfig.MemorySwappiness", "-1", "-", "Podman's own default"},
    {"HostConfig.LogConfig.Config.max-file", "*", "-", "Podman has one file"},
    {"created", "0001-01-01T00:00:00Z", "-", "Go's zero time"},
    {"userns.nsmode", "default", "-", "the rootless user's own"},
    {"userns.nsmode", "host", "-", "likewise: it is no user namespace of the host's root"},
    {"seccomp_policy", "default", "-", "Podman's own default"},
    {"idmappings.HostUIDMapping", "true", "-", "Podman's own default"},
    {"idmappings.HostGIDMapping", "true", "-", "Podman's own default"},
    {"*reate*ommand", "*", "-", "a note of the client's"},
    {"raw_image_name", "*", "-", "the image is sent on as its id"},
    {"annotations.io.kubernetes.cri-o.TTY", "*", "-", "says what `terminal` says"},
    {"annotations.io.podman.annotations.userns", "*", "-", "says what `userns` says"},
    {"exec-start/stdin", "true", "-", "dockerode's own"},
    {"exec-start/hijack", "true", "-", "dockerode's own"},
    {"network-connect-libpod/EndpointConfig", "*", "-", "Docker's form, which Podman does not hear here"},
    // What is forced.
    {"httpproxy", "true", "-", "the proxy variables of the host are not a client's"},
    {"sdnotifyMode", "*", "ignore", "the service's notify socket is not a client's"},
    {"CheckDuplicate", "-", "true", "a name is one network's"},
    {"*ptions.isolate", "-", "true", "networks do not reach each other"},
    {"*.host_ip", "-", "127.0.0.1", "ports are published on the loopback"},
    {"*.HostIp", "-", "127.0.0.1", "likewise"},
    {"HostConfig.PublishAllPorts", "true", "-", "exposed ports are published one by one"},
    {"publish_image_ports", "true", "-", "likewise"},
    {"portmappings[].container_port", "-", "8080", "likewise"},
    {"portmappings[].protocol", "-", "tcp", "likewise"},
    {"HostConfig.SecurityOpt[]", "-", "no-new-privileges", "set-user-id programs do not work"},
    {"HostConfig.SecurityOpt[]", "no-new-privileges:true", "no-new-privileges", "two spellings"},
    {"no_new_privileges", "-", "true", "set-user-id programs do not work"},
    {"HostConfig.LogConfig.Config.max-size", "-", "104857600", "logs have an end"},
    {"log_configuration.size", "-", "104857600", "logs have an end"},
    // Mounts.
    {"HostConfig.Binds[]", "/workspace:{name}:ro", "/srv/p1:{name}:ro,nosuid,nodev,rprivate,rbind", "a workspace"},
    {"HostConfig.Binds[]", "/workspace:{name}:rw", "/srv/p1:{name}:rw,nosuid,nodev,rprivate,rbind", "a workspace"},
    {"HostConfig.Binds[]", "/workspace:{name}", "/srv/p1:{name}:rw,nosuid,nodev,rprivate,rbind", "a workspace"},
    {"HostConfig.Binds[]", "/run/podfence/p1/podman.sock:{name}:rw",
     "/run/podfence/p1/podman.sock:{name}:rw,nosuid,nodev,rprivate,rbind", "the project's own socket"},
    {"mounts[].source", "/workspace", "/srv/p1", "a workspace"},
    {"mounts[].options[]", "-", "rbind", "Podman's own default"},
    {"mounts[].options[]", "-", "rprivate", "mounts do not come back to the host"},
    {"mounts[].options[]", "-", "rw", "Podman's own default"},
    {"HostConfig.Mounts[].TmpfsOptions.Mode", "-", "1023", "what Docker does"},
    {"*[]", "-", "nosuid", "of every tmpfs and mount of the host"},
    {"*[]", "-", "nodev", "of every tmpfs and mount of the host"},
    {"*[]", "-", "size=1073741824", "every tmpfs has a size"},
    {"*[]", "size=1m", "size=1048576", "sizes are written as bytes"},
    {"*[]", "size=10m", "size=10485760", "likewise"},
    {"*[]", "size=16m", "size=16777216", "likewise"},
});

/// Maps whose keys are names that become ids.
constexpr std::string_view maps_by_name[] = {"NetworkingConfig.EndpointsConfig", "Networks", "networks"};
/// Lists whose order says nothing.
constexpr std::string_view sets[] = {"HostConfig.Binds", "HostConfig.SecurityOpt", "mounts[].options",
                                     "HostConfig.Tmpfs.*"};

bool like(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t at = star; at <= text.size(); ++at)
    if (like(pattern.substr(star + 1), text.substr(at))) return true;
  return false;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (std::istringstream stream{std::string(text)}; stream.good();)
    if (std::string part; std::getline(stream, part, ',')) parts.push_back(part);
  return parts;
}

bool matches_any(std::span<const std::string_view> patterns, std::string_view path) {
  return std::ranges::any_of(patterns, [&](auto pattern) { return like(pattern, path); });
}

bool absent(const json::Value* value) { return !value || value->is_zero(); }
bool scalar(const json::Value* value) { return !absent(value) && !value->members() && !value->items(); }
std::string text_of(const json::Value* value) {
  return absent(value) ? "-" : value->string() ? *value->string() : json::write(*value);
}

/// The member of that name, as Podman matches names.
const json::Value* member_of(const json::Value* object, std::string_view name) {
  if (absent(object)) return nullptr;
  const auto same = [](char left, char right) { return std::tolower(left) == std::tolower(right); };
  for (const auto& member : *object->members())
    if (std::ranges::equal(member.name, name, same)) return &member.value;
  return nullptr;
}

/// A bind among the Mounts of a compat create says what one among its Binds says, and is sent on as such.
void move_binds(json::Value& content) {
  auto* host = content.find("HostConfig");
  auto* mounts = host ? host->find("Mounts") : nullptr;
  if (!mounts || !mounts->items()) return;
  json::Value binds = json::Value::array(), rest = json::Value::array();
  if (const auto* own = host->find("Binds"); own && own->items()) binds = *own;
  for (const auto& mount : *mounts->items()) {
    if (mount.text("Type") != "bind") {
      rest.push(mount);
      continue;
    }
    const bool read_only = !absent(mount.find("ReadOnly"));
    binds.push(std::string(mount.text("Source")) + ":" + std::string(mount.text("Target")) +
               (read_only ? ":ro" : ":rw"));
  }
  host->set("Mounts", std::move(rest));
  host->set("Binds", std::move(binds));
}

/// Both names of a libpod volume's labels are sent on as one.
void move_labels(json::Value& content) {
  if (!absent(content.find("Label"))) content.set("Labels", *content.find("Label"));
  content.erase("Label");
}

class Comparison {
 public:
  Comparison(std::string_view folder, Everything& everything, std::set<const Rewrite*>& used)
      : folder_(folder), everything_(everything), used_(used) {}

  /// Lines "path: before -> after", one per difference that no rewrite explains.
  std::string differences;

  void compare(const std::string& path, const json::Value* before, const json::Value* after) {
    const auto left = text_of(before), right = text_of(after);
    const auto* kind = absent(before) ? after : before;
    if (left == right || explained(path, left, right)) return;
    if (matches_any(sets, path) && absent(before) + absent(after) < 2)
      compare_sets(path + "[]", texts_of(before), texts_of(after));
    else if (scalar(before) || scalar(after))
      differences += path + ": " + left + " -> " + right + "\n";
    else if (kind->members())
      compare_members(path, before, after);
    else
      compare_items(path + "[]", before, after);
  }

 private:
  static std::vector<std::string> texts_of(const json::Value* value) {
    std::vector<std::string> texts;
    if (absent(value)) return texts;
    if (!value->items()) return split(text_of(value));
    for (const auto& item : *value->items()) texts.push_back(text_of(&item));
    return texts;
  }

  void compare_members(const std::string& path, const json::Value* before, const json::Value* after) {
    const bool by_name = matches_any(maps_by_name, path);
    const auto place = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
    const auto sent = [&](const std::string& name) { return by_name ? everything_.id_of(name) : name; };
    std::set<const json::Value*> met;
    if (!absent(before))
      for (const auto& member : *before->members()) {
        const auto* other = member_of(after, sent(member.name));
        met.insert(other);
        compare(place(member.name), &member.value, other);
      }
    if (!absent(after))
      for (const auto& member : *after->members())
        if (!met.contains(&member.value)) compare(place(member.name), nullptr, &member.value);
  }

  void compare_items(const std::string& path, const json::Value* before, const json::Value* after) {
    const json::Array none, &left = absent(before) ? none : *before->items(),
                            &right = absent(after) ? none : *after->items();
    for (std::size_t index = 0; index < std::max(left.size(), right.size()); ++index)
      compare(path, index < left.size() ? &left[index] : nullptr, index < right.size() ? &right[index] : nullptr);
  }

  void compare_sets(const std::string& path, std::vector<std::string> before, std::vector<std::string> after) {
    const auto pair_off = [&](auto same) {
      std::erase_if(before, [&](const auto& left) {
        const auto right = std::ranges::find_if(after, [&](const auto& text) { return same(left, text); });
        if (right == after.end()) return false;
        after.erase(right);
        return true;
      });
    };
    pair_off([](const auto& left, const auto& right) { return left == right; });
    pair_off([&](const auto& left, const auto& right) { return explained(path, left, right); });
    for (const auto& left : before)
      if (!explained(path, left, "-")) differences += path + ": " + left + " -> -\n";
    for (const auto& right : after)
      if (!explained(path, "-", right)) differences += path + ": - -> " + right + "\n";
  }

  bool explained(const std::string& path, std::string_view before, std::string_view after) {
    for (const auto& rewrite : rewrites) {
      const bool here = like(rewrite.path, path) || like(rewrite.path, folder_ + "/" + path);
      if (!here || !explains(rewrite, before, after)) continue;
      used_.insert(&rewrite);
      return true;
    }
    return false;
  }

  bool explains(const Rewrite& rewrite, std::string_view before, std::string_view after) {
    const auto mark = rewrite.before.find("{name}");
    if (mark == std::string_view::npos) return like(rewrite.before, before) && like(rewrite.after, after);
    const auto head = rewrite.before.substr(0, mark), tail = rewrite.before.substr(mark + 6);
    if (before == "-" || !before.starts_with(head) || !before.ends_with(tail)) return false;
    if (before.size() <= head.size() + tail.size()) return false;
    const std::string name(before.substr(head.size(), before.size() - head.size() - tail.size()));
    std::string expected(rewrite.after);
    if (const auto at = expected.find("{id}"); at != std::string::npos)
      expected.replace(at, 4, everything_.id_of(name));
    if (const auto at = expected.find("{name}"); at != std::string::npos) expected.replace(at, 6, name);
    return expected == after;
  }

  std::string folder_;
  Everything& everything_;
  std::set<const Rewrite*>& used_;
};

}  // namespace

TEST_CASE("what clients really send keeps its meaning") {
  Everything everything;
  std::set<const Rewrite*> used;
  std::size_t compared = 0;
  for (const auto& sample : samples()) {
    if (!refusal_of(sample).empty()) continue;
    CAPTURE(sample.name);
    auto before = std::get<json::Value>(json::parse(sample.text));
    if (sample.folder->body == Body::ContainerCreateCompat) move_binds(before);
    if (sample.folder->body == Body::VolumeCreateLibpod) move_labels(before);
    const auto judged = everything.judge(sample);
    CHECK(judged.denied == "");
    if (!judged.denied.empty()) continue;
    const auto after = std::get<json::Value>(json::parse(judged.text));
    Comparison comparison(sample.folder->name, everything, used);
    comparison.compare("", &before, &after);
    CHECK(comparison.differences == "");
    ++compared;
  }
  CHECK(compared >= 60);
  for (const auto& rewrite : rewrites) {
    CAPTURE(rewrite.path);
    CAPTURE(rewrite.before);
    CHECK(used.contains(&rewrite));  // else no sample shows it, and it hides faults
  }
}
