#include "rules/verify/decoy.hpp"

#include <algorithm>

#include "rules/json_pointer.hpp"
#include "rules/verify/survey.hpp"

namespace podfence::rules::verify {

namespace {

#define LABELS R"({"{label}":"{decoy}","podfence.verify":"{run}"})"
#define CHANGES "&changes=CMD [\"/podfence-verify\"]&changes=LABEL podfence.verify={run}"

constexpr auto decoys = std::to_array<Piece>({
    {"the decoy's image",
     {{{"POST /v4.0.0/libpod/images/import?reference={foreign-image}" CHANGES, "of the decoy {run}", Form::Files},
       {"GET /v4.0.0/libpod/images/{foreign-image}/json", {}, Form::Json, "image-id", "/Id"}}},
     {{{"GET /v4.0.0/libpod/images/{foreign-image}/json", {"/Id"}}}},
     "DELETE /v4.0.0/libpod/images/{foreign-image}",
     {"foreign-image", "foreign-repo", "image-id"}},
    {"the decoy's pod",
     {{{"POST /v4.0.0/libpod/pods/create", R"({"name":"{pod-name}","labels":)" LABELS "}", Form::Json, "pod", "/Id"},
       {"POST /v4.0.0/libpod/pods/{pod}/start"},
       {"GET /v4.0.0/libpod/pods/{pod}/json", {}, Form::Json, "running", "/InfraContainerID"},
       {"POST /v1.41/containers/{running}/exec", R"({"Cmd":["/catatonit","--version"],"AttachStdout":true})",
        Form::Json, "exec", "/Id"}}},
     {{{"GET /v4.0.0/libpod/pods/{pod}/json", {"/Id", "/Name", "/State", "/NumContainers", "/Labels"}},
       {"GET /v4.0.0/libpod/containers/{running}/json",
        {"/Id", "/Name", "/State/Status", "/State/StartedAt", "/Config/Labels", "/ExecIDs"}}}},
     "DELETE /v4.0.0/libpod/pods/{pod-name}?force=true",
     {"pod", "running", "exec"}},
    {"the decoy's container",
     {{{"POST /v4.0.0/libpod/containers/create",
        R"({"name":"{container-name}","image":"{foreign-image}","labels":)" LABELS "}", Form::Json, "container",
        "/Id"}}},
     {{{"GET /v4.0.0/libpod/containers/{container}/json",
        {"/Id", "/Name", "/State/Status", "/Config/Labels", "/ExecIDs"}}}},
     "DELETE /v4.0.0/libpod/containers/{container-name}?force=true",
     {"container", "short-id"}},
    {"the decoy's volume",
     {{{"POST /v4.0.0/libpod/volumes/create", R"({"Name":"{volume}","Labels":)" LABELS "}"}}},
     {{{"GET /v4.0.0/libpod/volumes/{volume}/json", {"/Name", "/CreatedAt", "/Labels"}}}},
     "DELETE /v4.0.0/libpod/volumes/{volume}?force=true",
     {"volume"}},
    {"the decoy's network",
     {{{"POST /v1.41/networks/create", R"({"Name":"{network}","Labels":)" LABELS "}"},
       {"GET /v4.0.0/libpod/networks/{network}/json", {}, Form::Json, "network-id", "/id"}}},
     {{{"GET /v4.0.0/libpod/networks/{network}/json", {"/id", "/name", "/labels"}}}},
     "DELETE /v4.0.0/libpod/networks/{network}?force=true",
     {"network", "network-id"}},
    {"the decoy's secret",
     {{{"POST /v4.0.0/libpod/secrets/create?name={secret}", "nothing that matters"}}},
     {{{"GET /v4.0.0/libpod/secrets/{secret}/json", {"/ID", "/UpdatedAt"}}}},
     "DELETE /v4.0.0/libpod/secrets/{secret}",
     {"secret"}},
});

constexpr auto owns = std::to_array<Piece>({
    {"an image of its own",
     {{{"POST /v4.0.0/libpod/images/import?reference={own-image}" CHANGES, "of the project {run}", Form::Files}}},
     {},
     "DELETE /v4.0.0/libpod/images/{own-image}",
     {"own-image", "may-import"}},
    {"a container",
     {{{"POST /v1.41/containers/create?name={run}-own", R"({"Image":"{image}"})"}}},
     {},
     "DELETE /v4.0.0/libpod/containers/{run}-own?force=true",
     {"image"}},
    {"a volume",
     {{{"POST /v1.41/volumes/create", R"({"Name":"{run}-own-volume"})"}}},
     {},
     "DELETE /v4.0.0/libpod/volumes/{run}-own-volume?force=true",
     {"new-volume", "name-json"}},
    {"a network",
     {{{"POST /v1.41/networks/create", R"({"Name":"{run}-own-net"})"}}},
     {},
     "DELETE /v4.0.0/libpod/networks/{run}-own-net?force=true",
     {"new-network"}},
    {"a pod",
     {{{"POST /v4.0.0/libpod/pods/create", R"({"name":"{run}-own-pod","no_infra":true})"}}},
     {},
     "DELETE /v4.0.0/libpod/pods/{run}-own-pod?force=true",
     {"new-pod"}},
    {"an image by a build",
     {{{"POST /v1.41/build?t=localhost/{run}-own-build:latest", "FROM scratch\nLABEL podfence.verify={run}\n",
        Form::Context},
       {"GET /v4.0.0/libpod/images/localhost/{run}-own-build:latest/json", {}, Form::Json, "built", "/Id"}}},
     {},
     "DELETE /v4.0.0/libpod/images/localhost/{run}-own-build:latest",
     {"new-build", "may-build"}},
});

#undef LABELS
#undef CHANGES

/// The decoy's words of which an answer tells by telling their value.
constexpr std::string_view hidden_ids[] = {"image-id", "pod", "running", "exec", "container", "network-id"};
constexpr std::size_t short_id = 12;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string in_hexadecimal(std::size_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (; number > 0; number /= 16) text.insert(0, 1, digits[number % 16]);
  return text;
}

}  // namespace

std::string run_name(std::string_view digits) { return std::string(run_prefix) + std::string(digits.substr(0, 10)); }

std::span<const Piece> decoy_pieces() { return decoys; }
std::span<const Piece> own_pieces() { return owns; }

Scene first_scene(const std::string& run, std::string_view label, std::string_view project, std::string_view random) {
  const auto decoy = run + "-decoy", absent = run + "-absent", made = run + "-new";
  const auto name_json = R"({"Name":")" + made + "-volume\"}";
  Scene scene;
  scene.values = {{"run", run},
                  {"decoy", run},
                  {"label", std::string(label)},
                  {"project", std::string(project)},
                  {"own-image", "localhost/" + run + "-own:latest"},
                  {"image", "localhost/" + run + "-own:latest"},
                  {"may-import", ""},
                  {"may-build", ""},
                  {"new", made},
                  {"new-volume", made + "-volume"},
                  {"new-network", made + "-net"},
                  {"new-pod", made + "-pod"},
                  {"new-build", made + "-build"},
                  {"container-name", decoy},
                  {"pod-name", decoy + "-pod"},
                  {"volume", decoy + "-volume"},
                  {"network", decoy + "-net"},
                  {"secret", decoy + "-secret"},
                  {"foreign-repo", "localhost/" + decoy},
                  {"foreign-image", "localhost/" + decoy + ":latest"},
                  {"name-json", name_json},
                  {"name-length", std::to_string(name_json.size())},
                  {"longer-length", std::to_string(name_json.size() + 2)},
                  {"name-chunk", in_hexadecimal(name_json.size()) + "\r\n" + name_json + "\r\n0\r\n\r\n"},
                  {"long", std::string(200'000, 'a')},
                  {"huge", std::string(17 * 1024 * 1024, 'a')},
                  {"deep", nested(2000)}};
  const std::string id(random.substr(0, 64));
  scene.absent = {{"container", id},
                  {"running", id},
                  {"pod", id},
                  {"exec", id},
                  {"short-id", id.substr(0, short_id)},
                  {"volume", absent + "-volume"},
                  {"network", absent + "-net"},
                  {"secret", absent + "-secret"},
                  {"foreign-repo", "localhost/" + absent},
                  {"foreign-image", "localhost/" + absent + ":latest"}};
  return scene;
}

bool learn(Scene& scene, const Step& step, std::string_view content) {
  if (step.word.empty()) return true;
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<json::Value>(&parsed);
  const auto* value = document ? json::find(*document, step.pointer) : nullptr;
  if (!value || !value->string() || value->string()->empty()) return false;
  const std::string word(step.word);
  scene.missing.erase(word);
  scene.values[word] = *value->string();
  if (word == "container") scene.values["short-id"] = value->string()->substr(0, short_id);
  return true;
}

void lose(Scene& scene, const Piece& piece, const std::string& reason) {
  for (const auto word : piece.words) {
    if (word.empty()) continue;
    scene.values.erase(std::string(word));
    scene.missing[std::string(word)] = reason;
  }
}

Facts facts_of(const Look& look, int status, std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<json::Value>(&parsed);
  Facts facts;
  if (status != 200 || !document) return facts;
  for (const auto pointer : look.facts) {
    if (pointer.empty()) continue;
    const auto* value = json::find(*document, pointer);
    facts.emplace_back(pointer, value ? json::write(*value) : "null");
  }
  return facts;
}

std::vector<std::string> changes(const Piece& piece, const Facts& before, const Facts& now) {
  const std::string what(piece.what);
  if (!before.empty() && now.empty()) return {what + " is gone"};
  std::vector<std::string> result;
  for (const auto& [where, value] : before) {
    const auto found = std::ranges::find(now, where, &Facts::value_type::first);
    if (found != now.end() && found->second != value)
      result.push_back(what + ": " + where + " was " + value + ", is " + found->second);
  }
  return result;
}

std::string socket_in(std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<json::Value>(&parsed);
  return document ? std::string(document->text("socket")) : "";
}

std::vector<std::string> runs_in(std::string_view content) {
  const auto parsed = json::parse(content, json::answer_limits);
  const auto* document = std::get_if<json::Value>(&parsed);
  std::vector<std::string> result;
  for (const auto& project : document ? document->list("projects") : json::Array())
    if (const auto id = project.text("id"); run_of(id) == id && !id.empty()) result.emplace_back(id);
  return result;
}

std::vector<std::string> canaries(const Scene& scene) {
  std::vector<std::string> result = {scene.filled("{run}-decoy")};
  for (const auto word : hidden_ids) {
    const auto found = scene.values.find(word);
    if (found != scene.values.end())
      result.push_back(found->second.substr(0, found->second.starts_with("sha256:") ? 19 : short_id));
  }
  return result;
}

}  // namespace podfence::rules::verify
