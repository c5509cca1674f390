#include "proxy/doctor_facts.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "proxy/exact_client.hpp"
#include "proxy/ledger_repair.hpp"
#include "proxy/probe.hpp"
#include "proxy/run_alone.hpp"
#include "rules/error_answer.hpp"

namespace podfence::proxy {

namespace {

namespace fs = std::filesystem;
namespace doctor = rules::doctor;
using namespace std::chrono_literals;

constexpr std::size_t most_containers = 2000;
constexpr std::size_t max_doctor_answer = 64 * 1024 * 1024;

std::string user_name(uid_t uid) {
  const auto* entry = getpwuid(uid);
  return entry ? entry->pw_name : std::to_string(uid);
}

/// Root's, or the one that the user has alone, as far as the files of users and groups say.
bool is_own_group(gid_t gid, const std::string& user) {
  if (gid == 0) return true;
  const auto* group = getgrgid(gid);
  if (!group) return false;
  for (char** member = group->gr_mem; *member != nullptr; ++member)
    if (user != *member) return false;
  const auto* entry = getpwnam(user.c_str());
  return entry && entry->pw_gid == gid;
}

std::string group_name(gid_t gid) {
  const auto* group = getgrgid(gid);
  return group ? group->gr_name : std::to_string(gid);
}

doctor::PathFacts path_facts(const std::string& path, const std::string& user) {
  doctor::PathFacts facts;
  std::error_code error;
  const auto real = fs::canonical(path, error);
  if (error) {
    facts.wrong = error.message();
    return facts;
  }
  fs::path so_far;
  for (const auto& part : real) {
    so_far /= part;
    struct stat status {};
    if (stat(so_far.c_str(), &status) != 0) {
      facts.wrong = std::generic_category().message(errno);
      return facts;
    }
    const bool has_acl = getxattr(so_far.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
    facts.steps.push_back({so_far.string(), status.st_uid, user_name(status.st_uid), group_name(status.st_gid),
                           status.st_mode & 07777, is_own_group(status.st_gid, user), has_acl});
  }
  return facts;
}

bool has_word(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

/// Command lines of the user's processes that serve Podman's API on TCP.
std::vector<std::string> tcp_services() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const auto name = entry.path().filename().string();
    struct stat status {};
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (stat(entry.path().c_str(), &status) != 0 || status.st_uid != geteuid()) continue;
    std::ifstream file(entry.path() / "cmdline");
    std::string line{std::istreambuf_iterator<char>(file), {}};
    std::ranges::replace(line, '\0', ' ');
    if (has_word(line, "podman") && has_word(line, " system service ") && has_word(line, "tcp:"))
      found.push_back("process " + name + ": " + line);
  }
  return found;
}

/// By the lines `USER:FIRST:NUMBER` of /etc/subuid.
bool is_subordinate(const std::string& user, std::int64_t uid) {
  std::ifstream file("/etc/subuid");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line.substr(0, first) != user) continue;
    const auto start = std::strtoll(line.c_str() + first + 1, nullptr, 10);
    const auto size = std::strtoll(line.c_str() + second + 1, nullptr, 10);
    if (uid >= start && uid < start + size) return true;
  }
  return false;
}

doctor::WorkspaceFacts workspace_facts(const std::string& project, const rules::Workspace& workspace,
                                       const std::string& user) {
  doctor::WorkspaceFacts facts{.project = project, .host = workspace.host, .read_only = workspace.read_only};
  struct stat status {};
  std::error_code error;
  facts.is_directory = stat(workspace.host.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  if (!facts.is_directory) return facts;
  facts.is_link = fs::canonical(workspace.host, error) != fs::path(workspace.host).lexically_normal();
  facts.owner = status.st_uid;
  facts.is_ours = status.st_uid == geteuid() || is_subordinate(user, facts.owner);
  facts.mode = status.st_mode & 07777;
  return facts;
}

bool wants_limits(const rules::Policy& policy) {
  using rules::Amount;
  const auto is_written = [&](Amount amount) { return policy.limit(amount).standard.has_value(); };
  return is_written(Amount::Memory) || is_written(Amount::Cpus) || is_written(Amount::Processes);
}

/// Podman's side of it.
class EngineLook {
 public:
  EngineLook(doctor::HostFacts& facts, const std::string& label) : facts_(facts), label_(label) {}

  Task<void> run() {
    co_await info();
    if (!facts_.engine) co_return;
    co_await holders();
    co_await ledger();
  }

 private:
  Task<WholeAnswer> get(std::string target) {
    const ExactRequest request{
        .socket = facts_.upstream, .bytes = "GET " + target + " HTTP/1.1\r\nHost: podman\r\n\r\n", .time = 60s};
    co_return co_await ask_exactly(request);
  }

  Task<void> info() {
    const auto answer = co_await get(std::string(doctor::engine_info_target));
    if (answer.status == 200) facts_.engine = doctor::read_engine_info(answer.content);
    if (!facts_.engine)
      facts_.engine_wrong = "it does not tell what it is (status " + std::to_string(answer.status) + ")";
  }

  Task<void> holders() {
    const auto list = co_await get(std::string(doctor::running_target));
    const auto ids = doctor::container_ids(list.content);
    facts_.holders_known = list.status == 200 && ids.size() <= most_containers;
    for (std::size_t i = 0; i < std::min(ids.size(), most_containers); ++i) {
      std::string target(doctor::container_target);
      target.replace(target.find("{}"), 2, ids[i]);
      const auto container = co_await get(target);
      if (const auto name = doctor::holder_of(container.content, facts_.upstream); !name.empty())
        facts_.holders.push_back(name);
    }
  }

  Task<void> ledger() {
    if (!fs::exists(facts_.ledger)) {
      facts_.ledger_wrong = "there is none at " + facts_.ledger + "; nothing was recorded yet, or it is elsewhere";
      co_return;
    }
    Upstream upstream(co_await boost::asio::this_coro::executor, connect_to_socket(facts_.upstream));
    BufferBudget buffers(max_doctor_answer, max_doctor_answer);
    const auto engine = co_await take_inventory(upstream, buffers, max_doctor_answer, label_);
    if (const auto* deny = std::get_if<rules::Deny>(&engine)) {
      facts_.ledger_wrong = rules::sentence_of(*deny);
      co_return;
    }
    const auto entries = SqliteLedger::entries_of(facts_.ledger);
    const auto repair = rules::find_repair(entries, std::get<rules::EngineInventory>(engine), {.careful = false});
    facts_.ledger_findings = texts_of(repair);
  }

  doctor::HostFacts& facts_;
  std::string label_;
};

void look_at_engine(doctor::HostFacts& facts, const std::string& label) {
  facts.engine_wrong = wrong_with_engine(facts.upstream, 30s);
  if (!facts.engine_wrong.empty()) return;
  boost::asio::io_context context(1);
  EngineLook look(facts, label);
  try {
    run_alone(context, look.run());
  } catch (const std::runtime_error& error) {  // the ledger's
    facts.ledger_wrong = error.what();
  }
}

}  // namespace

rules::doctor::HostFacts look_at_host(const rules::Configuration& configuration, const DoctorPlaces& places) {
  doctor::HostFacts facts;
  facts.uid = geteuid();
  facts.user = user_name(geteuid());
  facts.configuration = places.configuration_file;
  facts.upstream = places.upstream;
  facts.ledger = places.ledger;
  facts.upstream_path = path_facts(places.upstream, facts.user);
  facts.tcp_services = tcp_services();
  look_at_engine(facts, configuration.label);
  facts.has_systemd = fs::is_directory("/run/systemd/system");
  facts.lingers = fs::exists("/var/lib/systemd/linger/" + facts.user);
  for (const auto& [project, socket, life] : configuration.projects) {
    facts.limits_wanted = facts.limits_wanted || wants_limits(project.policy);
    facts.projects.push_back({project.id, socket, path_facts(socket, facts.user)});
    for (const auto& workspace : project.policy.workspaces)
      facts.workspaces.push_back(workspace_facts(project.id, workspace, facts.user));
  }
  facts.now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  timex clock{};
  facts.clock_synchronised = adjtimex(&clock) >= 0 && (clock.status & STA_UNSYNC) == 0;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  facts.files_most = limit.rlim_max;
  facts.connections = configuration.http.connections;
  return facts;
}

}  // namespace podfence::proxy
