// Where audit lines go.
#include "proxy/audit_log.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_directory.hpp"

using namespace podfence::proxy;
using podfence::rules::AuditRecord;
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

}  // namespace

TEST_CASE("each record is a line of the file, behind those that are there") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  {
    AuditLog log(path);
    log.write(record("1"));
    log.write(record("2"));
  }
  AuditLog(path).write(record("3"));
  CHECK(content(path) == write_audit_line(record("1")) + "\n" + write_audit_line(record("2")) + "\n" +
                             write_audit_line(record("3")) + "\n");
}

TEST_CASE("a file that was emptied meanwhile is written from its beginning") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  AuditLog log(path);
  log.write(record("1"));
  std::filesystem::resize_file(path, 0);
  log.write(record("2"));
  CHECK(content(path) == write_audit_line(record("2")) + "\n");
}

TEST_CASE("the log is for the owner only, and a log that others may write is refused") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("audit.log");
  { AuditLog log(path); }
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(chmod(path.c_str(), 0622) == 0);
  CHECK_THROWS_AS(AuditLog{path}, std::runtime_error);
}

TEST_CASE("a log that cannot be opened names its path") {
  CHECK_THROWS_WITH(AuditLog("/nowhere/audit.log"), "cannot open /nowhere/audit.log: No such file or directory");
  CHECK_THROWS_AS(AuditLog("/dev/null"), std::runtime_error);
}
