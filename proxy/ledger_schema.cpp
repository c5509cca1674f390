#include "proxy/ledger_schema.hpp"

#include <stdexcept>

#include "proxy/database_schema.hpp"

namespace podfence::proxy {
namespace {

/// Files of every earlier version lie in tests/data/ledger.
constexpr const char* schema_steps[] = {
    R"(
  CREATE TABLE held_image (project TEXT NOT NULL, image TEXT NOT NULL, PRIMARY KEY (project, image)) WITHOUT ROWID;
  CREATE TABLE owned_tag (project TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (project, tag)) WITHOUT ROWID;
  PRAGMA user_version = 1;
)",
    R"(
  ALTER TABLE owned_tag ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE held_secret (project TEXT NOT NULL, secret TEXT NOT NULL, PRIMARY KEY (project, secret)) WITHOUT ROWID;
  CREATE TABLE cache_key (project TEXT NOT NULL PRIMARY KEY, random TEXT NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = 2;
)",
    // Seconds since 1970, and the word for what the client did; 0 and '' before that was recorded.
    R"(
  ALTER TABLE held_image ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE held_image ADD COLUMN way TEXT NOT NULL DEFAULT '';
  ALTER TABLE owned_tag ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE owned_tag ADD COLUMN way TEXT NOT NULL DEFAULT '';
  ALTER TABLE held_secret ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE held_secret ADD COLUMN way TEXT NOT NULL DEFAULT '';
  PRAGMA user_version = 3;
)",
};
void check_damage(Database& database) {
  Statement check(database, "PRAGMA quick_check(1)");
  check.step();
  if (check.text(0) != "ok") throw std::runtime_error("it is damaged: " + check.text(0));
  check.step();
}

/// Before anything is written: the mode of the journal is.
void check_version(Database& database) {
  check_not_newer(database, schema_steps);
  if (schema_version_of(database) == 0 && number_of(database, "SELECT count(*) FROM sqlite_schema") != 0)
    throw std::runtime_error("it is a database of another program");
}

}  // namespace

Database open_ledger_database(const std::string& path) {
  Database database(path);
  check_version(database);
  database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF");
  check_damage(database);
  migrate(database, schema_steps);
  return database;
}

Database read_ledger_database(const std::string& path) {
  auto database = Database::read_only(path);
  check_version(database);
  check_present(database, schema_steps);
  return database;
}

}  // namespace podfence::proxy
