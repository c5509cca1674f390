// Which configurations load, what they mean, and what a person reads about those that do not.
#include "rules/configuration.hpp"

#include <doctest/doctest.h>

#include "rules/configuration_text.hpp"

using namespace podfence::rules;

namespace {

using Texts = std::vector<std::string>;

Configuration loaded(std::string_view text) {
  auto result = read_configuration(text);
  const auto* error = std::get_if<ConfigurationError>(&result);
  REQUIRE_MESSAGE(error == nullptr, (error ? error->where + " " + error->what : ""));
  return std::get<Configuration>(std::move(result));
}

/// "line where: what", or "loaded". Errors of the command line have no line.
std::string refused(const std::variant<Configuration, ConfigurationError>& result) {
  const auto* error = std::get_if<ConfigurationError>(&result);
  if (!error) return "loaded";
  return (error->line ? std::to_string(error->line) + " " : "") + error->where + ": " + error->what;
}

std::string refused(std::string_view text) { return refused(read_configuration(text)); }

}  // namespace

TEST_CASE("a whole configuration means what it says") {
  const Configuration configuration = loaded(R"({
    // Podman's own socket.
    "upstream": "/run/user/1000/podman/podman.sock",
    "state": "/var/lib/podfence", /* the ledger */
    "audit": {"to": "/var/log/podfence.log", "bodies": "redacted"},
    "label": "example.tenant",
    "defaults": {"images": {"shared": ["localhost/*"]}},
    "projects": {
      "p1": {"socket": "/run/podfence/p1/podman.sock"},
      "p10": {"images": {"shared": ["docker.io/library/alpine:3.20", "quay.io/base/*"]}},
      "closed": {"images": {"shared": []}}
    }
  })");
  CHECK(configuration.upstream == "/run/user/1000/podman/podman.sock");
  CHECK(configuration.state == "/var/lib/podfence");
  CHECK(configuration.audit == AuditSettings{"/var/log/podfence.log", true});
  REQUIRE(configuration.projects.size() == 3);
  const auto& p1 = configuration.projects[0];
  const auto& p10 = configuration.projects[1];
  const auto& closed = configuration.projects[2];
  CHECK(p1.project.id == "p1");
  CHECK(p1.project.label_key == "example.tenant");
  CHECK(p1.socket == "/run/podfence/p1/podman.sock");
  CHECK(p1.project.policy.shared_images == Texts{"localhost/*"});
  CHECK(p10.project.id == "p10");
  CHECK(p10.socket.empty());
  CHECK(p10.project.policy.shared_images == Texts{"docker.io/library/alpine:3.20", "quay.io/base/*"});
  CHECK(closed.project.policy.shared_images.empty());
}

TEST_CASE("the smallest configuration is one project, and shares nothing") {
  const Configuration configuration = loaded(R"({"projects": {"p1": {}}})");
  CHECK(configuration.upstream.empty());
  CHECK(configuration.state.empty());
  CHECK(configuration.audit == AuditSettings{"stderr", false});
  REQUIRE(configuration.projects.size() == 1);
  CHECK(configuration.projects[0].project.label_key == "appx.project");
  CHECK(configuration.projects[0].project.policy.shared_images.empty());
}

TEST_CASE("defaults and label count for all projects wherever they stand") {
  const Configuration configuration =
      loaded(R"({"projects": {"p1": {}}, "defaults": {"images": {"shared": ["localhost/*"]}}, "label": "a.b"})");
  CHECK(configuration.projects[0].project.policy.shared_images == Texts{"localhost/*"});
  CHECK(configuration.projects[0].project.label_key == "a.b");
}

TEST_CASE("a wrong configuration does not load, and the reason says where and what") {
  struct Row {
    std::string text;
    std::string reason;  ///< the beginning of it
  };
  const Row rows[] = {
      {"", "1 : The document is empty"},
      {"[]", "1 : must be an object"},
      {"{} {}", "1 : The document root must not be followed by other values"},
      {R"({"projects": {}})",
       "1 /projects: must name a project, unless there is `admin`, the socket by which some are added"},
      {"{}", "1 : must name a project, unless there is `admin`, the socket by which some are added"},
      {R"({"project": {"p1": {}}})",
       "1 /project: is not a key that is known here; known are: upstream, state, audit, admin, orphans, watch, "
       "insecure_unconfined, label, policies, control, http, metrics, "
       "defaults, "
       "projects"},
      {R"({"projects": {"p1": {}}, "metrics": {"labelled_projects": 10001}})",
       "1 /metrics/labelled_projects: must be a number from 0 to 10000"},
      {R"({"Projects": {"p1": {}}})", "1 /Projects: is not a key"},
      {R"({"projects": {"p1": {"sockets": "/a"}}})",
       "1 /projects/p1/sockets: is not a key that is known here; known are: socket, policy, access, names, images, "},
      {R"({"projects": {"p1": {"images": {"share": []}}}})",
       "1 /projects/p1/images/share: is not a key that is known here; known are: shared"},
      {R"({"projects": {"p1": {}}, "defaults": {"socket": "/a"}})", "1 /defaults/socket: is not a key"},
      {R"({"projects": {"p1": {}}, "a/b~c": 1})", "1 /a~1b~0c: is not a key"},
      {R"({"projects": {"p1": {}, "p1": {}}})", "1 : the name \"p1\" stands twice in one object"},
      {R"({"projects": {"P1": {}}})", "1 /projects/P1: must be a project id"},
      {R"({"projects": {"-p": {}}})", "1 /projects/-p: must be a project id"},
      {R"({"projects": {"": {}}})", "1 /projects/: must be a project id"},
      {R"({"projects": {"a/b": {}}})", "1 /projects/a~1b: must be a project id"},
      {R"({"projects": {"p1": null}})", "1 /projects/p1: must be an object"},
      {R"({"projects": ["p1"]})", "1 /projects: must be an object of projects by id"},
      {R"({"projects": {"p1": {"socket": "podman.sock"}}})", "1 /projects/p1/socket: must be an absolute path"},
      {R"({"projects": {"p1": {"socket": ""}}})", "1 /projects/p1/socket: must be an absolute path"},
      {R"({"projects": {"p1": {"socket": "unix:///a"}}})", "1 /projects/p1/socket: must be an absolute path"},
      {R"({"projects": {"p1": {"socket": "/a/../b"}}})", "1 /projects/p1/socket: must be a clean path"},
      {R"({"projects": {"p1": {"socket": "/a//b"}}})", "1 /projects/p1/socket: must be a clean path"},
      {R"({"projects": {"p1": {"socket": "/a/"}}})", "1 /projects/p1/socket: must be a clean path"},
      {R"({"projects": {"p1": {"socket": "/"}}})", "1 /projects/p1/socket: must be a clean path"},
      {R"({"projects": {"p1": {"socket": "/a\nb"}}})", "1 /projects/p1/socket: must not hold control characters"},
      {R"({"projects": {"p1": {"socket": "/a\u0000b"}}})", "1 : a text holds NUL"},
      {R"({"projects": {"p1": {"socket": "/)" + std::string(107, 'a') + R"("}}})",
       "1 /projects/p1/socket: is longer than the 107"},
      {R"({"projects": {"p1": {"socket": 1}}})", "1 /projects/p1/socket: must be an absolute path"},
      {R"({"projects": {"p1": {"socket": "/a"}, "p10": {"socket": "/a"}}})",
       "1 /projects/p10/socket: is the socket of the project p1"},
      {R"({"upstream": "/a", "projects": {"p1": {"socket": "/a"}}})",
       "1 /projects/p1/socket: must not be the socket of Podman"},
      {R"({"upstream": "a", "projects": {"p1": {}}})", "1 /upstream: must be an absolute path"},
      {R"({"state": "~/x", "projects": {"p1": {}}})", "1 /state: must be an absolute path"},
      {R"({"audit": {"to": true}, "projects": {"p1": {}}})", "1 /audit/to: must be an absolute path"},
      {R"({"audit": {"to": "syslog"}, "projects": {"p1": {}}})",
       "1 /audit/to: must be an absolute path, the file that decisions are written to, or \"journald\" or \"stderr\""},
      {R"({"audit": {"to": "/a//b"}, "projects": {"p1": {}}})", "1 /audit/to: must be a clean path"},
      {R"({"audit": {"bodies": "all"}, "projects": {"p1": {}}})",
       "1 /audit/bodies: must be how much of a request is recorded; allowed: \"none\", \"redacted\""},
      {R"({"audit": {"log": "/a"}, "projects": {"p1": {}}})",
       "1 /audit/log: is not a key that is known here; known are: to, bodies"},
      {R"({"label": "Bad Key", "projects": {"p1": {}}})", "1 /label: must be a label key"},
      {R"({"label": "", "projects": {"p1": {}}})", "1 /label: must be a label key"},
      {R"({"label": "a=b", "projects": {"p1": {}}})", "1 /label: must be a label key"},
      {R"({"label": "io.podman.x", "projects": {"p1": {}}})", "1 /label: must not begin with a name that Podman"},
      {R"({"defaults": {"images": {"shared": "localhost/*"}}, "projects": {"p1": {}}})",
       "1 /defaults/images/shared: must be a list"},
      {R"({"defaults": {"images": {"shared": ["localhost/a", 1]}}, "projects": {"p1": {}}})",
       "1 /defaults/images/shared/1: must be the name of an image"},
      {R"({"defaults": {"workspace": []}, "projects": {"p1": {}}})",
       "1 /defaults/workspace: must stand in a project: all projects would share the directory"},
      {R"({"projects": {"p1": {"workspace": {}}}})", "1 /projects/p1/workspace: must be a list of objects"},
      {R"({"projects": {"p1": {"workspace": ["/a"]}}})", "1 /projects/p1/workspace/0: must be an object"},
      {R"({"projects": {"p1": {"workspace": [{"host": "/srv/a"}]}}})",
       "1 /projects/p1/workspace/0: must say client: an absolute path"},
      {R"({"projects": {"p1": {"workspace": [{"client": "/a"}]}}})",
       "1 /projects/p1/workspace/0: must say host: an absolute path"},
      {R"({"projects": {"p1": {"workspace": [{"client": "/a", "host": "/srv/a", "mode": "RW"}]}}})",
       "1 /projects/p1/workspace/0/mode: must be a mode; allowed: \"rw\", \"ro\""},
      {R"({"projects": {"p1": {"workspace": [{"client": "/a", "host": "/srv/a", "options": "z"}]}}})",
       "1 /projects/p1/workspace/0/options: is not a key that is known here; known are: client, host, mode"},
      {R"({"projects": {"p1": {}}} /* open)", "1 : a comment that begins with /* has no end"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const std::string reason = refused(row.text);
    CHECK_MESSAGE(reason.starts_with(row.reason), reason);
  }
}

TEST_CASE("workspaces belong to one project, with the mode that they have") {
  const Configuration configuration = loaded(R"({"projects": {
    "p1": {"workspace": [{"client": "/workspace", "host": "/srv/demo"},
                         {"client": "/data", "host": "/srv/data", "mode": "ro"}]},
    "p2": {"workspace": [{"client": "/workspace", "host": "/srv/other", "mode": "rw"}]},
    "p3": {"workspace": []}}})");
  const auto& p1 = configuration.projects[0].project.policy.workspaces;
  REQUIRE(p1.size() == 2);
  CHECK(p1[0].client == "/workspace");
  CHECK(p1[0].host == "/srv/demo");
  CHECK_FALSE(p1[0].read_only);
  CHECK(p1[1].read_only);
  REQUIRE(configuration.projects[1].project.policy.workspaces.size() == 1);
  CHECK(configuration.projects[1].project.policy.workspaces[0].host == "/srv/other");
  CHECK(configuration.projects[2].project.policy.workspaces.empty());
}

TEST_CASE("a path that no project may have, or that Podman would read in two ways, is no workspace") {
  const auto workspace = [](const std::string& client, const std::string& host) {
    return refused(R"({"projects": {"p1": {"workspace": [{"client": ")" + client + R"(", "host": ")" + host +
                   R"("}]}}})");
  };
  const std::string at = "1 /projects/p1/workspace/0/";
  for (const char* path : {"workspace", "./a", "~/a", "/a/", "/a//b", "/a/./b", "/a/../b", "/a:b", "/a,b", "/a'b",
                           "/a\\\"b", "/a\\\\b", "/a\\nb", ""}) {
    CAPTURE(std::string(path));
    CHECK(workspace(path, "/srv/a").starts_with(at + "client: must"));
    CHECK(workspace("/a", path).starts_with(at + "host: must"));
  }
  for (const char* path :
       {"/", "/etc", "/proc", "/sys", "/dev", "/run", "/var", "/usr", "/home", "/root", "/tmp", "/srv", "/boot",
        "/run/user", "/var/run", "/var/lib", "/etc/podfence", "/proc/1/root", "/dev/shm"}) {
    CAPTURE(std::string(path));
    CHECK(workspace("/a", path).starts_with(at + "host: must not "));
  }
  CHECK(workspace("/etc", "/srv/a") == "loaded");  // a client's name for it is only a name
  CHECK(workspace("/a", "/home/user/work") == "loaded");
}

TEST_CASE("no workspace holds another one's path") {
  struct Row {
    std::string p1, p10;  ///< pairs of client and host
    std::string reason;
  };
  const std::string a = R"({"client": "/a", "host": "/srv/a"})";
  const Row rows[] = {
      {a + R"(, {"client": "/b", "host": "/srv/b"})", "", "loaded"},
      {a + R"(, {"client": "/ab", "host": "/srv/ab"})", "", "loaded"},
      {a + R"(, {"client": "/a", "host": "/srv/b"})", "",
       "1 /projects/p1/workspace/1/client: is, contains or lies within /a"},
      {a + R"(, {"client": "/a/b", "host": "/srv/b"})", "", "1 /projects/p1/workspace/1/client: is, contains"},
      {R"({"client": "/a/b", "host": "/srv/b"}, )" + a, "", "1 /projects/p1/workspace/1/client: is, contains"},
      {a + R"(, {"client": "/b", "host": "/srv/a"})", "", "1 /projects/p1/workspace/1/host: is, contains"},
      {a + R"(, {"client": "/b", "host": "/srv/a/b"})", "", "1 /projects/p1/workspace/1/host: is, contains"},
      {a, a, "loaded"},
      {a, R"({"client": "/a", "host": "/srv/a/b"})",
       "1 /projects/p10/workspace/0/host: lies within /srv/a, a workspace of the project p1"},
      {R"({"client": "/a", "host": "/srv/a/b"})", a,
       "1 /projects/p10/workspace/0/host: holds /srv/a/b, a workspace of the project p1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.p1);
    CAPTURE(row.p10);
    const std::string reason =
        refused(R"({"projects": {"p1": {"workspace": [)" + row.p1 + R"(]}, "p10": {"workspace": [)" + row.p10 + "]}}}");
    CHECK_MESSAGE(reason.starts_with(row.reason), reason);
  }
}

TEST_CASE("a pattern that would open everybody's images does not load") {
  struct Row {
    std::string pattern;
    bool loads;
  };
  const Row rows[] = {
      {"localhost/*", true},
      {"localhost/hello:latest", true},
      {"docker.io/*", true},
      {"docker.io/library/alpine", true},
      {"registry.example:5000/base/*", true},
      {"*", false},
      {"**", false},
      {"*/*", false},
      {"*.io/library/alpine", false},
      {"docker.*/library/*", false},
      {"*:latest", false},
      {"local*", false},
      {"localhost", false},
      {"localhost/", false},
      {"alpine", false},
      {"library/alpine", false},
      {"/localhost/a", false},
      {"", false},
      {"localhost/a b", false},
      {"localhost/\xc3\xa4", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    const std::string reason = refused(R"({"projects": {"p1": {"images": {"shared": [")" + row.pattern + R"("]}}}})");
    CHECK((reason == "loaded") == row.loads);
    CHECK((refused(configuration_of({.project = "p1", .shared_images = {row.pattern}})) == "loaded") == row.loads);
  }
}

TEST_CASE("comments stand outside of strings only, and leave positions as they were") {
  struct Row {
    std::string text, plain;
  };
  const Row rows[] = {
      {"a // b\nc", "a     \nc"},
      {"a /* b\nc */ d", "a     \n     d"},
      {R"("http://x" // y)", R"("http://x"     )"},
      {R"("\"// no" /**/)", R"("\"// no"     )"},
      {R"("\\"// yes)", R"("\\"      )"},
      {"/*/ still */x", "            x"},
      {"1/2", "1/2"},
      {"/", "/"},
      {"// end", "      "},
      {R"("open // string)", R"("open // string)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto plain = strip_comments(row.text);
    REQUIRE(std::holds_alternative<std::string>(plain));
    CHECK(std::get<std::string>(plain) == row.plain);
  }
  for (const auto& [text, at] : {std::pair("a /* b", 2u), std::pair("/*/", 0u), std::pair("/**/ /* */ /*", 11u)}) {
    const auto plain = strip_comments(text);
    REQUIRE(std::holds_alternative<OpenComment>(plain));
    CHECK(std::get<OpenComment>(plain).at == at);
  }
}

TEST_CASE("options of the command line are checked as a file is") {
  struct Row {
    ServeOptions options;
    std::string reason;
  };
  const Row rows[] = {
      {{.project = "p1"}, "loaded"},
      {{.project = ""}, "--project: must be a project id"},
      {{.project = "P"}, "--project: must be a project id"},
      {{.project = "p1", .socket = "a"}, "--socket: must be an absolute path"},
      {{.project = "p1", .upstream = "a"}, "--upstream: must be an absolute path"},
      {{.project = "p1", .state = "a/.."}, "--state: must be an absolute path"},
      {{.project = "p1", .audit_log = "/a/.."}, "--audit-log: must be a clean path"},
      {{.project = "p1", .audit_log = "audit.log"}, "--audit-log: must be an absolute path, journald or stderr"},
      {{.project = "p1", .audit_log = "journald"}, "loaded"},
      {{.project = "p1", .shared_images = {"localhost/*", "*"}}, "--share-image: must not have '*'"},
      {{.project = "p1", .socket = "/a", .upstream = "/a"}, "--socket: must not be the socket of Podman"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.reason);
    CHECK(refused(configuration_of(row.options)).starts_with(row.reason));
  }
}

TEST_CASE("options of the command line reach the configuration") {
  const auto result = configuration_of({.project = "p1",
                                        .socket = "/s",
                                        .upstream = "/u",
                                        .state = "/d",
                                        .audit_log = "/l",
                                        .shared_images = {"localhost/*"}});
  const Configuration& configuration = std::get<Configuration>(result);
  CHECK(configuration.upstream == "/u");
  CHECK(configuration.state == "/d");
  CHECK(configuration.audit == AuditSettings{"/l", false});
  REQUIRE(configuration.projects.size() == 1);
  CHECK(configuration.projects[0].socket == "/s");
  CHECK(configuration.projects[0].project.id == "p1");
  CHECK(configuration.projects[0].project.policy.shared_images == Texts{"localhost/*"});
}
