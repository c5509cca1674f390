// The rows of the survey that are no fields of a tabled body: queries, headers, modes, labels, and the bodies of
// endpoints that are not served. Each is decided somewhere; here is where.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "rules/ascii.hpp"
#include "rules/query_table.hpp"
#include "tests/rules/body_judge.hpp"
#include "tests/rules/survey.hpp"

using namespace podfence::tests;

namespace {

struct Way {
  Method method;
  std::string_view path;  ///< as in the endpoint table
};

const Endpoint* row_of(const Way& way) {
  const auto found = std::ranges::find_if(
      endpoints(), [&](const Endpoint& each) { return each.method == way.method && each.path == way.path; });
  return found == endpoints().end() ? nullptr : &*found;
}

using enum Method;

/// The endpoints that a group of rows is about.
const std::map<std::string, std::vector<Way>>& groups() {
  static const std::map<std::string, std::vector<Way>> map = {
      {"query-container-create", {{Post, "/containers/create"}}},
      {"import-query", {{Post, "/libpod/images/import"}}},
      {"images-create-query (compat pull/import)", {{Post, "/images/create"}}},
      {"images-pull-query (libpod)", {{Post, "/libpod/images/pull"}}},
      {"images-push-query", {{Post, "/images/{name:.*}/push"}, {Post, "/libpod/images/{name:.*}/push"}}},
      {"images-load", {{Post, "/images/load"}, {Post, "/libpod/images/load"}, {Post, "/libpod/local/images/load"}}},
      {"images-tag-query", {{Post, "/images/{name:.*}/tag"}, {Post, "/libpod/images/{name:.*}/tag"}}},
      {"images-export-query", {{Get, "/images/get"}, {Get, "/libpod/images/export"}}},
      {"images-scp", {{Post, "/libpod/images/scp/{name:.*}"}}},
      {"images-remove-query", {{Delete, "/libpod/images/remove"}, {Delete, "/images/{name:.*}"}}},
      {"commit-query", {{Post, "/commit"}, {Post, "/libpod/commit"}}},
      {"checkpoint-query",
       {{Post, "/libpod/containers/{name}/checkpoint"}, {Post, "/libpod/containers/{name}/restore"}}},
      {"generate-query", {{Get, "/libpod/generate/kube"}, {Get, "/libpod/generate/{name:.*}/systemd"}}},
      {"container-rename-query", {{Post, "/containers/{name}/rename"}, {Post, "/libpod/containers/{name}/rename"}}},
      {"archive-put-query", {{Put, "/containers/{name}/archive"}, {Put, "/libpod/containers/{name}/archive"}}},
      {"update-libpod-query", {{Post, "/libpod/containers/{name}/update"}}},
      {"container-remove-query", {{Delete, "/containers/{name}"}, {Delete, "/libpod/containers/{name}"}}},
      {"prune-query",
       {{Post, "/containers/prune"},
        {Post, "/libpod/containers/prune"},
        {Post, "/libpod/pods/prune"},
        {Post, "/volumes/prune"},
        {Post, "/libpod/volumes/prune"},
        {Post, "/networks/prune"},
        {Post, "/libpod/networks/prune"},
        {Post, "/images/prune"},
        {Post, "/libpod/images/prune"},
        {Post, "/libpod/system/prune"}}},
      {"list-query",
       {{Get, "/containers/json"},
        {Get, "/libpod/containers/json"},
        {Get, "/libpod/pods/json"},
        {Get, "/volumes"},
        {Get, "/libpod/volumes/json"},
        {Get, "/networks"},
        {Get, "/libpod/networks/json"},
        {Get, "/images/json"},
        {Get, "/libpod/images/json"}}},
      {"events-query", {{Get, "/events"}, {Get, "/libpod/events"}}},
      {"build-query", {{Post, "/build"}, {Post, "/libpod/build"}, {Post, "/libpod/local/build"}}},
      {"kube", {{Post, "/libpod/play/kube"}, {Post, "/libpod/kube/play"}, {Post, "/libpod/kube/apply"}}},
      {"manifest-modify", {{Put, "/libpod/manifests/{name:.*}"}, {Post, "/libpod/manifests/{name:.*}"}}},
      {"secret-compat", {{Post, "/secrets/create"}}},
      {"secret-libpod-query", {{Post, "/libpod/secrets/create"}}},
      {"secret-inspect-query", {{Get, "/libpod/secrets/{name}/json"}}},
  };
  return map;
}

/// "?OS/?Architecture/?Variant" names three parameters.
std::vector<std::string> parameters_in(std::string_view path) {
  std::vector<std::string> names;
  for (auto at = path.find('?'); at != std::string_view::npos; at = path.find('?', at + 1)) {
    std::string name;
    for (auto end = at + 1; end < path.size() && (ascii::is_alphanumeric(path[end]) || path[end] == '-'); ++end)
      name += path[end];
    names.push_back(name);
  }
  return names;
}

std::vector<const Parameter*> known(const std::vector<const Endpoint*>& served, std::string_view name) {
  std::vector<const Parameter*> found;
  for (const Endpoint* row : served)
    for (const Parameter& parameter : parameters_of(row->query))
      if (ascii::equal_caseless(parameter.name, name)) found.push_back(&parameter);
  return found;
}

/// Where the survey would let a parameter pass and no row knows it: what refuses it, and why that is right.
const std::map<std::string, std::string>& left_out() {
  static const std::map<std::string, std::string> map = {
      {"images-create-query (compat pull/import)?changes", "of imports, which are not served"},
      {"images-create-query (compat pull/import)?message", "of imports, which are not served"},
      {"images-create-query (compat pull/import)?repo", "of imports, which are not served"},
      {"images-create-query (compat pull/import)?retry", "no client sends it"},
      {"images-create-query (compat pull/import)?retryDelay", "no client sends it"},
      {"images-pull-query (libpod)?retry", "no client of Podman 4 or 5.4 sends it"},
      {"images-pull-query (libpod)?retrydelay", "no client of Podman 4 or 5.4 sends it"},
      {"generate-query?new", "of systemd's units, which are not served"},
      {"list-query?pod", "of Podman 1; ps --pod adds namespace=true"},
      {"list-query?digests", "a list of images always has them"},
  };
  return map;
}

/// Known only to be dropped or refused, or judged by more than its text.
bool is_judged(const Parameter& parameter) {
  return parameter.rule != ParameterRule::Pass ||
         (parameter.type != ParameterType::Text && parameter.type != ParameterType::Texts);
}

/// Judged where the request is acted on, though the table lets the text through (rules/act/).
constexpr auto acted_on =
    std::to_array<std::string_view>({"?fromImage", "?reference", "?images", "?names", "?references", "?tag", "?repo",
                                     "?container", "?destination", "?since", "?until"});

void check_parameter(const SurveyRow& row, const std::vector<const Endpoint*>& served, const std::string& name) {
  CAPTURE(name);
  const auto parameters = known(served, name);
  if (parameters.empty()) {
    const bool must_be_known = row.decision == "pass" || row.decision == "clamp" || row.decision == "force-value" ||
                               row.decision == "check-owned";
    CHECK_MESSAGE((!must_be_known || left_out().contains(row.body + "?" + name)), "unhandled");
    return;
  }
  if (row.decision == "pass" || std::ranges::find(acted_on, "?" + name) != acted_on.end()) return;
  for (const Parameter* parameter : parameters) CHECK_MESSAGE(is_judged(*parameter), "only passed");
}

void check_query(const SurveyRow& row) {
  std::vector<const Endpoint*> served;
  for (const Way& way : groups().at(row.body)) {
    const Endpoint* endpoint = row_of(way);
    CAPTURE(std::string(way.path));
    REQUIRE_MESSAGE(endpoint, "no such endpoint in the table");
    if (!endpoint->refusal) served.push_back(endpoint);
  }
  if (served.empty()) return;  // refused wholly
  for (const auto& name : parameters_in(row.path)) check_parameter(row, served, name);
}

/// The first word of "run.oci.hooks.stdout / run.oci.hooks.stderr", "label PODMAN_SYSTEMD_UNIT".
std::vector<std::string> names_in(std::string path) {
  if (path.starts_with("label ")) path.erase(0, 6);
  std::vector<std::string> names;
  std::string word;
  for (std::istringstream words(path); words >> word;) {
    if (word == "/" || word.front() == '(') continue;
    names.push_back(word.substr(0, word.find_first_of("*(/")));
    if (word.find('(') != std::string::npos) break;
  }
  return names;
}

void check_label(const SurveyRow& row) {
  const bool image_label = row.path.find("(image") != std::string::npos;
  for (auto name : names_in(row.path)) {
    if (name == "with" || name == "seccomp_policy=image)") continue;
    if (name.ends_with('.')) name += "x";
    CAPTURE(name);
    const bool refused = row.decision == "deny";
    const auto annotation = R"("Annotations":{")" + name + R"(":"x"})";
    // Refused, or left out because podman says the same elsewhere: Podman never hears it.
    CHECK_FALSE(sends(host_config(annotation), name));
    CHECK_FALSE(sends(libpod(R"("annotations":{")" + name + R"(":"x"})"), name));
    const auto labelled = compat(R"("Labels":{")" + name + R"(":"x"})");
    // The Kubernetes ones mean something as annotations only.
    const bool means_nothing_as_label = name.starts_with("io.kubernetes") || name.starts_with("io.container.manager");
    if (image_label || means_nothing_as_label) continue;
    if (name == "PODMAN_SYSTEMD_UNIT")  // left out: podman-compose says it of every container
      CHECK_FALSE(sends(labelled, name));
    else
      CHECK((labelled == "label.reserved") == refused);
  }
}

/// A text of each mode that the survey lists, and what becomes of it as a network, process and user namespace.
struct ModeCase {
  std::string_view path;
  std::vector<std::string> refused;
  std::vector<std::string> accepted;
};

const std::vector<ModeCase>& modes() {
  static const std::vector<ModeCase> cases = {
      {"host", {R"("NetworkMode":"host")", R"("PidMode":"host")", R"("IpcMode":"host")", R"("UTSMode":"host")"}, {}},
      {"ns:PATH / {\"nsmode\":\"path\",\"value\":PATH}", {R"("NetworkMode":"ns:/x")", R"("PidMode":"ns:/x")"}, {}},
      {"container:NAME",
       {R"("NetworkMode":"container:their")", R"("PidMode":"container:their")"},
       {R"("NetworkMode":"container:web")"}},
      {"pod", {}, {R"("PidMode":"pod")"}},
      {"private / \"\" / default",
       {},
       {R"("PidMode":"private")", R"("PidMode":"")", R"("NetworkMode":"default")", R"("NetworkMode":"private")"}},
      {"shareable / none (ipc)", {}, {R"("IpcMode":"shareable")", R"("IpcMode":"none")"}},
      {"keep-id[:uid=,gid=,size=] / nomap / auto[:size=,uidmapping=,gidmapping=]",
       {R"("UsernsMode":"keep-id:uid=0")", R"("UsernsMode":"nomap")", R"("UsernsMode":"auto:size=1")"},
       {R"("UsernsMode":"keep-id")"}},
      {"bridge[:ip=,ip6=,mac=,alias=,interface_name=]",
       {R"("NetworkMode":"bridge:ip=10.88.0.9")"},
       {R"("NetworkMode":"bridge")"}},
      {"slirp4netns[:allow_host_loopback=,cidr=,enable_ipv6=,mtu=,outbound_addr=,outbound_addr6=,port_handler=]",
       {R"("NetworkMode":"slirp4netns:allow_host_loopback=true")", R"("NetworkMode":"slirp4netns:outbound_addr=eth0")"},
       {R"("NetworkMode":"slirp4netns")"}},
      {"pasta[:ARGS]", {R"("NetworkMode":"pasta:-l,/x")", R"("NetworkMode":"pasta:--map-gw")"}, {}},
      {"NAME[:opts] or NAME1,NAME2",
       {R"("NetworkMode":"net,net2")", R"("NetworkMode":"net:alias=x")", R"("NetworkMode":"theirnet")"},
       {R"("NetworkMode":"net")"}},
  };
  return cases;
}

void check_mode(const SurveyRow& row) {
  const auto found = std::ranges::find(modes(), std::string_view(row.path), &ModeCase::path);
  REQUIRE_MESSAGE(found != modes().end(), "unhandled");
  for (const auto& text : found->refused) CHECK_MESSAGE(host_config(text).front() != '{', text);
  for (const auto& text : found->accepted) CHECK_MESSAGE(host_config(text).front() == '{', text);
}

/// Header fields are written by the wire; these tests of it say what becomes of each.
const std::map<std::string, std::string>& header_tests() {
  static const std::map<std::string, std::string> map = {
      {"Content-Type", "canonical_test.cpp"},
      {"X-Registry-Auth / X-Registry-Config", "canonical_test.cpp"},
      {"Content-Encoding", "smuggling_head_test.cpp"},
      {"Expect", "upload_test.cpp"},
      {"Transfer-Encoding", "smuggling_framing_test.cpp"},
      {"Content-Length", "smuggling_framing_test.cpp"},
      {"Connection / Upgrade", "hijack_test.cpp"},
      {"X-HTTP-Method-Override", "canonical_test.cpp"},
      {"Host", "smuggling_head_test.cpp"},
      {"X-Reference-Id / User-Agent / Accept", "canonical_test.cpp"},
  };
  return map;
}

void check_header(const SurveyRow& row) {
  const auto found = header_tests().find(row.path);
  REQUIRE_MESSAGE(found != header_tests().end(), "unhandled");
  const auto path = std::filesystem::path(PODFENCE_SOURCE_DIR) / "tests" / "proxy" / found->second;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const auto name = row.path.substr(0, row.path.find(' '));
  CHECK_MESSAGE(text.str().find(name) != std::string::npos, path.string());
}

}  // namespace

TEST_CASE("every surveyed row that is no field of a tabled body is decided somewhere") {
  const auto survey = read_survey();
  if (survey.empty()) {
    MESSAGE("SKIPPED: no create-fields.tsv; set PODFENCE_SHARED to the folder that has podman-api/create-fields.tsv");
    return;
  }
  CHECK(survey.size() == 1250);
  std::set<std::string> tabled;
  for (const auto& row : survey) {
    CAPTURE(row.body);
    CAPTURE(row.path);
    CAPTURE(row.decision);
    if (groups().contains(row.body))
      check_query(row);
    else if (row.body == "annotation/label values")
      check_label(row);
    else if (row.body == "namespace-mode strings")
      check_mode(row);
    else if (row.body == "header")
      check_header(row);
    else
      tabled.insert(row.body);
  }
  // What is left is what create_fields_test.cpp walks.
  CHECK(tabled.size() == 16);
}
