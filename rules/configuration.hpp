#pragma once
// The configuration: a file of JSON with comments, or options of the command line. Text in, values out; files are read
// by the proxy. A configuration that names an unknown key, or that would be wide open, does not load.
// docs/configuration.md tells every key.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/control.hpp"
#include "rules/http_limits.hpp"
#include "rules/json.hpp"
#include "rules/life.hpp"
#include "rules/project.hpp"

namespace podfence::rules {

struct ProjectConfiguration {
  Project project;
  std::string socket;  ///< path of the listening socket; "" means the default place
  Life life = {};      ///< of one that was added
};

/// Where decisions are recorded, and how much of a request.
struct AuditSettings {
  std::string to = "stderr";  ///< path of a file, or one of the words
  bool bodies = false;        ///< what was judged of a request, without what may be a secret
  bool is_file() const { return to.starts_with('/'); }
  friend bool operator==(const AuditSettings&, const AuditSettings&) = default;
};
inline constexpr std::string_view audit_to_standard_error = "stderr", audit_to_journal = "journald";

struct Configuration {
  std::string upstream;  ///< path of Podman's socket; "" means the default place, or a service that podfence starts
  std::string state;     ///< directory of the ledger; "" means the default place
  AuditSettings audit;
  std::vector<ProjectConfiguration> projects;
  std::string admin = {};  ///< path of the operator's socket; "" means none
  HttpLimits http = {};
  std::string label = Project{}.label_key;
  std::vector<ControlListener> control = {};
  std::size_t labelled_projects = 100;  ///< so many have series of their own in the metrics
  bool removes_orphans = false;         ///< things of projects that are not known are removed, not only told of
  bool watch = false;                   ///< the file is read again whenever it changes
  bool unconfined = false;              ///< insecure_unconfined: podfence gives nothing up when it serves
  std::string policies = {};            ///< directory of policy files; "" means the one that comes with podfence
};

struct ConfigurationError {
  std::string where;      ///< JSON pointer, "/projects/p1/socket", "" for the whole; or an option, "--socket"
  std::string what;       ///< "must be an absolute path"
  std::string file = {};  ///< the policy file that it lies in; "" is the configuration itself
  std::size_t line = 0;   ///< 0: there is none to be told
};

/// "FILE:12: /projects/p1/socket must be an absolute path"
std::string text_of(const ConfigurationError& error, const std::string& configuration_file);

/// What the proxy found at a path.
struct FileText {
  std::string text;
  std::string wrong = {};  ///< "cannot be read"; "" when there is a text
};

/// Where policies lie that are named by a name, `DIRECTORY/builder.json`, and how they are read.
struct PolicyFiles {
  std::string directory;  ///< unless the configuration names another one (`policies`)
  std::function<FileText(const std::string& path)> read;
};

std::variant<Configuration, ConfigurationError> read_configuration(std::string_view text,
                                                                   const PolicyFiles& files = {});

/// Where a key of a project's policy stands.
struct PolicyPlace {
  std::string file;      ///< the policy file that it lies in; "" is the configuration itself
  std::size_t line = 0;  ///< 0: none
  std::string where;     ///< JSON pointer; or an option, "--share-image"
  bool stands = false;   ///< false: nothing says it, and that is where it would be put
};

/// A configuration that projects can be added to while podfence runs. Policy files are read once.
class ConfigurationBase {
 public:
  static std::variant<ConfigurationBase, ConfigurationError> read(std::string_view text, const PolicyFiles& files);
  ConfigurationBase(ConfigurationBase&&) noexcept;
  ConfigurationBase& operator=(ConfigurationBase&&) noexcept;
  ~ConfigurationBase();

  const Configuration& configuration() const;
  /// The policy files that were read for it.
  std::vector<std::string> policy_paths() const;
  /// One more project, told as `projects` of the file would have it, beside others that there are, those of the
  /// configuration among them. Pointers of errors begin at the definition.
  std::variant<ProjectConfiguration, ConfigurationError> read_project(
      const std::string& id, const json::Value& definition, const std::vector<const ProjectConfiguration*>& others);
  /// Where a key of a project's policy stands, as policy_place() below. `definition`: of one that was added. nullopt:
  /// there is no such project.
  std::optional<PolicyPlace> place(const std::string& id, const json::Value* definition, std::string_view key);

 private:
  struct State;
  explicit ConfigurationBase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The line of a JSON pointer in a configuration that could be read.
std::size_t line_in_configuration(std::string_view text, std::string_view where);

/// `key` is as refusals name it: "images.shared". The configuration has been read already.
PolicyPlace policy_place(std::string_view text, const PolicyFiles& files, const std::string& project,
                         std::string_view key);

/// The openings of all projects, a line each: "project p1: insecure_bind_subpaths is on: ...".
std::vector<std::string> opening_texts(const Configuration& configuration);

/// What the look at the file system finds wrong with the host path of a project's workspace.
ConfigurationError wrong_workspace(const Project& project, std::size_t index, std::string what);

/// What the command line can say: one project. An empty text means "not said".
struct ServeOptions {
  std::string project = {};
  std::string policy = {};
  std::string socket = {};
  std::string upstream = {};
  std::string state = {};
  std::string audit_log = {};
  std::vector<std::string> shared_images = {};
};

/// The same checks as for a file.
std::variant<Configuration, ConfigurationError> configuration_of(const ServeOptions& options,
                                                                 const PolicyFiles& files = {});

PolicyPlace policy_place(const ServeOptions& options, const PolicyFiles& files, std::string_view key);

}  // namespace podfence::rules
