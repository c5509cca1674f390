#include "proxy/database_schema.hpp"

#include <stdexcept>
#include <string>

namespace podfence::proxy {

namespace {

[[noreturn]] void refuse(int found, SchemaSteps steps) {
  if (found == 0) throw std::runtime_error("it is empty");
  const bool newer = found > static_cast<int>(steps.size());
  throw std::runtime_error(std::string("it was written by ") + (newer ? "a newer" : "an older") + " podfence (schema " +
                           std::to_string(found) + "; this one knows " + std::to_string(steps.size()) + ")" +
                           (newer ? "" : "; podfence serve brings it up"));
}

}  // namespace

int number_of(Database& database, const char* sql) {
  Statement statement(database, sql);
  statement.step();
  const int found = statement.integer(0);
  statement.step();
  return found;
}

int schema_version_of(Database& database) { return number_of(database, "PRAGMA user_version"); }

void check_not_newer(Database& database, SchemaSteps steps) {
  if (const int found = schema_version_of(database); found > static_cast<int>(steps.size())) refuse(found, steps);
}

void check_present(Database& database, SchemaSteps steps) {
  if (const int found = schema_version_of(database); found != static_cast<int>(steps.size())) refuse(found, steps);
}

void migrate(Database& database, SchemaSteps steps) {
  const auto found = static_cast<std::size_t>(schema_version_of(database));
  if (found >= steps.size()) return;
  Transaction transaction(database);
  for (const char* step : steps.subspan(found)) database.run(step);
  transaction.commit();
}

}  // namespace podfence::proxy
