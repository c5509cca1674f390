// The whole policy: `<digit>METHOD target`, a line end, content. The digit says by which policy; without one it is the
// first. What is accepted is a fixpoint and names nothing foreign; and what p10 has makes no difference to p1, but
// where two projects want one name.

#include <algorithm>

#include "fuzz/accepted_body.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/json_mutator.hpp"
#include "fuzz/world.hpp"
#include "rules/made_object.hpp"

using namespace podfence;
using namespace podfence::rules;
using fuzz::claim;

namespace {

struct Input {
  const fuzz::Setting& setting;
  Method method;
  std::string_view target, content;
};

std::optional<Input> read(std::string_view text) {
  char digit = '0';
  if (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    digit = text[0];
    text.remove_prefix(1);
  }
  const auto space = text.find(' '), line = text.find('\n');
  if (space == text.npos || line == text.npos || space > line) return std::nullopt;
  const auto method = parse_method(text.substr(0, space));
  if (!method) return std::nullopt;
  return Input{fuzz::setting_of(digit), *method, text.substr(space + 1, line - space - 1), text.substr(line + 1)};
}

Decision decide(fuzz::World& world, const Input& input) {
  return world.decide(input.setting, input.method, input.target, input.content);
}

/// What a build leaves out comes from its archive, and can be longer than any target of a client's.
Target target_of(const UpstreamRequest& request) {
  auto parsed = parse_target(request.target, request.target.size());
  claim(std::holds_alternative<Target>(parsed), "the target can be read", request.target);
  return std::get<Target>(std::move(parsed));
}

void check_path(const UpstreamRequest& request) {
  for (const auto& segment : target_of(request).segments)
    claim(fuzz::foreign_in(segment).empty(), "nothing foreign in the path", request.target);
}

/// The image that a line of a Dockerfile as it is sent names, "" for none.
std::string_view image_of(std::string_view line) {
  constexpr std::string_view from = "FROM ", copy = "COPY --from=";
  if (line.starts_with(copy)) return line.substr(copy.size(), line.substr(copy.size()).find(' '));
  if (!line.starts_with(from)) return "";
  line.remove_prefix(from.size());
  while (line.starts_with("--")) {
    const auto space = line.find(' ');
    if (space == line.npos) return "";
    line.remove_prefix(space + 1);
  }
  return line.substr(0, line.find(' '));
}

/// Of a build: every stage begins with an image's id, and none is foreign.
void check_written(const std::string& dockerfile) {
  for (std::size_t at = 0; at < dockerfile.size(); at = dockerfile.find('\n', at) + 1) {
    const auto line = std::string_view(dockerfile).substr(at, dockerfile.find('\n', at) - at);
    claim(fuzz::foreign_in(image_of(line)).empty(), "no foreign image takes part", line);
  }
}

void check_forward(const Forward& forward, const Input& input) {
  const auto& request = forward.request;
  check_path(request);
  for (const auto& [name, text] : forward.members)
    if (text) check_written(*text);
  const auto target = target_of(request);
  const auto match = std::get<Match>(route(request.method, target));
  if (input.setting.project.policy.read_only)
    claim(request.method == Method::Get || request.method == Method::Head || target.segments.back() == "wait",
          "read access changes nothing", request.target);
  for (const auto& volume : forward.volumes)
    claim(!fuzz::is_foreign_volume(volume.name), "no foreign volume is made", volume.name);
  if (request.content && match.endpoint->body == Body::Secret)
    claim(*request.content == input.content, "a secret's value goes on as it came", request.target);
  else if (request.content)
    fuzz::check_accepted(match.endpoint->body, std::get<json::Value>(json::parse(*request.content)), input.setting);
}

/// Creates of a batch are what a client's would be; objects that are not there yet have an id of the project's own.
void check_batch(const Batch& batch, const Input& input) {
  for (const auto& item : batch.items) {
    const auto own = std::string(64, 'c');
    const bool is_known = !item.about && item.request.target.find(made_id_mark) == std::string::npos;
    const auto request = is_known ? item.request : with_made_id(item.request, own);
    check_path(request);
    const auto match = route(request.method, target_of(request));
    const auto* row = std::get_if<Match>(&match);
    if (!row || !request.target.ends_with("/create")) continue;
    const auto content = json::parse(request.content.value_or(""));
    claim(std::holds_alternative<json::Value>(content), "what is created is JSON", request.target);
    fuzz::check_accepted(row->endpoint->body, std::get<json::Value>(content), input.setting);
  }
  for (const auto& volume : batch.needs.volumes)
    claim(!fuzz::is_foreign_volume(volume.name), "no foreign volume is made", volume.name);
}

void check_fixpoint(fuzz::World& world, const Forward& forward, const fuzz::Setting& setting) {
  const auto& request = forward.request;
  const auto content = request.content.value_or("");
  const auto again = world.decide(setting, request.method, request.target, content);
  const auto* same = std::get_if<Forward>(&again);
  claim(same || std::holds_alternative<Reply>(again), "what goes upstream is accepted again", request.target + content);
  if (!same) return;
  claim(same->request.content.value_or("") == content, "the content is a fixpoint", content);
  claim(same->request.target == request.target, "the target is a fixpoint", request.target);
}

/// A digest of all that a client could notice, and of all that is done.
std::string told(const Decision& decision) {
  if (const auto* deny = std::get_if<Deny>(&decision))
    return "deny " + std::string(deny->rule->id) + " " + deny->subject + " " + deny->way_out;
  if (const auto* reply = std::get_if<Reply>(&decision))
    return "reply " + std::to_string(reply->status) + reply->content;
  if (const auto* fetch = std::get_if<Fetch>(&decision)) return "fetch " + fetch->reference;
  std::string text;
  if (const auto* forward = std::get_if<Forward>(&decision)) {
    text = "forward " + forward->request.target + "\n" + forward->request.content.value_or("");
    for (const auto& volume : forward->volumes) text += " volume " + volume.name;
    for (const auto& network : forward->networks) text += " network " + network.name;
    for (const auto& [name, written] : forward->members) text += " member " + name + "\n" + written.value_or("");
  }
  if (const auto* batch = std::get_if<Batch>(&decision))
    for (const auto& item : batch->items) text += "item " + item.name + "\n";
  return text;
}

/// Names of volumes, networks and tags are one space for all projects: that one is taken cannot be hidden.
bool is_about_a_taken_name(const Decision& decision) {
  const auto* deny = std::get_if<Deny>(&decision);
  if (!deny) return false;
  return deny->rule->id == "name.taken" || deny->rule->id == "image.tag-taken" ||
         (deny->rule->hidden && deny->kind == Kind::Volume);
}

void check_independence(const Decision& decision, const Input& input) {
  static fuzz::World alone(true);
  if (is_about_a_taken_name(decision)) return;
  const auto without = told(decide(alone, input));
  claim(told(decision) == without, "what p10 has makes no difference", told(decision) + "\n---\n" + without);
}

}  // namespace

std::size_t fuzz::json_begins(std::string_view input) {
  const auto line = input.find('\n');
  return line == input.npos ? line : line + 1;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::World world;
  const auto input = read(fuzz::text_of(data, size));
  if (!input) return 0;
  const auto decision = decide(world, *input);
  check_independence(decision, *input);
  if (const auto* reply = std::get_if<Reply>(&decision))
    for (const auto& word : fuzz::foreign_words())
      claim(word.size() < 64 || reply->content.find(word) == std::string::npos, "no foreign id in a reply",
            reply->content);
  if (const auto* batch = std::get_if<Batch>(&decision)) check_batch(*batch, *input);
  if (const auto* forward = std::get_if<Forward>(&decision)) {
    check_forward(*forward, *input);
    const bool is_written_anew = !forward->members.empty();
    if (!is_written_anew && fuzz::can_be_said(forward->request.content.value_or(""), input->setting))
      check_fixpoint(world, *forward, input->setting);
  }
  return 0;
}
