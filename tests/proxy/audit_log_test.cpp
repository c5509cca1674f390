// Where audit lines go.
#include "proxy/audit_log.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "proxy/turn.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::rules::AuditRecord;
using podfence::rules::AuditSettings;
using podfence::rules::write_audit_line;
using podfence::testing::TemporaryDirectory;

namespace {

AuditRecord record(const std::string& id) {
  AuditRecord result;
  result.request_id = id;
  return result;
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

AuditSettings to(const std::string& path) { return {path, false}; }

std::string line(const std::string& id) { return write_audit_line(record(id)) + "\n"; }

/// Files of this process cannot grow beyond that.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t size) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    former_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{size, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, former_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*former_)(int) = SIG_DFL;
};

/// What is written to standard error meanwhile.
class Said {
 public:
  Said() : before_(dup(STDERR_FILENO)) {
    REQUIRE(pipe2(ends_, O_CLOEXEC | O_NONBLOCK) == 0);
    REQUIRE(dup2(ends_[1], STDERR_FILENO) == STDERR_FILENO);
  }
  ~Said() {
    dup2(before_, STDERR_FILENO);
    for (const int end : {before_, ends_[0], ends_[1]}) close(end);
  }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;

  std::string text() const {
    char bytes[4096];
    const auto size = read(ends_[0], bytes, sizeof bytes);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : "";
  }

 private:
  int before_;
  int ends_[2];
};

}  // namespace

TEST_CASE("each record is a line of the file, behind those that are there") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  {
    AuditLog log(to(path));
    log.write(record("1"));
    log.write(record("2"));
  }
  AuditLog(to(path)).write(record("3"));
  CHECK(content(path) == write_audit_line(record("1")) + "\n" + write_audit_line(record("2")) + "\n" +
                             write_audit_line(record("3")) + "\n");
}

TEST_CASE("a file that was emptied meanwhile is written from its beginning") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  AuditLog log(to(path));
  log.write(record("1"));
  std::filesystem::resize_file(path, 0);
  log.write(record("2"));
  CHECK(content(path) == write_audit_line(record("2")) + "\n");
}

TEST_CASE("the log is for the owner only, and a log that others may write is refused") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  { AuditLog log(to(path)); }
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(chmod(path.c_str(), 0622) == 0);
  CHECK_THROWS_AS(AuditLog(to(path)), std::runtime_error);
}

TEST_CASE("a log that cannot be opened names its path") {
  CHECK_THROWS_WITH(AuditLog(to("/nowhere/audit.log")), "cannot open /nowhere/audit.log: No such file or directory");
  CHECK_THROWS_AS(AuditLog(to("/dev/null")), std::runtime_error);
}

TEST_CASE("behind a line that could not be written whole the next one begins a line of its own") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  AuditLog log(to(path));
  const auto size = line("1").size();
  {
    const SmallFiles limited(size + 10);
    log.write(record("1"));
    log.write(record("2"));
    log.write(record("3"));
  }
  CHECK(content(path) == line("1") + line("2").substr(0, 10));
  log.write(record("4"));
  log.write(record("5"));
  CHECK(content(path) == line("1") + line("2").substr(0, 10) + "\n" + line("4") + line("5"));
}

TEST_CASE("behind a line that another podfence was killed within the next one begins a line of its own") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  std::ofstream(path) << "{\"half\":";
  REQUIRE(chmod(path.c_str(), 0600) == 0);
  AuditLog log(to(path));
  log.write(record("1"));
  CHECK(content(path) == "{\"half\":\n" + line("1"));
  std::ofstream(path, std::ios::app) << "{";
  log.reopen();
  log.write(record("2"));
  log.reopen();
  log.write(record("3"));
  CHECK(content(path) == "{\"half\":\n" + line("1") + "{\n" + line("2") + line("3"));
}

TEST_CASE("that nothing can be written is said once until it can be, alone or in turns that several exchanges share") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  boost::asio::io_context context(1);
  auto& turn = Turn::of(context.get_executor());
  AuditLog log(to(path));
  log.put_off(context.get_executor());
  const Turn::Work one(turn);
  const auto end_turn = [&] {
    context.restart();
    context.poll();
  };
  const auto write_all_ways = [&] {
    for (int i = 0; i < 3; ++i) {
      {
        const Turn::Work another(turn);
        log.write(record("shared"));
        if (i == 1) end_turn();
      }
      log.write(record("alone"));
      end_turn();
    }
    const Turn::Work another(turn);
    for (int i = 0; i < 2000; ++i) log.write(record("much"));
    end_turn();
  };
  const std::string told =
      "podfence: cannot write the audit log: File too large; decisions are not recorded until it works again\n";
  for (int round = 0; round < 2; ++round) {
    const Said said;
    {
      const SmallFiles none(0);
      write_all_ways();
    }
    CHECK(said.text() == told);
    write_all_ways();
    CHECK(said.text() == "");
    std::filesystem::resize_file(path, 0);
  }
}

TEST_CASE("a log that was given another name goes on in a new file of the old name") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log"), old = directory.path("audit.log.1");
  AuditLog log(to(path));
  log.write(record("1"));
  std::filesystem::rename(path, old);
  log.write(record("2"));
  CHECK_FALSE(std::filesystem::exists(path));
  log.reopen();
  log.write(record("3"));
  CHECK(content(old) == line("1") + line("2"));
  CHECK(content(path) == line("3"));
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a new file that others may write, or a link, is not taken: the former one goes on") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log"), old = directory.path("audit.log.1");
  AuditLog log(to(path));
  std::filesystem::rename(path, old);
  std::ofstream(path) << "";
  REQUIRE(chmod(path.c_str(), 0622) == 0);
  CHECK_THROWS_WITH(log.reopen(), (path + " can be written by others; chmod go-w it").c_str());
  log.write(record("1"));
  std::filesystem::remove(path);
  std::filesystem::create_symlink(directory.path("elsewhere"), path);
  CHECK_THROWS_AS(log.reopen(), std::runtime_error);
  log.write(record("2"));
  CHECK(content(old) == line("1") + line("2"));
  CHECK_FALSE(std::filesystem::exists(directory.path("elsewhere")));
}

TEST_CASE("what is written in a turn that several exchanges share is there at its end, in order") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log"), old = directory.path("audit.log.1");
  boost::asio::io_context context(1);
  auto& turn = Turn::of(context.get_executor());
  AuditLog log(to(path));
  log.put_off(context.get_executor());
  const Turn::Work one(turn);
  log.write(record("alone"));
  CHECK(content(path) == line("alone"));
  {
    const Turn::Work another(turn);
    log.write(record("1"));
    log.write(record("2"));
    CHECK(content(path) == line("alone"));
    context.poll();
    CHECK(content(path) == line("alone") + line("1") + line("2"));
    context.restart();
    log.write(record("3"));
    std::filesystem::rename(path, old);
    log.reopen();
    CHECK(content(old) == line("alone") + line("1") + line("2") + line("3"));
    log.write(record("4"));
  }
  log.write(record("5"));
  CHECK(content(path) == line("4") + line("5"));
  context.poll();
  CHECK(content(path) == line("4") + line("5"));
}

TEST_CASE("what was put off is written when it is much, and when the log ends") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  boost::asio::io_context context(1);
  auto& turn = Turn::of(context.get_executor());
  const Turn::Work one(turn), another(turn);
  std::string lines;
  {
    AuditLog log(to(path));
    log.put_off(context.get_executor());
    while (content(path).empty() && lines.size() < 1'000'000) {
      log.write(record("1"));
      lines += line("1");
    }
    CHECK(content(path) == lines);
    CHECK(lines.size() > 10'000);
    log.write(record("2"));
    CHECK(content(path) == lines);
  }
  CHECK(content(path) == lines + line("2"));
}
