// The program's audit log is given another name while requests are running: no line is lost, none is torn.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "rules/audit.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/fake_podman.hpp"
#include "tests/support/program.hpp"

using namespace podfence::testing;
using podfence::rules::AuditRecord;

namespace {

const std::string ping = "GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n";

/// Asks until it is told to stop; the ids of what was answered.
class Asking {
 public:
  explicit Asking(const Program& program)
      : thread_([this, client = program.client()]() mutable {
          while (!stopped_) ids_.insert(client.request(ping).field("X-Podfence-Request-Id"));
        }) {}
  std::set<std::string> stop() {
    stopped_ = true;
    thread_.join();
    return ids_;
  }

 private:
  std::atomic<bool> stopped_ = false;
  std::set<std::string> ids_;
  std::thread thread_;
};

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Of every line; each must be whole.
std::set<std::string> ids_in(const std::string& text) {
  std::set<std::string> ids;
  CHECK(text.ends_with("\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto read = podfence::rules::read_audit_line(line);
    const auto* wrong = std::get_if<std::string>(&read);
    REQUIRE_MESSAGE(!wrong, *wrong << ": " << line);
    CHECK(ids.insert(std::get<AuditRecord>(read).request_id).second);
  }
  return ids;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("SIGUSR1 under load: every request is in one of the files, whole") {
  TemporaryDirectory directory;
  FakePodman podman(directory.path("upstream.sock"));
  Program program(directory.path("upstream.sock"));
  Asking one(program), other(program);
  constexpr std::size_t rotations = 8;
  std::vector<std::string> files;
  const auto is_used = [&] { return !content(program.audit_file()).empty(); };  // a busy machine takes its time
  for (std::size_t i = 1; i <= rotations; ++i) {
    REQUIRE(eventually(is_used));
    files.push_back(program.audit_file() + "." + std::to_string(i));
    std::filesystem::rename(program.audit_file(), files.back());
    std::this_thread::sleep_for(Milliseconds(20));  // lines go to the old file until the signal comes
    program.signal(SIGUSR1);
    REQUIRE(eventually([&] { return count(program.said(), "SIGUSR1: the audit log was opened again") == i; }));
  }
  CHECK(eventually(is_used));
  auto asked = one.stop();
  asked.merge(other.stop());
  program.signal(SIGTERM);
  CHECK(program.exit_code() == 0);
  files.push_back(program.audit_file());
  std::string text;
  std::size_t used = 0;
  for (const auto& file : files) {
    const auto part = content(file);
    used += !part.empty();
    text += part;
  }
  CHECK(used == rotations + 1);
  CHECK(asked.size() > 2 * rotations);
  CHECK(ids_in(text) == asked);
}

TEST_CASE("SIGUSR1: a file that cannot be opened keeps the old one, and says so") {
  TemporaryDirectory directory;
  FakePodman podman(directory.path("upstream.sock"));
  Program program(directory.path("upstream.sock"));
  const auto old = program.audit_file() + ".1";
  std::filesystem::rename(program.audit_file(), old);
  std::ofstream(program.audit_file()) << "";
  REQUIRE(::chmod(program.audit_file().c_str(), 0666) == 0);
  program.signal(SIGUSR1);
  REQUIRE(eventually([&] {
    return program.said().find("SIGUSR1: the audit log goes on where it was: " + program.audit_file() +
                               " can be written by others") != std::string::npos;
  }));
  CHECK(program.client().request(ping).content == "OK");
  REQUIRE(eventually([&] { return count(content(old), "\n") == 1; }));
  CHECK(content(program.audit_file()).empty());
}
