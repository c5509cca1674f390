#include "proxy/ledger.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "proxy/database.hpp"
#include "proxy/private_file.hpp"
#include "proxy/random.hpp"

namespace podfence::proxy {
namespace {

/// One step for each version: what is released is left alone, a later version adds its own.
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
};
constexpr int schema_version = std::size(schema_steps);

/// Look-ups by string_view without a copy.
struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};
template <class Value>
using Map = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

/// Who holds what: images by their ids, or tags. Several projects can have pulled the same.
class Holdings {
 public:
  void add(std::string_view project, std::string_view what) {
    if (holders_[std::string(what)].emplace(project).second) ++counts_[std::string(project)];
  }

  void remove(std::string_view project, std::string_view what) {
    const auto found = holders_.find(what);
    if (found == holders_.end()) return;
    if (found->second.erase(std::string(project)) > 0) --counts_[std::string(project)];
    if (found->second.empty()) holders_.erase(found);
  }

  std::int64_t count(std::string_view project) const {
    const auto found = counts_.find(project);
    return found == counts_.end() ? 0 : found->second;
  }

  bool has(std::string_view project, std::string_view what) const {
    const auto found = holders_.find(what);
    return found != holders_.end() && found->second.contains(project);
  }

  std::vector<std::string> held_by(std::string_view project) const {
    std::vector<std::string> held;
    for (const auto& [what, holders] : holders_)
      if (holders.contains(project)) held.push_back(what);
    return held;
  }

  bool others_have(std::string_view project, std::string_view what) const {
    const auto found = holders_.find(what);
    return found != holders_.end() &&
           std::ranges::any_of(found->second, [&](const std::string& holder) { return holder != project; });
  }

 private:
  Map<std::set<std::string, std::less<>>> holders_;
  Map<std::int64_t> counts_;  ///< by project
};

/// What the tables say.
struct Mirror {
  Holdings images, tags, made_tags, secrets;
  Map<std::string> cache_keys;  ///< by project

  void apply(std::string_view project, const rules::Claim& claim);
};

void Mirror::apply(std::string_view project, const rules::Claim& claim) {
  switch (claim.change) {
    case rules::Claim::Change::HoldImage:
      images.add(project, claim.what);
      break;
    case rules::Claim::Change::DropImage:
      images.remove(project, claim.what);
      break;
    case rules::Claim::Change::OwnTag:
      tags.add(project, claim.what);
      break;
    case rules::Claim::Change::MakeTag:
      tags.add(project, claim.what);
      made_tags.add(project, claim.what);
      break;
    case rules::Claim::Change::DropTag:
      tags.remove(project, claim.what);
      made_tags.remove(project, claim.what);
      break;
    case rules::Claim::Change::HoldSecret:
      secrets.add(project, claim.what);
      break;
    case rules::Claim::Change::DropSecret:
      secrets.remove(project, claim.what);
      break;
    case rules::Claim::Change::RenewCacheKey:
      if (const auto found = cache_keys.find(project); found != cache_keys.end()) cache_keys.erase(found);
      break;
  }
}

/// The statement of each Claim::Change, in its order: a project, and what it is about.
constexpr const char* changes[] = {
    "INSERT OR IGNORE INTO held_image (project, image) VALUES (?, ?)",
    "DELETE FROM held_image WHERE project = ? AND image = ?",
    "INSERT OR IGNORE INTO owned_tag (project, tag) VALUES (?, ?)",
    "INSERT INTO owned_tag (project, tag, made) VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET made = 1",
    "DELETE FROM owned_tag WHERE project = ? AND tag = ?",
    "INSERT OR IGNORE INTO held_secret (project, secret) VALUES (?, ?)",
    "DELETE FROM held_secret WHERE project = ? AND secret = ?",
    "DELETE FROM cache_key WHERE project = ? AND ?2 = ''",
};
static_assert(std::size(changes) == static_cast<std::size_t>(rules::Claim::Change::RenewCacheKey) + 1);

int version_of(Database& database) {
  Statement version(database, "PRAGMA user_version");
  version.step();
  const int found = version.integer(0);
  version.step();
  return found;
}

std::string other_version(int found) {
  return std::string("it was written by ") + (found > schema_version ? "a newer" : "an older") + " podfence (schema " +
         std::to_string(found) + "; this one knows " + std::to_string(schema_version) + ")";
}

void migrate(Database& database) {
  const int found = version_of(database);
  if (found > schema_version) throw std::runtime_error(other_version(found));
  if (found == schema_version) return;
  Transaction transaction(database);
  for (int step = found; step < schema_version; ++step) database.run(schema_steps[step]);
  transaction.commit();
}

Mirror read_mirror(Database& database) {
  Mirror mirror;
  for (Statement held(database, "SELECT image, project FROM held_image"); held.step();)
    mirror.images.add(held.text(1), held.text(0));
  for (Statement owned(database, "SELECT tag, project, made FROM owned_tag"); owned.step();) {
    mirror.tags.add(owned.text(1), owned.text(0));
    if (owned.integer(2) != 0) mirror.made_tags.add(owned.text(1), owned.text(0));
  }
  for (Statement held(database, "SELECT secret, project FROM held_secret"); held.step();)
    mirror.secrets.add(held.text(1), held.text(0));
  for (Statement keys(database, "SELECT project, random FROM cache_key"); keys.step();)
    mirror.cache_keys.emplace(keys.text(0), keys.text(1));
  return mirror;
}

Database open_database(const std::string& path) {
  Database database(path);
  database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF");
  Statement check(database, "PRAGMA quick_check(1)");
  check.step();
  if (check.text(0) != "ok") throw std::runtime_error("it is damaged: " + check.text(0));
  check.step();
  migrate(database);
  return database;
}

/// Held as long as the ledger is open; flock(2), because SQLite's own locks come and go with each transaction.
File lock(const std::string& path) {
  File file = open_private_file(path + ".lock", O_RDWR);
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0)
    throw std::runtime_error("the ledger " + path +
                             " is in use by another podfence; serve all projects from one (--config), or give this one "
                             "a place of its own with --state");
  return file;
}

File claim_files(const std::string& path) {
  if (path == ":memory:") return File();
  File held = lock(path);
  open_private_file(path, O_RDWR);
  return held;
}

}  // namespace

struct SqliteLedger::State {
  explicit State(const std::string& path) : held(claim_files(path)), database(open_database(path)) {
    for (const char* sql : changes) statements.emplace_back(database, sql);
    mirror = read_mirror(database);
  }
  /// In memory, with what the file says.
  explicit State(Mirror copy) : database(open_database(":memory:")), mirror(std::move(copy)) {}

  File held;
  Database database;
  std::vector<Statement> statements;
  Mirror mirror;
};

SqliteLedger::SqliteLedger(const std::string& path) try : state_(std::make_unique<State>(path)) {
} catch (const std::exception& error) {
  const std::string what = error.what();
  if (what.find(path) != std::string::npos) throw;
  throw std::runtime_error("the ledger " + path + " cannot be used: " + what +
                           "; move it away to begin anew: images are then hidden until they are pulled again");
}

SqliteLedger::SqliteLedger(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteLedger::SqliteLedger(SqliteLedger&&) noexcept = default;
SqliteLedger::~SqliteLedger() = default;

SqliteLedger SqliteLedger::copy_of(const std::string& path) try {
  auto database = Database::read_only(path);
  if (const int found = version_of(database); found != schema_version) throw std::runtime_error(other_version(found));
  return SqliteLedger(std::make_unique<State>(read_mirror(database)));
} catch (const std::exception& error) {
  throw std::runtime_error("the ledger " + path + " cannot be read: " + error.what());
}

bool SqliteLedger::holds_image(std::string_view project, std::string_view image_id) const {
  return state_->mirror.images.has(project, image_id);
}

bool SqliteLedger::held_by_others(std::string_view project, std::string_view image_id) const {
  return state_->mirror.images.others_have(project, image_id);
}

bool SqliteLedger::owns_tag(std::string_view project, std::string_view tag) const {
  return state_->mirror.tags.has(project, tag);
}

bool SqliteLedger::tag_owned_by_others(std::string_view project, std::string_view tag) const {
  return state_->mirror.tags.others_have(project, tag);
}

bool SqliteLedger::tag_made_by_others(std::string_view project, std::string_view tag) const {
  return state_->mirror.made_tags.others_have(project, tag);
}

bool SqliteLedger::holds_secret(std::string_view project, std::string_view id) const {
  return state_->mirror.secrets.has(project, id);
}

std::vector<std::string> SqliteLedger::secrets(std::string_view project) const {
  return state_->mirror.secrets.held_by(project);
}

std::string SqliteLedger::cache_key(std::string_view project) const {
  auto& keys = state_->mirror.cache_keys;
  if (const auto found = keys.find(project); found != keys.end()) return found->second;
  auto key = random_digits();
  Statement insert(state_->database, "INSERT INTO cache_key (project, random) VALUES (?, ?)");
  insert.bind(0, project);
  insert.bind(1, key);
  insert.step();
  return keys.emplace(project, std::move(key)).first->second;
}

std::int64_t SqliteLedger::images(std::string_view project) const { return state_->mirror.images.count(project); }

void SqliteLedger::apply(std::string_view project, const std::vector<rules::Claim>& claims) {
  if (claims.empty()) return;
  Transaction transaction(state_->database);
  for (const rules::Claim& claim : claims) {
    Statement& statement = state_->statements[static_cast<std::size_t>(claim.change)];
    statement.bind(0, project);
    statement.bind(1, claim.what);
    statement.step();
  }
  transaction.commit();
  for (const rules::Claim& claim : claims) state_->mirror.apply(project, claim);
}

}  // namespace podfence::proxy
