// Upstream's answers: `<letter><content>`. The letter says which answer it is (capital: Docker's API). What comes
// through is JSON, is the project's own, is not reduced further by a second look, and does not depend on how a stream
// was cut.

#include <algorithm>
#include <array>

#include "fuzz/fuzz.hpp"
#include "fuzz/json_mutator.hpp"
#include "fuzz/world.hpp"
#include "proxy/line_cutter.hpp"
#include "rules/image_name.hpp"

using namespace podfence;
using namespace podfence::rules;
using fuzz::claim;
using fuzz::Pieces;

namespace {

struct Row {
  char letter;
  Method method;
  std::string_view target;
};
constexpr auto rows = std::to_array<Row>({
    {'C', Method::Get, "/v1.41/containers/json?all=1"},
    {'c', Method::Get, "/v4.3.1/libpod/containers/json?all=true"},
    {'p', Method::Get, "/v4.3.1/libpod/pods/json"},
    {'V', Method::Get, "/v1.41/volumes"},
    {'v', Method::Get, "/v4.3.1/libpod/volumes/json"},
    {'N', Method::Get, "/v1.41/networks"},
    {'n', Method::Get, "/v4.3.1/libpod/networks/json"},
    {'I', Method::Get, "/v1.41/images/json"},
    {'i', Method::Get, "/v4.3.1/libpod/images/json"},
    {'A', Method::Get, "/v1.41/containers/web/json"},
    {'a', Method::Get, "/v4.3.1/libpod/containers/web/json"},
    {'o', Method::Get, "/v4.3.1/libpod/pods/pod/json"},
    {'B', Method::Get, "/v1.41/volumes/data"},
    {'M', Method::Get, "/v1.41/networks/net"},
    {'m', Method::Get, "/v4.3.1/libpod/networks/net/json"},
    {'J', Method::Get, "/v1.41/images/mine:1/json"},
    {'j', Method::Get, "/v4.3.1/libpod/images/mine:1/json"},
    {'H', Method::Get, "/v1.41/images/mine:1/history"},
    {'R', Method::Delete, "/v4.3.1/libpod/networks/net"},
    {'F', Method::Get, "/v1.41/info"},
    {'f', Method::Get, "/v4.3.1/libpod/info"},
    {'X', Method::Get, "/v1.41/version"},
    {'D', Method::Get, "/v1.41/system/df"},
    {'d', Method::Get, "/v4.3.1/libpod/system/df"},
    {'E', Method::Get, "/v1.41/events"},
    {'e', Method::Get, "/v4.3.1/libpod/events"},
    {'s', Method::Get, "/v4.3.1/libpod/containers/stats?containers=web"},
    {'t', Method::Get, "/v4.3.1/libpod/pods/stats?namesOrIDs=pod"},
    {'L', Method::Post, "/v1.41/images/create?fromImage=quay.io/own/app&tag=1"},
    {'l', Method::Post, "/v4.3.1/libpod/images/pull?reference=quay.io/own/app:1"},
    {'y', Method::Post, "/v1.41/build?t=quay.io/own/app:1"},
    {'z', Method::Post, "/v4.3.1/libpod/build?t=quay.io/own/app:1"},
    {'4', Method::Get, "/v1.41/containers/web/json"},
    {'5', Method::Delete, "/v4.3.1/libpod/networks/net"},
});

const Row& row_of(char letter) {
  const auto place = std::ranges::find(rows, letter, &Row::letter);
  return place != rows.end() ? *place : rows[static_cast<unsigned char>(letter) % rows.size()];
}

/// One exchange that upstream has begun to answer.
class Answered {
  static fuzz::World& world() {
    static fuzz::World all;
    return all;
  }
  static const fuzz::Setting& setting() { return fuzz::settings().front(); }

  template <typename Result>
  bool learn(const Result& result) {
    const auto* ask = std::get_if<Ask>(&result);
    if (ask) world().answer(setting(), knowledge_.facts, ask->questions);
    return ask;
  }
  template <typename Step>
  auto settled(Step step) {
    for (int round = 0; round < 8; ++round)
      if (auto result = step()) return *std::move(result);
    claim(false, "an answer settles within eight rounds");
    std::abort();
  }

 public:
  explicit Answered(const Row& row)
      : knowledge_(world().know(setting())), exchange_{setting().project, match_, request_, knowledge_.facts} {
    request_.method = row.method;
    request_.target = std::get<Target>(parse_target(row.target));
    request_.archive.emplace().texts = {{"Dockerfile", "FROM scratch\n"}};  // of a build
    match_ = std::get<Match>(route(row.method, request_.target));
    claim(std::holds_alternative<Forward>(world().settle(setting(), exchange_)), "it is asked", row.target);
  }

  Exchange& exchange() { return exchange_; }
  Answer kind() const { return match_.endpoint->answer; }

  /// nullopt: not passed on.
  std::optional<std::string> rewritten(std::string_view content) {
    return settled([&]() -> std::optional<std::optional<std::string>> {
      auto result = rewrite_answer(kind(), exchange_, content);
      if (learn(result)) return std::nullopt;
      const auto* text = std::get_if<std::string>(&result);
      return text ? std::optional(*text) : std::optional<std::string>();
    });
  }
  std::optional<std::string> judged(LineJudge& judge, std::string_view line) {
    return settled([&]() -> std::optional<std::optional<std::string>> {
      auto result = judge.judge(line);
      if (learn(result)) return std::nullopt;
      return std::get<std::optional<std::string>>(std::move(result));
    });
  }
  std::vector<Claim> claims(LineJudge& judge) {
    return settled([&]() -> std::optional<std::vector<Claim>> {
      auto result = judge.finish();
      if (learn(result)) return std::nullopt;
      return std::get<std::vector<Claim>>(std::move(result));
    });
  }

 private:
  Request request_;
  Match match_;
  fuzz::World::Knowledge knowledge_;
  Exchange exchange_;
};

json::Value read(std::string_view text) {
  auto parsed = json::parse(text, json::answer_limits);
  claim(std::holds_alternative<json::Value>(parsed), "what comes through is JSON", text);
  auto& value = std::get<json::Value>(parsed);
  const auto written = json::write(value);
  const auto again = json::parse(written, json::answer_limits);
  const auto* same = std::get_if<json::Value>(&again);
  claim(same && *same == value, "what comes through is read again as the same value", written);
  return std::move(value);
}

bool is_labelled(const json::Value& object) {
  for (const auto* place : {&object, object.find("Config")})
    for (const auto* name : {"Labels", "labels"})
      if (const auto* labels = place ? place->find(name) : nullptr; labels && labels->text("appx.project") == "p1")
        return true;
  return false;
}

bool is_own_volume(const json::Value& volume) {
  return is_labelled(volume) || volume.text("Name") == tests::id('9');  // which web mounts
}

bool is_own_network(const json::Value& network) {
  const auto is_default = [&](const char* name) { return network.text(name) == default_network_id; };
  return is_labelled(network) || is_default("Id") || is_default("id");
}

/// None of its names is the other project's alone.
bool shows_own_names(const json::Value& image) {
  for (const auto* member : {"RepoTags", "RepoDigests", "Names", "History", "NamesHistory"})
    if (const auto* names = image.find(member); names && names->items())
      for (const auto& name : *names->items())
        if (name.string() && !fuzz::foreign_in(*name.string()).empty()) return false;
  return true;
}

void check_items(const json::Value* list, bool (*is_own)(const json::Value&), std::string_view text) {
  claim(list && list->items(), "a list stays one", text);
  claim(std::ranges::all_of(*list->items(), is_own), "every item is the project's own", text);
}

void check_whole(Answer kind, const json::Value& document, std::string_view text) {
  switch (kind) {
    case Answer::Containers:
    case Answer::Pods:
      return check_items(&document, is_labelled, text);
    case Answer::Volumes:
      return check_items(document.members() ? document.find("Volumes") : &document, is_own_volume, text);
    case Answer::Networks:
      return check_items(&document, is_own_network, text);
    case Answer::Images:
      return check_items(&document, shows_own_names, text);
    case Answer::Image:
      return claim(shows_own_names(document), "an image shows no foreign names", text);
    default:
      return;
  }
}

void fuzz_whole(const Row& row, std::string_view content) {
  const auto once = Answered(row).rewritten(content);
  if (!once) return;
  check_whole(Answered(row).kind(), read(*once), *once);
  const auto twice = Answered(row).rewritten(*once);
  claim(twice == once, "a second look changes nothing", *once + twice.value_or("refused"));
}

struct Stream {
  std::vector<std::string> lines;
  std::string last;  ///< lines that were kept back
  std::vector<std::string> claims;
  friend bool operator==(const Stream&, const Stream&) = default;
};

Stream passed(const Row& row, std::string_view content, Pieces pieces) {
  constexpr std::size_t line_limit = 4096;
  Answered answered(row);
  LineJudge judge(answered.kind(), answered.exchange());
  Stream stream;
  const auto pass = [&](proxy::LineCutter& line) {
    auto text = line.too_long() ? std::nullopt : answered.judged(judge, line.text());
    if (text) stream.lines.push_back(*std::move(text));
    line.clear();
  };
  proxy::LineCutter line(line_limit);
  while (!content.empty()) {
    auto piece = content.substr(0, pieces.next(content.size()));
    content.remove_prefix(piece.size());
    while (line.take(piece)) pass(line);
  }
  if (!line.empty()) pass(line);
  for (const auto& change : answered.claims(judge))
    stream.claims.push_back(std::to_string(static_cast<int>(change.change)) + change.what);
  stream.last = judge.last_lines();
  return stream;
}

/// By the label where there is one, else by the id; images and volumes are known by their names.
bool is_own_event(const json::Value& event) {
  const auto type = event.text("Type");
  if (type == "image" || type == "volume") return true;
  const auto* actor = event.find("Actor");
  const auto* attributes = actor ? actor->find("Attributes") : nullptr;
  const auto* label = attributes && type == "container" ? attributes->find("appx.project") : nullptr;
  if (label) return label->string() && *label->string() == "p1";
  return actor && fuzz::foreign_in(actor->text("ID")).empty();
}

void fuzz_lines(const Row& row, std::string_view content) {
  const auto whole = passed(row, content, Pieces::whole());
  for (const auto& pieces : {Pieces::bytes(), Pieces::of(content)})
    claim(passed(row, content, pieces) == whole, "the cuts do not matter", content);
  std::string kept;
  for (const auto& line : whole.lines) {
    const auto value = read(line);
    claim(line.find('\n') == std::string::npos, "a line is one", line);
    if (row.letter == 'e' || row.letter == 'E') claim(is_own_event(value), "an event is the project's own", line);
    kept.append(line).append("\n");
  }
  // What is said of a build's image is written in another way than it comes.
  if (Answered(row).kind() != Answer::BuildLines)
    claim(passed(row, kept, Pieces::whole()).lines == whole.lines, "a second look changes nothing", kept);
}

void fuzz_error(const Row& row, std::string_view content) {
  for (const int status : {400, 404, 409, 500}) {
    Answered answered(row);
    const auto reply = rewrite_error(answered.exchange(), status, content);
    (void)read(reply.content);
    for (const auto& word : fuzz::foreign_words())
      claim(word.size() < 64 || reply.content.find(word) == std::string::npos, "no foreign id in an error",
            reply.content);
  }
}

}  // namespace

std::size_t fuzz::json_begins(std::string_view input) { return input.empty() ? std::string_view::npos : 1; }

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto input = fuzz::text_of(data, size);
  const auto& row = row_of(input[0]);
  const auto content = input.substr(1);
  if (row.letter == '4' || row.letter == '5')
    fuzz_error(row, content);
  else if (relay_of(Answered(row).kind()) == Relay::Lines)
    fuzz_lines(row, content);
  else
    fuzz_whole(row, content);
  return 0;
}
