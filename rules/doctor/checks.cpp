#include "rules/doctor/checks.hpp"

#include <algorithm>
#include <array>

#include "rules/doctor/danger.hpp"

namespace podfence::rules::doctor {

namespace {

using Findings = std::vector<Finding>;

constexpr std::string_view oldest = "4.3", newest = "6.1";
constexpr std::int64_t enough_ids = 65536;
constexpr std::int64_t start_of_2024 = 1'704'067'200;

Findings ok(std::string what) { return {{Level::Ok, std::move(what)}}; }
Findings one(Level level, std::string what, std::string mend) { return {{level, std::move(what), std::move(mend)}}; }
Findings unknown() { return {}; }  // check_engine tells why

Findings check_engine(const HostFacts& facts) {
  if (facts.engine) return ok("Podman " + facts.engine->version + " answers on " + facts.upstream);
  return one(Level::Fail, "Podman does not answer on " + facts.upstream + ": " + facts.engine_wrong,
             "systemctl --user enable --now podman.socket; without systemd: podman system service --time 0 unix://" +
                 facts.upstream);
}

Findings check_version(const HostFacts& facts) {
  if (!facts.engine) return unknown();
  const auto& version = facts.engine->version;
  if (is_older(version, oldest))
    return one(Level::Fail, "Podman " + version + " is older than what podfence knows (4.3)",
               "upgrade Podman: sudo apt-get install podman");
  Findings found;
  if (!is_older(version, newest))
    found.push_back(
        {Level::Warn,
         "Podman " + version + " is newer than what podfence knows (6.0): what it has learned since is refused",
         "upgrade podfence, and run podfence verify"});
  for (const auto& danger : dangers()) {
    const auto& running = danger.program == "podman" ? version : facts.engine->runtime_version;
    if (danger.program != "podman" && danger.program != facts.engine->runtime) continue;
    if (running.empty() || !is_older(running, danger.mended)) continue;
    const std::string program(danger.program);
    found.push_back(
        {Level::Warn,
         program + " " + running + ", before " + std::string(danger.mended) + ": " + std::string(danger.what),
         "upgrade " + program + "; or see whether your distribution has mended it: apt-get changelog " + program});
  }
  return found.empty() ? ok("no fault of this version is known") : found;
}

Findings check_rootless(const HostFacts& facts) {
  if (!facts.engine) return unknown();
  if (facts.engine->rootless && facts.uid != 0) return ok("Podman and podfence run without root");
  return one(
      Level::Fail,
      facts.engine->rootless ? "podfence runs as root" : "Podman runs as root: who breaks out of a container is root",
      "run both as a user who owns nothing else: sudo useradd --create-home containers");
}

Findings check_ids(const HostFacts& facts) {
  if (!facts.engine) return unknown();
  const auto least = std::min(facts.engine->subordinate_uids, facts.engine->subordinate_gids);
  if (least > enough_ids) return ok("containers have " + std::to_string(least) + " uids and gids of their own");
  return one(least > 1 ? Level::Warn : Level::Fail,
             "containers of " + facts.user + " have " + std::to_string(least) +
                 " uids and gids: images of others do not work, and users in a container are not kept apart",
             "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 " + facts.user +
                 " && podman system migrate");
}

Findings check_cgroups(const HostFacts& facts) {
  if (!facts.engine) return unknown();
  const auto& info = *facts.engine;
  std::string missing;
  for (const std::string name : {"memory", "pids", "cpu"})
    if (info.cgroup_version != "v2" || std::ranges::count(info.cgroup_controllers, name) == 0)
      missing += (missing.empty() ? "" : ", ") + name;
  if (missing.empty()) return ok("cgroups v2: limits of memory, processes and processors are enforced");
  const auto version = info.cgroup_version.empty() ? "no cgroups" : "cgroups " + info.cgroup_version;
  return one(facts.limits_wanted ? Level::Fail : Level::Warn,
             version + ": limits of " + missing + " are not enforced" +
                 (facts.limits_wanted ? ", and the configuration relies on them" : ""),
             "boot with cgroups v2, and delegate: (echo '[Service]'; echo 'Delegate=cpu cpuset io memory pids') | sudo "
             "tee /etc/systemd/system/user@.service.d/delegate.conf && sudo systemctl daemon-reload; then log in anew");
}

Findings check_network(const HostFacts& facts) {
  if (!facts.engine) return unknown();
  const auto& backend = facts.engine->network_backend;
  if (backend == "netavark") return ok("networks are made by netavark");
  return one(
      Level::Warn,
      "networks are made by " + backend + ", which podfence is not tested with: bridges of projects reach each other",
      "sudo apt-get install netavark aardvark-dns, then podman system reset (it removes everything)");
}

Findings check_seccomp(const HostFacts& facts) {
  if (!facts.engine) return unknown();
  if (facts.engine->seccomp) return ok("system calls of containers are filtered");
  return one(Level::Fail, "system calls of containers are not filtered (seccomp): the whole kernel is open to them",
             "install the Podman of your distribution: sudo apt-get install podman golang-github-containers-common");
}

Findings check_lingering(const HostFacts& facts) {
  if (!facts.has_systemd) return ok("no systemd: nobody ends the services of a user who logs out");
  if (facts.lingers || facts.uid == 0) return ok("services of " + facts.user + " go on without a login");
  return one(Level::Warn, "with the last login of " + facts.user + " Podman, podfence and the containers end",
             "sudo loginctl enable-linger " + facts.user);
}

/// Who besides the owner comes through, by the modes: "" for nobody.
struct Reach {
  std::string who;
  Level level;
};
Reach reach(const PathFacts& path, std::int64_t uid) {
  bool others = true, group = true, acl = false;
  std::string group_name;
  for (const auto& step : path.steps) {
    const bool is_last = &step == &path.steps.back();
    const unsigned bit = is_last ? 02 : 01;  // to connect is to write
    const bool is_sticky = (step.mode & 01000) != 0;
    if (!is_last && (step.mode & 02) != 0 && !is_sticky)
      return {"everybody, who may put another socket in its place (" + step.path + ")", Level::Fail};
    if (step.owner != uid && step.owner != 0)
      return {"the user " + step.owner_name + ", who owns " + step.path, Level::Fail};
    const bool for_others = (step.mode & bit) != 0;
    const bool for_group = (step.mode & (bit << 3)) != 0 && !step.group_is_own;
    if (!for_others && for_group) group_name = step.group_name;
    others = others && for_others;
    group = group && (for_others || for_group);
    acl = acl || step.has_acl;
  }
  if (others) return {"everybody", Level::Fail};
  if (group) return {"the group " + group_name, Level::Fail};
  if (acl) return {"whoever its access control list names (getfacl)", Level::Warn};
  return {"", Level::Ok};
}

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

Findings check_raw_socket(const HostFacts& facts) {
  Findings found;
  const auto [who, level] = reach(facts.upstream_path, facts.uid);
  if (!facts.upstream_path.wrong.empty())
    found.push_back({Level::Warn, facts.upstream + " cannot be looked at: " + facts.upstream_path.wrong,
                     "ls -ld " + facts.upstream});
  else if (!who.empty())
    found.push_back(
        {level, "Podman's socket " + facts.upstream + " can be opened by " + who + ": podfence stops none of them",
         "chmod go-rwx " + directory_of(facts.upstream) + " && setfacl -b " + directory_of(facts.upstream)});
  for (const auto& service : facts.tcp_services)
    found.push_back({Level::Fail, "a Podman service listens on TCP, for everybody who reaches the address: " + service,
                     "end it, and serve on a unix socket: systemctl --user enable --now podman.socket"});
  for (const auto& holder : facts.holders)
    found.push_back({Level::Fail, "the container " + holder + " has Podman's own socket: it is past podfence",
                     "podman rm -f " + holder + ", and give it the directory of a podfence socket instead"});
  if (facts.engine && !facts.holders_known)
    found.push_back({Level::Warn, "which containers have Podman's socket cannot be told", "podman ps; podman inspect"});
  return found.empty() ? ok("nobody but " + facts.user + " can open Podman's socket") : found;
}

Findings check_project_sockets(const HostFacts& facts) {
  Findings found;
  for (const auto& [id, socket, path] : facts.projects) {
    if (!path.wrong.empty()) {
      found.push_back({Level::Warn, "the socket of project " + id + " is not there: " + socket + ": " + path.wrong,
                       "start podfence: podfence serve --config " + facts.configuration});
      continue;
    }
    if (const auto [who, level] = reach(path, facts.uid); !who.empty())
      found.push_back({Level::Warn,
                       "the socket of project " + id + " can be opened by " + who + ": they are that project",
                       "if that is not meant: chmod go-rwx " + directory_of(socket)});
  }
  if (!found.empty() || facts.projects.empty()) return found;
  return ok("the sockets of " + std::to_string(facts.projects.size()) + " project(s) can be opened by " + facts.user +
            " only");
}

Findings check_ledger(const HostFacts& facts) {
  if (facts.ledger.empty() || !facts.engine) return unknown();
  if (!facts.ledger_wrong.empty())
    return one(Level::Warn, "the ledger cannot be compared with Podman: " + facts.ledger_wrong, "podfence ledger list");
  if (facts.ledger_findings.empty()) return ok("the ledger " + facts.ledger + " and Podman agree");
  return one(Level::Warn,
             "the ledger " + facts.ledger + " and Podman differ in " + std::to_string(facts.ledger_findings.size()) +
                 " entries: " + facts.ledger_findings.front(),
             "podfence ledger repair --dry-run tells all; a restart of podfence mends it, or podfence ledger repair "
             "while none serves");
}

Findings check_workspaces(const HostFacts& facts) {
  Findings found;
  for (const auto& space : facts.workspaces) {
    const auto name = "the workspace " + space.host + " of project " + space.project;
    if (!space.is_directory)
      found.push_back(
          {Level::Fail, name + " is no directory: containers that mount it do not start", "mkdir -p " + space.host});
    else if (space.is_link)
      found.push_back(
          {Level::Fail, name + " is reached by a symbolic link", "name where it leads: realpath " + space.host});
    else if (!space.is_ours && !space.read_only)
      found.push_back({Level::Warn,
                       name + " belongs to uid " + std::to_string(space.owner) + ": containers cannot write there",
                       "sudo chown " + facts.user + " " + space.host});
    else if ((space.mode & 02) != 0)
      found.push_back({Level::Warn, name + " can be written by every user of the host", "chmod o-w " + space.host});
  }
  if (!found.empty() || facts.workspaces.empty()) return found;
  return ok(std::to_string(facts.workspaces.size()) + " workspace(s) are directories of " + facts.user);
}

Findings check_clock(const HostFacts& facts) {
  if (facts.now < start_of_2024)
    return one(Level::Fail, "the clock is years behind: certificates, leases and the audit log are wrong by it",
               "sudo timedatectl set-ntp true");
  if (facts.clock_synchronised) return ok("the clock is synchronised");
  return one(Level::Warn, "nobody keeps the clock: times in the audit log, leases and certificates may be wrong",
             "sudo timedatectl set-ntp true");
}

Findings check_files(const HostFacts& facts) {
  const auto wanted = 2 * facts.connections + 256;  // one of the client and one to Podman, and podfence's own
  const auto has = std::to_string(facts.files_most);
  if (facts.files_most >= wanted) return ok(has + " files may be open");
  return one(
      Level::Warn,
      has + " files may be open; " + std::to_string(facts.connections) + " connections need " + std::to_string(wanted),
      "raise LimitNOFILE= of the unit (without systemd: ulimit -Hn), or lower http.connections");
}

constexpr auto all = std::to_array<Check>({
    {"podman", check_engine},
    {"versions", check_version},
    {"rootless", check_rootless},
    {"ids", check_ids},
    {"cgroups", check_cgroups},
    {"network", check_network},
    {"seccomp", check_seccomp},
    {"lingering", check_lingering},
    {"socket", check_raw_socket},
    {"projects", check_project_sockets},
    {"ledger", check_ledger},
    {"workspaces", check_workspaces},
    {"clock", check_clock},
    {"files", check_files},
});

}  // namespace

std::span<const Check> checks() { return all; }

std::vector<Line> examine(const HostFacts& facts) {
  std::vector<Line> lines;
  for (const auto& [subject, find] : all)
    for (auto& finding : find(facts)) lines.push_back({subject, std::move(finding)});
  return lines;
}

}  // namespace podfence::rules::doctor
