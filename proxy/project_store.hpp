#pragma once
// The projects that were added while podfence ran, on disk (SQLite in WAL mode): there again after a restart, until
// they are removed.

#include <string>
#include <vector>

#include "proxy/database.hpp"

namespace podfence::proxy {

class ProjectStore {
 public:
  /// The file is created with mode 0600; ":memory:" for tests. Throws std::runtime_error with a sentence for people.
  explicit ProjectStore(const std::string& path);

  struct Row {
    std::string id;
    std::string definition;  ///< JSON
  };
  std::vector<Row> all();
  /// Durable when it returns.
  void put(const std::string& id, const std::string& definition);
  void remove(const std::string& id);

 private:
  Database database_;
  Statement put_;
  Statement remove_;
};

}  // namespace podfence::proxy
