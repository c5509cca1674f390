#include "proxy/ledger_schema.hpp"

#include <iterator>
#include <stdexcept>

namespace podfence::proxy {
namespace {

/// One step for each version: what is released is left alone, a later version adds its own. Files of every earlier
/// version lie in tests/data/ledger.
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
constexpr int schema_version = std::size(schema_steps);

int number_of(Database& database, const char* sql) {
  Statement statement(database, sql);
  statement.step();
  const int found = statement.integer(0);
  statement.step();
  return found;
}

int version_of(Database& database) { return number_of(database, "PRAGMA user_version"); }

[[noreturn]] void refuse_version(int found) {
  const bool newer = found > schema_version;
  throw std::runtime_error(std::string("it was written by ") + (newer ? "a newer" : "an older") + " podfence (schema " +
                           std::to_string(found) + "; this one knows " + std::to_string(schema_version) + ")" +
                           (newer ? "" : "; podfence serve brings it up"));
}

void check_damage(Database& database) {
  Statement check(database, "PRAGMA quick_check(1)");
  check.step();
  if (check.text(0) != "ok") throw std::runtime_error("it is damaged: " + check.text(0));
  check.step();
}

/// Before anything is written: the mode of the journal is.
void check_version(Database& database) {
  const int found = version_of(database);
  if (found > schema_version) refuse_version(found);
  if (found == 0 && number_of(database, "SELECT count(*) FROM sqlite_schema") != 0)
    throw std::runtime_error("it is a database of another program");
}

void migrate(Database& database) {
  const int found = version_of(database);
  if (found == schema_version) return;
  Transaction transaction(database);
  for (int step = found; step < schema_version; ++step) database.run(schema_steps[step]);
  transaction.commit();
}

}  // namespace

Database open_ledger_database(const std::string& path) {
  Database database(path);
  check_version(database);
  database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF");
  check_damage(database);
  migrate(database);
  return database;
}

Database read_ledger_database(const std::string& path) {
  auto database = Database::read_only(path);
  if (const int found = version_of(database); found != schema_version) refuse_version(found);
  return database;
}

}  // namespace podfence::proxy
