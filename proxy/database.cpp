#include "proxy/database.hpp"

#include <unistd.h>

#include <stdexcept>

namespace podfence::proxy {
namespace {

void check(int code, sqlite3* database) {
  if (code != SQLITE_OK) throw std::runtime_error(database ? sqlite3_errmsg(database) : sqlite3_errstr(code));
}

/// For a URI: what has a meaning there.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '%')
      text += "%25";
    else if (c == '?')
      text += "%3f";
    else if (c == '#')
      text += "%23";
    else
      text += c;
  }
  return text;
}

}  // namespace

Database::Database(const std::string& path) : Database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {}

Database::Database(const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  check(code, handle);
  // Somebody may look at the file with the sqlite3 program meanwhile.
  check(sqlite3_busy_timeout(handle, 5000), handle);
}

Database Database::read_only(const std::string& path) {
  // Without a write-ahead log nobody has the file open, and SQLite would make one to read it.
  const bool in_use = access((path + "-wal").c_str(), F_OK) == 0;
  return {"file:" + escaped(path) + (in_use ? "?mode=ro" : "?immutable=1"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI};
}

void Database::run(const char* sql) { check(sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr), handle()); }

Statement::Statement(Database& database, const char* sql) : database_(database.handle()) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr), database_);
  statement_.reset(statement);
}

void Statement::bind(int parameter, std::string_view text) {
  // Without data a text is NULL for SQLite.
  const char* data = text.empty() ? "" : text.data();
  check(sqlite3_bind_text64(statement_.get(), parameter + 1, data, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
        database_);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  const std::string message = code == SQLITE_DONE ? "" : sqlite3_errmsg(database_);
  sqlite3_reset(statement_.get());
  if (code != SQLITE_DONE) throw std::runtime_error(message);
  return false;
}

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

Transaction::~Transaction() {
  // An error here has nobody to go to: SQLite rolls back by itself what it cannot finish.
  if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace podfence::proxy
