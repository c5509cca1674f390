#pragma once
// SQLite with lifetimes: an open database, prepared statements, a transaction. Errors are std::runtime_error.

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

namespace podfence::proxy {

class Database {
 public:
  /// ":memory:" or a path. Nothing of the file is read yet.
  explicit Database(const std::string& path);
  /// An existing file, which somebody else may have open and write. Nothing is written, nor made beside it.
  static Database read_only(const std::string& path);

  /// One or more statements without parameters.
  void run(const char* sql);
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  Database(const std::string& name, int flags);

  std::unique_ptr<sqlite3, Close> handle_;
};

class Statement {
 public:
  Statement(Database& database, const char* sql);

  /// Parameters and columns count from 0. Texts are copied.
  void bind(int parameter, std::string_view text);
  /// True: there is a row. False: done, and ready to be bound and run again.
  bool step();
  std::string text(int column) const;
  int integer(int column) const { return sqlite3_column_int(statement_.get(), column); }
  int parameters() const { return sqlite3_bind_parameter_count(statement_.get()); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// Rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace podfence::proxy
