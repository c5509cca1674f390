#include "proxy/project_store.hpp"

#include <fcntl.h>

#include <stdexcept>

#include "proxy/private_file.hpp"

namespace podfence::proxy {

namespace {

Database open_store(const std::string& path) {
  if (path != ":memory:") open_private_file(path, O_RDWR);
  try {
    Database database(path);
    database.run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;"
        "CREATE TABLE IF NOT EXISTS project (id TEXT NOT NULL PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID");
    return database;
  } catch (const std::exception& error) {
    throw std::runtime_error("the projects that were added cannot be read from " + path + ": " + error.what());
  }
}

}  // namespace

ProjectStore::ProjectStore(const std::string& path)
    : database_(open_store(path)),
      put_(database_, "INSERT INTO project VALUES (?, ?) ON CONFLICT DO UPDATE SET definition = excluded.definition"),
      remove_(database_, "DELETE FROM project WHERE id = ?") {}

std::vector<ProjectStore::Row> ProjectStore::all() {
  std::vector<Row> rows;
  for (Statement all(database_, "SELECT id, definition FROM project ORDER BY id"); all.step();)
    rows.push_back({all.text(0), all.text(1)});
  return rows;
}

void ProjectStore::put(const std::string& id, const std::string& definition) {
  put_.bind(0, id);
  put_.bind(1, definition);
  put_.step();
}

void ProjectStore::remove(const std::string& id) {
  remove_.bind(0, id);
  remove_.step();
}

}  // namespace podfence::proxy
