#pragma once
// The projects that were added while podfence ran, on disk (SQLite in WAL mode): there again after a restart, until
// they have ended.

#include <cstdint>
#include <string>
#include <vector>

#include "proxy/database.hpp"

namespace podfence::proxy {

class ProjectStore {
 public:
  /// The file is created with mode 0600; ":memory:" for tests. One of an older podfence is brought up. Throws
  /// std::runtime_error with a sentence for people.
  explicit ProjectStore(const std::string& path);

  struct Row {
    std::string id;
    std::string definition;    ///< JSON
    std::string holder = {};   ///< what its holder is recognised by: mark_of()
    std::string ending = {};   ///< the teardown that is under way; "" for one that lives
    std::int64_t renewed = 0;  ///< of its lease, seconds since 1970, not to the second
  };
  std::vector<Row> all();
  /// Durable when they return.
  void put(const Row& row);
  void set_ending(const std::string& id, std::string_view teardown);
  void set_renewed(const std::string& id, std::int64_t time);
  void remove(const std::string& id);

 private:
  Database database_;
  Statement put_;
  Statement set_ending_;
  Statement set_renewed_;
  Statement remove_;
};

}  // namespace podfence::proxy
