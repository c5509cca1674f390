#include "proxy/ledger.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "proxy/database.hpp"
#include "proxy/ledger_schema.hpp"
#include "proxy/private_file.hpp"
#include "proxy/random.hpp"

namespace podfence::proxy {
namespace {

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

  std::int64_t size() const {
    std::int64_t sum = 0;
    for (const auto& [project, count] : counts_) sum += count;
    return sum;
  }

  bool empty() const { return holders_.empty(); }

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

/// Tags that are being pulled. A project can pull the same one several times at once: each pull takes off its own.
class TagClaims {
 public:
  void add(std::string_view project, std::string_view tag) { ++pulls_[std::string(tag)][std::string(project)]; }

  void remove(std::string_view project, std::string_view tag) {
    const auto found = pulls_.find(tag);
    if (found == pulls_.end()) return;
    const auto own = found->second.find(project);
    if (own != found->second.end() && --own->second == 0) found->second.erase(own);
    if (found->second.empty()) pulls_.erase(found);
  }

  bool others_have(std::string_view project, std::string_view tag) const {
    const auto found = pulls_.find(tag);
    return found != pulls_.end() &&
           std::ranges::any_of(found->second, [&](const auto& pulls) { return pulls.first != project; });
  }

 private:
  Map<std::map<std::string, std::size_t, std::less<>>> pulls_;  ///< by tag and project
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

/// The statement of each Claim::Change, in its order: a project, what it is about, and the way it came. What comes
/// again is as young as what is new.
constexpr const char* changes[] = {
    "INSERT INTO held_image (project, image, since, way) VALUES (?1, ?2, unixepoch(), ?3) "
    "ON CONFLICT DO UPDATE SET since = excluded.since, way = excluded.way",
    "DELETE FROM held_image WHERE project = ? AND image = ?",
    "INSERT INTO owned_tag (project, tag, since, way) VALUES (?1, ?2, unixepoch(), ?3) "
    "ON CONFLICT DO UPDATE SET since = excluded.since, way = excluded.way",
    "INSERT INTO owned_tag (project, tag, made, since, way) VALUES (?1, ?2, 1, unixepoch(), ?3) "
    "ON CONFLICT DO UPDATE SET made = 1, since = excluded.since, way = excluded.way",
    "DELETE FROM owned_tag WHERE project = ? AND tag = ?",
    "INSERT INTO held_secret (project, secret, since, way) VALUES (?1, ?2, unixepoch(), ?3) "
    "ON CONFLICT DO UPDATE SET since = excluded.since, way = excluded.way",
    "DELETE FROM held_secret WHERE project = ? AND secret = ?",
    "DELETE FROM cache_key WHERE project = ? AND ?2 = ''",
};
static_assert(std::size(changes) == static_cast<std::size_t>(rules::Claim::Change::RenewCacheKey) + 1);

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

rules::LedgerEntries read_entries(Database& database) {
  rules::LedgerEntries entries;
  Statement rows(database, R"(
    SELECT kind, project, what, made, way, since <> 0, strftime('%Y-%m-%dT%H:%M:%SZ', since, 'unixepoch'), unixepoch() - since
    FROM (SELECT 0 AS kind, project, image AS what, 0 AS made, way, since FROM held_image
          UNION ALL SELECT 1, project, tag, made, way, since FROM owned_tag
          UNION ALL SELECT 2, project, secret, 0, way, since FROM held_secret)
    ORDER BY project, kind, what)");
  while (rows.step()) {
    auto& entry = entries.emplace_back();
    entry = {static_cast<rules::LedgerEntry::Kind>(rows.integer(0)), rows.text(1), rows.text(2), rows.integer(3) != 0,
             rows.text(4)};
    if (rows.integer(5) == 0) continue;
    entry.since = rows.text(6);
    entry.age = rows.integer(7);
  }
  return entries;
}

/// Held as long as the ledger is open; flock(2), because SQLite's own locks come and go with each transaction.
File lock(const std::string& path) {
  File file = open_private_file(path + ".lock", O_RDWR);
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0)
    throw LedgerInUse("the ledger " + path +
                      " is in use by another podfence; serve all projects from one (--config), or give this one "
                      "a place of its own with --state");
  return file;
}

/// Of a name that is being pulled.
bool is_for_a_while(const rules::Claim& claim) { return claim.change == rules::Claim::Change::OwnTag; }

constexpr std::string_view was_made = "made\n";

/// What was cut down to nothing would look like a new one. `ledger` and `held`, its lock, may both be none.
void check_emptied(const File& ledger, const File& held) {
  struct stat status {};
  char mark = 0;
  if (fstat(ledger.descriptor(), &status) == 0 && status.st_size == 0 && pread(held.descriptor(), &mark, 1, 0) == 1)
    throw std::runtime_error("it is empty, and was not when podfence left it");
}

/// For those who only read, and make nothing.
void check_emptied(const std::string& path) {
  const auto look = [](const std::string& name) { return File(open(name.c_str(), O_RDONLY | O_CLOEXEC)); };
  check_emptied(look(path), look(path + ".lock"));
}

File claim_files(const std::string& path) {
  if (path == ":memory:") return File();
  File held = lock(path);
  if (access(path.c_str(), F_OK) == 0) check_emptied(open_private_file(path, O_RDWR), held);
  open_private_file(path, O_RDWR);
  return held;
}

/// From now on it is never empty.
void mark_made(const File& held) {
  if (held.descriptor() < 0) return;
  if (pwrite(held.descriptor(), was_made.data(), was_made.size(), 0) != static_cast<ssize_t>(was_made.size()))
    throw std::runtime_error("its lock cannot be written");
}

}  // namespace

struct SqliteLedger::State {
  explicit State(const std::string& path) : held(claim_files(path)), database(open_ledger_database(path)) {
    mark_made(held);
    for (const char* sql : changes) statements.emplace_back(database, sql);
    mirror = read_mirror(database);
  }
  /// In memory, with what the file says.
  explicit State(Mirror copy) : database(open_ledger_database(":memory:")), mirror(std::move(copy)) {}

  File held;
  Database database;
  std::vector<Statement> statements;
  Mirror mirror;
  TagClaims claimed_tags;
};

SqliteLedger::SqliteLedger(const std::string& path) try : state_(std::make_unique<State>(path)) {
} catch (const std::exception& error) {
  const std::string what = error.what();
  if (what.find(path) != std::string::npos) throw;
  throw std::runtime_error("the ledger " + path + " cannot be used: " + what +
                           "; bring back a copy that this podfence can use, or move it and the files beside it away (" +
                           path + "*) to begin anew: images are then hidden until they are pulled again");
}

SqliteLedger::SqliteLedger(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteLedger::SqliteLedger(SqliteLedger&&) noexcept = default;
SqliteLedger::~SqliteLedger() = default;

SqliteLedger SqliteLedger::copy_of(const std::string& path) try {
  check_emptied(path);
  auto database = read_ledger_database(path);
  return SqliteLedger(std::make_unique<State>(read_mirror(database)));
} catch (const std::exception& error) {
  throw std::runtime_error("the ledger " + path + " cannot be read: " + error.what());
}

rules::LedgerEntries SqliteLedger::entries_of(const std::string& path) try {
  check_emptied(path);
  auto database = read_ledger_database(path);
  return read_entries(database);
} catch (const std::exception& error) {
  throw std::runtime_error("the ledger " + path + " cannot be read: " + error.what());
}

rules::LedgerEntries SqliteLedger::entries() const { return read_entries(state_->database); }

std::vector<std::pair<rules::LedgerEntry::Kind, std::int64_t>> SqliteLedger::sizes() const {
  using Kind = rules::LedgerEntry::Kind;
  const auto& mirror = state_->mirror;
  return {{Kind::Image, mirror.images.size()}, {Kind::Tag, mirror.tags.size()}, {Kind::Secret, mirror.secrets.size()}};
}

bool SqliteLedger::empty() const {
  const auto& mirror = state_->mirror;
  return mirror.images.empty() && mirror.tags.empty() && mirror.secrets.empty();
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
  return state_->mirror.tags.others_have(project, tag) || state_->claimed_tags.others_have(project, tag);
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

void SqliteLedger::apply(std::string_view project, const std::vector<rules::Claim>& claims, std::string_view way) {
  if (claims.empty()) return;
  Transaction transaction(state_->database);
  for (const rules::Claim& claim : claims) {
    Statement& statement = state_->statements[static_cast<std::size_t>(claim.change)];
    statement.bind(0, project);
    statement.bind(1, claim.what);
    if (statement.parameters() > 2) statement.bind(2, way);
    statement.step();
  }
  transaction.commit();
  for (const rules::Claim& claim : claims) state_->mirror.apply(project, claim);
}

void SqliteLedger::claim(std::string_view project, const std::vector<rules::Claim>& claims, std::string_view way) {
  std::vector<rules::Claim> lasting;
  std::ranges::copy_if(claims, std::back_inserter(lasting), [](const auto& claim) { return !is_for_a_while(claim); });
  apply(project, lasting, way);
  for (const auto& claim : claims)
    if (is_for_a_while(claim)) state_->claimed_tags.add(project, claim.what);
}

void SqliteLedger::release(std::string_view project, const std::vector<rules::Claim>& claims) {
  for (const auto& claim : claims)
    if (is_for_a_while(claim)) state_->claimed_tags.remove(project, claim.what);
}

}  // namespace podfence::proxy
