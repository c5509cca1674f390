#include "rules/ledger_entry.hpp"

#include <algorithm>
#include <array>

#include "rules/contains.hpp"
#include "rules/exchange.hpp"
#include "rules/image_name.hpp"
#include "rules/image_target.hpp"

namespace podfence::rules {

namespace {

using EntryKind = LedgerEntry::Kind;

/// What people copy from `docker images`.
constexpr std::size_t short_id = 12;

struct KindRow {
  EntryKind kind;
  std::string_view name;
  Claim::Change drop;
};
constexpr auto kinds = std::to_array<KindRow>({
    {EntryKind::Image, "image", Claim::Change::DropImage},
    {EntryKind::Tag, "tag", Claim::Change::DropTag},
    {EntryKind::Secret, "secret", Claim::Change::DropSecret},
});

const KindRow& row_of(EntryKind kind) { return *std::ranges::find(kinds, kind, &KindRow::kind); }

struct Way {
  Act act;
  std::string_view name;
};
constexpr auto ways = std::to_array<Way>({
    {Act::ImagePull, "pull"},
    {Act::Build, "build"},
    {Act::ImageTag, "tag"},
    {Act::ImageLoad, "load"},
    {Act::ImageImport, "import"},
    {Act::Commit, "commit"},
    {Act::ManifestCreate, "manifest"},
    {Act::ManifestModify, "manifest"},
    {Act::SecretCreate, "secret"},
    {Act::KubePlay, "kube"},
});

bool is_called(const LedgerEntry& entry, std::string_view word) {
  if (word.starts_with("sha256:")) word.remove_prefix(std::string_view("sha256:").size());
  if (entry.what == word) return true;
  if (entry.kind == EntryKind::Tag) {
    const auto names = image_candidates(word);
    return contains(names, entry.what);
  }
  return word.size() >= short_id && entry.what.starts_with(word);
}

using Cells = std::array<std::string, 5>;
constexpr std::string_view column_names[] = {"PROJECT", "KIND", "WAY", "SINCE", "WHAT"};

Cells cells_of(const LedgerEntry& entry) {
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  return {entry.project, std::string(text(entry.kind)), or_dash(entry.way), or_dash(entry.since), entry.what};
}

}  // namespace

std::string_view text(LedgerEntry::Kind kind) { return row_of(kind).name; }

std::string_view way_of(const Exchange& exchange) {
  const auto& endpoint = *exchange.match.endpoint;
  if (takes_root_archive(endpoint, exchange.request.target)) return "import";
  const auto found = std::ranges::find(ways, endpoint.act, &Way::act);
  return found == std::end(ways) ? std::string_view() : found->name;
}

Claim drop_of(const LedgerEntry& entry) { return {row_of(entry.kind).drop, entry.what}; }

LedgerEntries entries_called(const LedgerEntries& entries, std::string_view word) {
  LedgerEntries found;
  std::ranges::copy_if(entries, std::back_inserter(found),
                       [&](const LedgerEntry& entry) { return is_called(entry, word); });
  return found;
}

std::string ledger_table(const LedgerEntries& entries) {
  std::vector<Cells> lines;
  lines.emplace_back();
  std::ranges::copy(column_names, lines.front().begin());
  std::ranges::transform(entries, std::back_inserter(lines), cells_of);
  Cells::size_type last = std::size(column_names) - 1;
  std::string table;
  std::array<std::size_t, std::size(column_names)> widths{};
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < last; ++i) table += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    table += line[last] + "\n";
  }
  return table;
}

std::string ledger_json(const LedgerEntries& entries) {
  std::string lines;
  for (const auto& entry : entries) {
    json::Value value;
    value.set("project", entry.project);
    value.set("kind", text(entry.kind));
    if (entry.kind == EntryKind::Tag) value.set("made", entry.made);
    value.set("what", entry.what);
    value.set("way", entry.way.empty() ? json::Value() : json::Value(entry.way));
    value.set("since", entry.since.empty() ? json::Value() : json::Value(entry.since));
    lines += (lines.empty() ? "" : ",\n ") + json::write(value);
  }
  return "[" + lines + "]\n";
}

}  // namespace podfence::rules
