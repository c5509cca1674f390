#include "proxy/project_store.hpp"

#include <fcntl.h>

#include <stdexcept>

#include "proxy/database_schema.hpp"
#include "proxy/private_file.hpp"

namespace podfence::proxy {

namespace {

constexpr const char* steps[] = {
    R"(
  CREATE TABLE IF NOT EXISTS project (id TEXT NOT NULL PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;
  ALTER TABLE project ADD COLUMN holder TEXT NOT NULL DEFAULT '';
  ALTER TABLE project ADD COLUMN ending TEXT NOT NULL DEFAULT '';
  ALTER TABLE project ADD COLUMN renewed INTEGER NOT NULL DEFAULT 0;
  PRAGMA user_version = 1;
)",
};

Database open_store(const std::string& path) {
  if (path != ":memory:") open_private_file(path, O_RDWR);
  try {
    Database database(path);
    check_not_newer(database, steps);
    database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF");
    migrate(database, steps);
    return database;
  } catch (const std::exception& error) {
    throw std::runtime_error("the projects that were added cannot be read from " + path + ": " + error.what());
  }
}

}  // namespace

ProjectStore::ProjectStore(const std::string& path)
    : database_(open_store(path)),
      put_(database_,
           "INSERT INTO project (id, definition, holder, ending, renewed) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
           "SET definition = excluded.definition, holder = excluded.holder, ending = excluded.ending, "
           "renewed = excluded.renewed"),
      set_ending_(database_, "UPDATE project SET ending = ?2 WHERE id = ?1"),
      set_renewed_(database_, "UPDATE project SET renewed = ?2 WHERE id = ?1"),
      remove_(database_, "DELETE FROM project WHERE id = ?") {}

std::vector<ProjectStore::Row> ProjectStore::all() {
  std::vector<Row> rows;
  for (Statement all(database_, "SELECT id, definition, holder, ending, renewed FROM project ORDER BY id"); all.step();)
    rows.push_back({all.text(0), all.text(1), all.text(2), all.text(3), std::stoll(all.text(4))});
  return rows;
}

void ProjectStore::put(const Row& row) {
  put_.bind(0, row.id);
  put_.bind(1, row.definition);
  put_.bind(2, row.holder);
  put_.bind(3, row.ending);
  put_.bind(4, std::to_string(row.renewed));
  put_.step();
}

void ProjectStore::set_ending(const std::string& id, std::string_view teardown) {
  set_ending_.bind(0, id);
  set_ending_.bind(1, teardown);
  set_ending_.step();
}

void ProjectStore::set_renewed(const std::string& id, std::int64_t time) {
  set_renewed_.bind(0, id);
  set_renewed_.bind(1, std::to_string(time));
  set_renewed_.step();
}

void ProjectStore::remove(const std::string& id) {
  remove_.bind(0, id);
  remove_.step();
}

}  // namespace podfence::proxy
