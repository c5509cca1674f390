#include "rules/build/options.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "rules/ascii.hpp"
#include "rules/body.hpp"
#include "rules/contains.hpp"
#include "rules/out_of_bounds.hpp"
#include "rules/query.hpp"
#include "rules/units.hpp"

namespace podfence::rules::build {

namespace {

using Failure = std::optional<Deny>;
using Texts = std::vector<std::string>;

constexpr auto ignore_files = std::to_array<std::string_view>({".containerignore", ".dockerignore"});
constexpr std::string_view default_seccomp = "/usr/share/containers/seccomp.json";
constexpr std::int64_t max_jobs = 8;

// Podman's defaults (compat/images_build.go). libpod's endpoint must be told: without one it never looks into its
// cache.
constexpr std::string_view docker_format = "application/vnd.docker.distribution.manifest.v2+json";
constexpr std::string_view libpod_format = "application/vnd.oci.image.manifest.v1+json";

Deny bad_value(std::string_view parameter) { return {refusal("query.value"), std::string(parameter), Kind::None}; }
Deny refused(std::string_view parameter) { return {refusal("query.refused"), std::string(parameter), Kind::None}; }

struct Reader {
  const Request& request;
  const Project& project;
  Options options;

  Texts values(std::string_view name) const {
    auto all = values_of(request.target, name);
    std::erase(all, "");
    return all;
  }
  /// The table refuses a second one.
  std::string value(std::string_view name) const {
    const auto all = values(name);
    return all.empty() ? "" : all.front();
  }
  bool is_libpod() const { return !request.target.segments.empty() && request.target.segments.front() == "libpod"; }
  bool is_true(std::string_view name) const {
    constexpr auto yes = std::to_array<std::string_view>({"1", "t", "true", "on", "yes", "always"});
    return contains(yes, ascii::lower(value(name)));
  }

  /// A JSON list of texts; a single text where it is none.
  std::optional<Texts> texts(std::string_view name) const {
    const auto text = value(name);
    if (text.empty() || text == "null") return Texts();
    if (!text.starts_with('[')) return Texts{text};
    const auto parsed = json::parse(text);
    const auto* list = std::get_if<json::Value>(&parsed);
    if (!list || !list->items()) return std::nullopt;
    Texts result;
    for (const auto& item : *list->items()) {
      if (!item.string()) return std::nullopt;
      result.push_back(*item.string());
    }
    return result;
  }

  /// A JSON object of texts, or a list of `name=text`; null members are left out.
  std::optional<std::vector<std::pair<std::string, std::string>>> pairs(std::string_view name) const {
    std::vector<std::pair<std::string, std::string>> result;
    const auto text = value(name);
    if (text.empty() || text == "null") return result;
    const auto parsed = json::parse(text);
    const auto* document = std::get_if<json::Value>(&parsed);
    if (!document) return std::nullopt;
    if (const auto* members = document->members()) {
      for (const auto& member : *members) {
        if (member.value.is_null()) continue;
        if (!member.value.string()) return std::nullopt;
        result.emplace_back(member.name, *member.value.string());
      }
      return result;
    }
    if (!document->items()) return std::nullopt;
    for (const auto& item : *document->items()) {
      if (!item.string()) return std::nullopt;
      const auto equals = item.string()->find('=');
      result.emplace_back(item.string()->substr(0, equals),
                          equals == std::string::npos ? "" : item.string()->substr(equals + 1));
    }
    return result;
  }

  Failure read_files() {
    const auto files = texts("dockerfile");
    if (!files) return bad_value("dockerfile");
    std::set<std::string> seen;
    for (const auto& file : *files) {
      const auto clean = clean_member_name(file);
      if (!clean || clean->empty() || file.find("://") != std::string::npos)
        return Deny{refusal("build.file-name"), file, Kind::None};
      if (!seen.insert(*clean).second) return bad_value("dockerfile");
      options.files.push_back(*clean);
    }
    options.names_files = !options.files.empty();
    if (options.names_files) return std::nullopt;
    options.files = is_libpod() ? Texts{"Containerfile", "Dockerfile"} : Texts{"Dockerfile"};
    return std::nullopt;
  }

  Failure read_names() {
    options.tags = values("t");
    options.quiet = is_true("q");
    options.target = value("target");
    options.from = value("from");
    const auto labels = pairs("labels");
    if (!labels) return bad_value("labels");
    for (const auto& [name, text] : *labels) {
      if (auto deny = check_label(name, text, project)) return deny;
      if (name != project.label_key) options.labels.emplace_back(name, text);
    }
    for (const auto& name : values("unsetlabel"))
      if (name != project.label_key) options.pairs.push_back({"unsetlabel", name});
    const auto arguments = pairs("buildargs");
    if (!arguments) return bad_value("buildargs");
    for (const auto& [name, text] : *arguments) options.arguments[name] = text;
    for (const auto& entry : values("setenv")) {
      if (entry.find('=') == std::string::npos) return Deny{refusal("env.host"), entry, Kind::None};
      options.pairs.push_back({"setenv", entry});
    }
    return std::nullopt;
  }

  Failure read_images() {
    const auto version = value("version");
    if (!version.empty() && version != "1") return Deny{refusal("build.buildkit"), version, Kind::None};
    options.format = is_libpod() ? libpod_format : docker_format;
    if (const auto format = value("outputformat"); is_libpod() && !format.empty()) options.format = format;
    const auto policy = value("pullpolicy");
    if (policy == "never")
      options.pull = PullPolicy::Never;
    else if (policy == "always" || policy == "newer" || is_true("pull"))
      options.pull = PullPolicy::Newer;
    else if (!policy.empty() && policy != "missing" && policy != "ifnewer" && policy != "ifmissing")
      return bad_value("pullpolicy");
    const auto platforms = values("platform");
    if (platforms.size() > 1 || (!platforms.empty() && platforms.front().find(',') != std::string::npos))
      return refused("platform");
    if (!platforms.empty() && platforms.front() != "/") options.platform = platforms.front();
    return std::nullopt;
  }

  /// `id=NAME,src=FILE`: podman --remote puts the file into the context.
  Failure read_secrets() {
    const auto secrets = texts("secrets");
    if (!secrets) return bad_value("secrets");
    for (const auto& text : *secrets) {
      Secret secret;
      for (std::string_view rest = text; !rest.empty();) {
        const auto option = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), option.size() + 1));
        const auto name = option.substr(0, option.find('='));
        const auto value = option.substr(std::min(option.size(), name.size() + 1));
        if (name == "id")
          secret.id = value;
        else if (name == "src")
          secret.source = value;
        else if (name != "type" || value != "file")
          return Deny{refusal("build.secret"), std::string(option), Kind::None};
      }
      const auto clean = clean_member_name(secret.source);
      if (!clean || clean->empty() || secret.id.empty()) return Deny{refusal("build.secret"), text, Kind::None};
      secret.source = *clean;
      options.secrets.push_back(std::move(secret));
    }
    return std::nullopt;
  }

  Failure read_excludes() {
    if (values_of(request.target, "excludes").empty()) return std::nullopt;
    options.excludes = texts("excludes");
    return options.excludes ? std::nullopt : std::optional(bad_value("excludes"));
  }

  Failure read_hosts() {
    auto hosts = texts("extrahosts");
    if (!hosts) return bad_value("extrahosts");
    for (const auto& host : *hosts)
      if (auto deny = check_host_entry(host)) return deny;
    options.hosts = *std::move(hosts);
    return std::nullopt;
  }

  /// Docker's words and Podman's numbers (buildah: NetworkConfigurationPolicy). A RUN step gets a network of its own or
  /// none, whatever else is asked for.
  Failure read_network() {
    constexpr auto own = std::to_array<std::string_view>({"", "0", "2", "default", "private", "bridge"});
    const auto mode = value("networkmode");
    if (mode == "1" || mode == "none")
      options.network = false;
    else if (!contains(own, mode))
      return Deny{refusal("build.network"), mode, Kind::None};
    return read_namespaces();
  }

  Failure read_namespaces() {
    const auto text = value("nsoptions");
    if (text.empty()) return std::nullopt;
    const auto parsed = json::parse(text);
    const auto* list = std::get_if<json::Value>(&parsed);
    if (!list || (!list->items() && !list->is_null())) return bad_value("nsoptions");
    if (list->is_null()) return std::nullopt;
    for (const auto& option : *list->items()) {
      const bool user = option.text("Name") == "user";
      if (!option.text("Path").empty() || (option.flag("Host") && !user))
        return Deny{refusal("build.network"), std::string(option.text("Name")), Kind::None};
    }
    return std::nullopt;
  }

  /// What policy bounds in containers is bounded here.
  Failure read_amounts() {
    const auto seccomp = value("seccomp");
    if (!seccomp.empty() && seccomp != default_seccomp)
      return Deny{refusal("privilege.security-option"), "seccomp", Kind::None};
    if (is_true("skipunusedstages") == false && !value("skipunusedstages").empty()) options.all_stages = true;
    if (options.all_stages) options.pairs.push_back({"skipunusedstages", "false"});
    if (auto deny = read_bounded("memory", Amount::Memory)) return deny;
    if (auto deny = read_bounded("memswap", Amount::Memory)) return deny;
    if (auto deny = read_bounded("shmsize", Amount::SharedMemory)) return deny;
    if (auto deny = read_processors()) return deny;
    for (const std::string_view name : {"cpusetcpus", "cpusetmems"}) {
      const auto set = value(name);
      if (set.find_first_not_of("0123456789,-") != std::string::npos) return bad_value(name);
      if (!set.empty()) options.pairs.push_back({std::string(name), set});
    }
    const auto jobs = value("jobs");
    if (jobs.empty()) return std::nullopt;
    const auto number = json::Value(json::Number{jobs}).int64();
    if (!number || *number < 1 || *number > max_jobs)
      return out_of_bounds("jobs", jobs, "most", std::to_string(max_jobs));
    options.pairs.push_back({"jobs", jobs});
    return std::nullopt;
  }

  Failure read_bounded(std::string_view name, Amount amount) {
    const auto text = value(name);
    if (text.empty() || text == "0") return std::nullopt;
    const auto number = json::Value(json::Number{text}).int64();
    const auto most = project.policy.limit(amount).most;
    const bool clamped = amount_rows[static_cast<std::size_t>(amount)].clamped;
    if (!number || *number < 0) return bad_value(name);
    if (most && *number > *most && !clamped) return Deny{refusal("limit.policy"), std::string(name), Kind::None};
    options.pairs.push_back({std::string(name), std::to_string(most ? std::min(*number, *most) : *number)});
    return std::nullopt;
  }

  Failure read_processors() {
    const auto quota = json::Value(json::Number{value("cpuquota")}).int64();
    if (!quota || *quota <= 0) return std::nullopt;
    const auto period = json::Value(json::Number{value("cpuperiod")}).int64().value_or(0);
    const auto length = period > 0 ? period : default_period;
    const auto most = project.policy.limit(Amount::Cpus).most;
    if (most && cpus_of_quota(*quota, length) > *most) return Deny{refusal("limit.policy"), "cpuquota", Kind::None};
    options.pairs.push_back({"cpuperiod", std::to_string(length)});
    options.pairs.push_back({"cpuquota", std::to_string(*quota)});
    return std::nullopt;
  }
};

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::variant<Options, Deny> read_options(const Request& request, const Project& project) {
  Reader reader{request, project, {}};
  constexpr auto steps = std::to_array<Failure (Reader::*)()>(
      {&Reader::read_files, &Reader::read_names, &Reader::read_images, &Reader::read_secrets, &Reader::read_excludes,
       &Reader::read_hosts, &Reader::read_network, &Reader::read_amounts});
  for (const auto step : steps)
    if (auto deny = (reader.*step)()) return *std::move(deny);
  return std::move(reader.options);
}

std::string written_secret(std::size_t number) { return ".podfence.secret-" + std::to_string(number); }

ArchiveRules context_rules(const Options& options) {
  ArchiveRules rules{.is_extracted = true};
  rules.texts = options.files;
  rules.texts.insert(rules.texts.end(), ignore_files.begin(), ignore_files.end());
  for (const auto& secret : options.secrets) rules.texts.push_back(secret.source);
  rules.reserved = written_prefix;
  return rules;
}

std::vector<std::string> excludes_of(const Options& options, const Archive& context) {
  Texts excludes;
  if (options.excludes) {
    excludes = *options.excludes;
  } else {
    const auto* const file = std::ranges::find_if(
        ignore_files, [&](std::string_view name) { return context.texts.find(name) != context.texts.end(); });
    std::string_view text = file == ignore_files.end() ? std::string_view() : context.texts.find(*file)->second;
    while (!text.empty()) {
      const auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const auto pattern = trimmed(line);
      if (!pattern.empty() && !line.starts_with('#')) excludes.emplace_back(pattern);
    }
  }
  excludes.emplace_back(written_file);
  for (std::size_t number = 0; number < options.secrets.size(); ++number) excludes.push_back(written_secret(number));
  return excludes;
}

}  // namespace podfence::rules::build
