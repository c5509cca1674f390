#pragma once
// The steps by which a database file came to its present form: what is released is left alone, a later version adds its
// own. The version is the number of steps taken (user_version).

#include <span>

#include "proxy/database.hpp"

namespace podfence::proxy {

using SchemaSteps = std::span<const char* const>;

/// The first column of a statement's only row.
int number_of(Database& database, const char* sql);
int schema_version_of(Database& database);

/// Throws std::runtime_error with a sentence when the file is of a newer podfence.
void check_not_newer(Database& database, SchemaSteps steps);
/// Likewise of an older one: for those who only read.
void check_present(Database& database, SchemaSteps steps);
/// All missing steps, or none. Each sets the version.
void migrate(Database& database, SchemaSteps steps);

}  // namespace podfence::proxy
