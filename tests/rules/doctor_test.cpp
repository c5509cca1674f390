// Each check of `podfence doctor`, with a healthy host and one that is broken in just that way.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "rules/doctor/checks.hpp"
#include "rules/doctor/danger.hpp"
#include "rules/json.hpp"

using namespace podfence::rules;
using namespace podfence::rules::doctor;

namespace {

PathStep step(std::string path, std::int64_t owner, unsigned mode) {
  return {std::move(path), owner, "somebody", "staff", mode};
}

PathFacts path(unsigned directory_mode = 0700, unsigned socket_mode = 0600) {
  return {{step("/", 0, 0755), step("/run", 0, 0755), step("/run/user/1000", 1000, directory_mode),
           step("/run/user/1000/podman.sock", 1000, socket_mode)}};
}

HostFacts healthy() {
  HostFacts facts;
  facts.user = "containers";
  facts.uid = 1000;
  facts.configuration = "/etc/podfence.json";
  facts.upstream = "/run/user/1000/podman/podman.sock";
  facts.engine = EngineInfo{.version = "6.0.0",
                            .rootless = true,
                            .seccomp = true,
                            .cgroup_version = "v2",
                            .cgroup_controllers = {"cpu", "memory", "pids"},
                            .network_backend = "netavark",
                            .runtime = "crun",
                            .runtime_version = "1.14",
                            .subordinate_uids = 65537,
                            .subordinate_gids = 65537};
  facts.upstream_path = path();
  facts.holders_known = true;
  facts.has_systemd = true;
  facts.lingers = true;
  facts.ledger = "/var/lib/podfence/ledger.sqlite";
  facts.projects = {{"p1", "/run/user/1000/podfence/p1/podman.sock", path()}};
  facts.workspaces = {{"p1", "/srv/p1", false, true, false, 1000, true, 0755}};
  facts.now = 1'800'000'000;
  facts.clock_synchronised = true;
  facts.files_most = 524288;
  facts.connections = 4096;
  return facts;
}

void owned_by_root(HostFacts& facts) {
  facts.uid = 0;
  for (auto* each : {&facts.upstream_path, &facts.projects[0].path})
    for (auto& part : each->steps) part.owner = 0;
}

struct Broken {
  const char* what;
  const char* subject;
  Level level;
  const char* told;
  const char* mend;
  std::function<void(HostFacts&)> breaks;
};

const Broken cases[] = {
    {"no Podman", "podman", Level::Fail, "does not answer on /run/user/1000/podman/podman.sock: Connection refused",
     "systemctl --user enable --now podman.socket",
     [](auto& f) { f.engine.reset(), f.engine_wrong = "Connection refused"; }},
    {"too old", "versions", Level::Fail, "Podman 3.4.4 is older", "upgrade Podman",
     [](auto& f) { f.engine->version = "3.4.4"; }},
    {"too new", "versions", Level::Warn, "Podman 6.1.0 is newer", "upgrade podfence",
     [](auto& f) { f.engine->version = "6.1.0"; }},
    {"removes directories", "versions", Level::Warn, "podman 5.0.3, before 5.1.0: a build with remote=",
     "upgrade podman", [](auto& f) { f.engine->version = "5.0.3"; }},
    {"leaky runtime", "versions", Level::Warn, "runc 1.1.5, before 1.1.12", "upgrade runc",
     [](auto& f) { f.engine->runtime = "runc", f.engine->runtime_version = "1.1.5"; }},
    {"Podman of root", "rootless", Level::Fail, "Podman runs as root", "sudo useradd",
     [](auto& f) { f.engine->rootless = false; }},
    {"podfence of root", "rootless", Level::Fail, "podfence runs as root", "sudo useradd",
     [](auto& f) { owned_by_root(f); }},
    {"no subuids", "ids", Level::Fail, "have 1 uids and gids", "--add-subuids",
     [](auto& f) { f.engine->subordinate_uids = 1; }},
    {"few subgids", "ids", Level::Warn, "have 1001 uids and gids", "--add-subuids",
     [](auto& f) { f.engine->subordinate_gids = 1001; }},
    {"cgroups v1", "cgroups", Level::Warn, "cgroups v1: limits of memory, pids, cpu are not enforced", "Delegate=cpu",
     [](auto& f) { f.engine->cgroup_version = "v1"; }},
    {"no controller", "cgroups", Level::Warn, "limits of cpu are not enforced", "Delegate=cpu",
     [](auto& f) {
       f.engine->cgroup_controllers = {"memory", "pids"};
     }},
    {"limits that are relied on", "cgroups", Level::Fail, "the configuration relies on them", "Delegate=cpu",
     [](auto& f) { f.engine->cgroup_controllers = {}, f.limits_wanted = true; }},
    {"CNI", "network", Level::Warn, "made by cni", "netavark", [](auto& f) { f.engine->network_backend = "cni"; }},
    {"no filter of system calls", "seccomp", Level::Fail, "not filtered", "apt-get",
     [](auto& f) { f.engine->seccomp = false; }},
    {"no lingering", "lingering", Level::Warn, "with the last login of containers", "loginctl enable-linger containers",
     [](auto& f) { f.lingers = false; }},
    {"open socket", "socket", Level::Fail, "can be opened by everybody", "chmod go-rwx /run/user/1000/podman",
     [](auto& f) { f.upstream_path = path(0755, 0666); }},
    {"socket of a group", "socket", Level::Fail, "can be opened by the group staff", "chmod go-rwx",
     [](auto& f) { f.upstream_path = path(0750, 0660); }},
    {"directory that everybody writes", "socket", Level::Fail, "another socket in its place (/run/user/1000)",
     "chmod go-rwx", [](auto& f) { f.upstream_path = path(0777, 0600); }},
    {"directory of somebody else", "socket", Level::Fail, "the user somebody, who owns /run/user/1000", "chmod go-rwx",
     [](auto& f) { f.upstream_path.steps[2].owner = 1001; }},
    {"access control list", "socket", Level::Warn, "access control list", "setfacl -b",
     [](auto& f) { f.upstream_path.steps[2].has_acl = true; }},
    {"socket that cannot be seen", "socket", Level::Warn, "cannot be looked at: Permission denied", "ls -ld",
     [](auto& f) {
       f.upstream_path = {{}, "Permission denied"};
     }},
    {"TCP", "socket", Level::Fail, "listens on TCP", "unix socket",
     [](auto& f) { f.tcp_services = {"process 7: podman system service tcp:0.0.0.0:2375"}; }},
    {"container with the socket", "socket", Level::Fail, "the container spy has Podman's own socket",
     "podman rm -f spy", [](auto& f) { f.holders = {"spy"}; }},
    {"too many containers", "socket", Level::Warn, "cannot be told", "podman inspect",
     [](auto& f) { f.holders_known = false; }},
    {"no podfence", "projects", Level::Warn, "the socket of project p1 is not there",
     "podfence serve --config /etc/podfence.json",
     [](auto& f) {
       f.projects[0].path = {{}, "No such file or directory"};
     }},
    {"open project", "projects", Level::Warn, "they are that project", "chmod go-rwx /run/user/1000/podfence/p1",
     [](auto& f) { f.projects[0].path = path(0755, 0666); }},
    {"no ledger", "ledger", Level::Warn, "cannot be compared with Podman: there is none", "podfence ledger list",
     [](auto& f) { f.ledger_wrong = "there is none"; }},
    {"ledger that differs", "ledger", Level::Warn, "differ in 1 entries: p1 loses the tag a",
     "podfence ledger repair --dry-run", [](auto& f) { f.ledger_findings = {"p1 loses the tag a: Podman has none"}; }},
    {"no workspace", "workspaces", Level::Fail, "is no directory", "mkdir -p /srv/p1",
     [](auto& f) { f.workspaces[0].is_directory = false; }},
    {"workspace behind a link", "workspaces", Level::Fail, "symbolic link", "realpath /srv/p1",
     [](auto& f) { f.workspaces[0].is_link = true; }},
    {"workspace of somebody else", "workspaces", Level::Warn, "belongs to uid 1001", "sudo chown containers /srv/p1",
     [](auto& f) { f.workspaces[0].is_ours = false, f.workspaces[0].owner = 1001; }},
    {"workspace of everybody", "workspaces", Level::Warn, "written by every user", "chmod o-w /srv/p1",
     [](auto& f) { f.workspaces[0].mode = 0777; }},
    {"clock of 1970", "clock", Level::Fail, "years behind", "timedatectl", [](auto& f) { f.now = 100; }},
    {"clock that nobody keeps", "clock", Level::Warn, "nobody keeps the clock", "timedatectl",
     [](auto& f) { f.clock_synchronised = false; }},
    {"few files", "files", Level::Warn, "1024 files may be open; 4096 connections need 8448",
     "LimitNOFILE=", [](auto& f) { f.files_most = 1024; }},
};

}  // namespace

TEST_CASE("a healthy host has one good line for every check") {
  const auto lines = examine(healthy());
  CHECK(lines.size() == checks().size());
  for (const auto& [subject, finding] : lines) {
    CAPTURE(std::string(subject) + ": " + finding.what);
    CHECK(finding.level == Level::Ok);
    CHECK(finding.mend == "");
  }
  CHECK(!has_failed(lines));
}

TEST_CASE("what is broken in one way is told by one check, with what mends it") {
  std::map<std::string_view, int> broken;
  for (const auto& row : cases) {
    CAPTURE(std::string(row.what));
    auto facts = healthy();
    row.breaks(facts);
    const auto lines = examine(facts);
    const Finding* found = nullptr;
    for (const auto& [subject, finding] : lines) {
      CAPTURE(finding.what);
      if (subject == row.subject && finding.what.find(row.told) != std::string::npos) found = &finding;
      CHECK((subject == row.subject || finding.level == Level::Ok));
    }
    REQUIRE(found);
    CHECK(found->level == row.level);
    CHECK(found->mend.find(row.mend) != std::string::npos);
    CHECK(has_failed(lines) == (row.level == Level::Fail));
    ++broken[row.subject];
  }
  for (const auto& check : checks()) CHECK(broken[check.subject] > 0);
}

TEST_CASE("nothing is said of what could not be asked: the ledger and Podman, where that does not answer") {
  auto facts = healthy();
  facts.engine.reset();
  facts.engine_wrong = "No such file or directory";
  const auto lines = examine(facts);
  CHECK(std::ranges::none_of(lines, [](const auto& line) { return line.subject == "ledger"; }));
}

TEST_CASE("where no systemd runs nobody has to linger, and a workspace that is only read may be anybody's") {
  auto facts = healthy();
  facts.has_systemd = facts.lingers = false;
  facts.workspaces[0].is_ours = false;
  facts.workspaces[0].read_only = true;
  for (const auto& line : examine(facts)) CHECK(line.finding.level == Level::Ok);
}

TEST_CASE("a group of the user's own, and root's, lets nobody in") {
  auto facts = healthy();
  facts.upstream_path = path(0770, 0660);
  for (auto& each : facts.upstream_path.steps) each.group_is_own = true;
  for (const auto& line : examine(facts)) CHECK(line.finding.level == Level::Ok);
}

TEST_CASE("versions are compared number by number") {
  CHECK(is_older("4.9.3", "4.9.4"));
  CHECK(is_older("4.10", "5.0.0"));
  CHECK(is_older("5.0.0-rc1", "5.0.1"));
  CHECK(!is_older("4.9.10", "4.9.4"));
  CHECK(!is_older("5.1.0-dev", "5.1.0"));
  CHECK(!is_older("5.1", "5.1.0"));
}

TEST_CASE("what Podman tells of itself is read") {
  const auto info = read_engine_info(
      R"({"host":{"cgroupVersion":"v2","cgroupControllers":["memory","pids"],"networkBackend":"netavark",
    "ociRuntime":{"name":"runc","version":"runc version 1.1.5+ds1\ncommit: x"},"security":{"rootless":true,"seccompEnabled":true},
    "idMappings":{"uidmap":[{"size":1},{"size":65536}],"gidmap":[{"size":1}]}},"version":{"Version":"4.3.1"}})");
  REQUIRE(info);
  CHECK(info->version == "4.3.1");
  CHECK(info->rootless);
  CHECK(info->seccomp);
  CHECK(info->cgroup_controllers == std::vector<std::string>{"memory", "pids"});
  CHECK(info->runtime_version == "1.1.5");
  CHECK(info->subordinate_uids == 65537);
  CHECK(info->subordinate_gids == 1);
  CHECK(!read_engine_info("{}"));
  CHECK(!read_engine_info("no JSON"));
}

TEST_CASE("a container holds the socket when it, or a directory above it, is mounted") {
  const auto socket = "/run/user/1000/podman/podman.sock";
  const auto holder = [&](const char* source) {
    return holder_of(R"({"Name":"spy","Mounts":[{"Source":"/srv/x"},{"Source":")" + std::string(source) + "\"}]}",
                     socket);
  };
  CHECK(holder("/run/user/1000/podman/podman.sock") == "spy");
  CHECK(holder("/run/user/1000") == "spy");
  CHECK(holder("/run/user/1000/podman.sock") == "");
  CHECK(holder("/run/user/1000/podfence/p1") == "");
  CHECK(container_ids(R"([{"Id":"1"},{"Id":"2"}])") == std::vector<std::string>{"1", "2"});
}

TEST_CASE("the report has a line for each finding, and what mends it") {
  auto facts = healthy();
  facts.lingers = false;
  const auto text = text_of(examine(facts));
  CHECK(text.find("OK    podman      Podman 6.0.0 answers on /run/user/1000/podman/podman.sock\n") == 0);
  CHECK(text.find("WARN  lingering   with the last login") != std::string::npos);
  CHECK(text.find("                  mend: sudo loginctl enable-linger containers\n") != std::string::npos);
  CHECK(text.find("13 ok, 1 warnings, 0 failed\n") != std::string::npos);
  const auto parsed = json::parse(json_of(examine(facts)));
  REQUIRE(std::holds_alternative<json::Value>(parsed));
  CHECK(std::get<json::Value>(parsed).list("checks").size() == 14);
}
