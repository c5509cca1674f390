// docs/endpoints.md, printed from the tables that decide.

#include "rules/endpoint.hpp"
#include "rules/query_table.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view introduction = R"(# Endpoints

This page is generated from the tables in `rules/endpoint_table.cpp` and `rules/query_table.cpp`; do not edit it. A test
says when it is stale and writes it anew with `PODFENCE_WRITE_DOCS=1`.

Every endpoint of Podman 4.3 to 6.0 is here, served or refused. What is not here is answered 404, another method 405.
Docker's endpoints may carry a version (`/v1.41/...`) or none; libpod's must carry one, but for `/libpod/_ping`.
`{name}` is one path segment; `{name:.*}` may hold slashes, written plain or as `%2F`.

Every name of an object is looked up first. Only the project's own object, or a shared image, goes on, by its full id;
what belongs to somebody else is answered exactly like what does not exist.
)";

constexpr std::string_view query_introduction = R"(
## Query parameters

Names are matched without regard to ASCII case. A parameter that is not listed is refused, and so is one that is given
twice (but for `detachKeys`, which `podman --remote` sends in two spellings that say the same). Booleans go on as `true` or `false`.

| parameter | becomes |
|---|---|
| plain | checked for its type and sent on |
| *dropped* | accepted and not sent: Podman does not know it, or it would reach beyond the project |
| *unset only* | accepted where it says nothing (empty, `false`, `0`), refused otherwise |
| *true only* | accepted where it is true, refused otherwise |
| *forced* | always sent, with the value shown |

)";

constexpr std::string_view filter_introduction = R"(
## Filters

Both encodings are read, `{"label":["a=b"]}` and `{"label":{"a=b":true}}`. What names another object is looked up like
any other name. The project's label joins the client's filters where Podman joins filters by AND; every list is reduced
to the project's own objects once more, whatever Podman answers.

)";

std::string code(std::string_view text) { return '`' + std::string(text) + '`'; }

std::string_view decided_by(const Endpoint& endpoint) {
  switch (endpoint.act) {
    case Act::Refuse:
      return "refused";
    case Act::Plain:
      if (endpoint.subject == Kind::Image) return "the image must be own or shared";
      if (endpoint.subject == Kind::Network && endpoint.method == Method::Get)
        return "the network must be own, or the default one";
      if (endpoint.subject == Kind::Exec) return "the session's container must be own";
      if (endpoint.subject != Kind::None) return "the object must be own";
      return endpoint.body == Body::None ? "no object is named" : "the new object gets the project's label";
    case Act::Start:
      return "the object must be own, and the sources of its mounts in place";
    case Act::Archive:
      return "the object must be own, and no read-only workspace be written to";
    case Act::Exists:
      return "answered from the ownership alone";
    case Act::List:
      if (endpoint.answer == Answer::Images) return "own and shared images";
      if (endpoint.answer == Answer::Networks) return "own networks and the default one";
      return "own objects only";
    case Act::Prune:
      return "lists what is own and unused, removes each";
    case Act::VolumeCreate:
    case Act::NetworkCreate:
      return "a free or own name; the new object gets the project's label";
    case Act::VolumeImport:
      return "the volume must be own, and Podman one that stays within it";
    case Act::VolumeRemove:
      return "the volume must be own, by its exact name";
    case Act::NetworkRemove:
      return "the network must be own";
    case Act::ContainerCreate:
      return "every reference must be own; volumes are made first; the new container gets the project's label";
    case Act::ImageRemove:
    case Act::ImageBatchRemove:
      return "own names only; others' names and containers keep the image";
    case Act::ImagePull:
      return "the name must be free or own; the ledger records who pulled";
    case Act::Build:
      return "every image that it names must be usable; each is named by its id in the file that is built";
    case Act::ImageTag:
      return "the image must be own or shared; the new name free or own";
    case Act::ImageUntag:
      return "own names only";
    case Act::ImagePush:
      return "the image must be own; to a registry that the project may use, with the client's credentials or none";
    case Act::ImageSave:
      return "every image must be own or shared";
    case Act::ImageLoad:
      return "every name in the archive must be free or own; the archive must hold all that it names";
    case Act::ImageImport:
      return "the name must be free or own; the image is in the content";
    case Act::Commit:
      return "the container must be own; the name free or own";
    case Act::ImageSearch:
    case Act::RegistryLogin:
      return "the registry must be one that the project may use";
    case Act::ManifestCreate:
      return "a free or own name, of images that may be used; with `/registry/DESTINATION` behind it an own list is "
             "pushed to a registry that the project may use";
    case Act::ManifestInspect:
    case Act::ManifestRemove:
      return "the list must be own";
    case Act::ManifestModify:
      return "the list must be own, and what is added an own or shared image, or of a registry that the project may "
             "use";
    case Act::SecretCreate:
      return "a free or own name; the ledger records who made it";
    case Act::SecretInspect:
      return "the secret must be own; its value only where the project may change things";
    case Act::SecretRemove:
      return "the secret must be own, and in the environment of no container";
    case Act::Stats:
      return "own objects only, named or not";
    case Act::Showmounted:
      return "own running containers, without the host's paths";
    case Act::DiskUsage:
      return "own objects only";
    case Act::KubePlay:
      return "made into creates of pods, containers and volumes, each judged like a client's own; all or nothing";
    case Act::KubeDown:
      return "own pods that the YAML names, each by its id";
    case Act::KubeGenerate:
      return "own containers, pods and volumes";
    case Act::Events:
      return "events of own objects only";
  }
  return "";
}

std::string_view content_of(Body body) {
  switch (body) {
    case Body::None:
      return "none";
    case Body::Stream:
      return "streamed";
    case Body::Secret:
      return "the value, passed on as it is";
    case Body::BuildContext:
    case Body::ImageArchive:
    case Body::RootArchive:
      return "an archive, judged member by member and written anew";
    case Body::ContainerCreateCompat:
    case Body::ContainerCreateLibpod:
    case Body::ContainerUpdateCompat:
    case Body::ContainerUpdateLibpod:
    case Body::PodCreate:
    case Body::VolumeCreateCompat:
    case Body::VolumeCreateLibpod:
    case Body::NetworkCreateCompat:
    case Body::NetworkCreateLibpod:
    case Body::NetworkConnectCompat:
    case Body::NetworkConnectLibpod:
    case Body::NetworkDisconnect:
    case Body::NetworkUpdate:
    case Body::ExecCreateCompat:
    case Body::ExecCreateLibpod:
    case Body::ExecStart:
    case Body::ExecRemove:
    case Body::RegistryLogin:
    case Body::SecretCreate:
    case Body::KubePod:
    case Body::KubeDeployment:
    case Body::KubeConfigMap:
    case Body::KubeSecret:
    case Body::KubeClaim:
    case Body::ManifestModify:
      return "judged field by field";
    case Body::KubeYaml:
      return "YAML, judged field by field";
  }
  return "";
}

std::string_view answer_of(const Endpoint& endpoint) {
  if (endpoint.act == Act::Prune || endpoint.act == Act::ImageRemove || endpoint.act == Act::ImageBatchRemove)
    return "a report of what was removed";
  switch (endpoint.answer) {
    case Answer::Bytes:
      return "passed on";
    case Answer::Hijack:
      return "raw stream both ways";
    case Answer::Containers:
    case Answer::Pods:
    case Answer::Volumes:
    case Answer::Networks:
    case Answer::Images:
    case Answer::Secrets:
      return "reduced item by item";
    case Answer::Container:
    case Answer::Pod:
    case Answer::Volume:
    case Answer::Network:
    case Answer::Image:
    case Answer::ImageHistory:
    case Answer::ImageTree:
    case Answer::Secret:
    case Answer::Removal:
    case Answer::KubeYaml:
      return "without host paths and others' names";
    case Answer::Info:
    case Answer::Version:
      return "without what tells of the host and of others";
    case Answer::DiskUsage:
      return "reduced item by item";
    case Answer::EventLines:
    case Answer::StatsLines:
    case Answer::BuildLines:
      return "line by line; the image is the project's once the last one has come";
    case Answer::PullLines:
    case Answer::ContainerStats:
    case Answer::PushLines:
    case Answer::MadeImage:
    case Answer::MadeSecret:
    case Answer::ManifestLines:
      return "judged line by line";
  }
  return "";
}

std::string parameter_text(const Parameter& parameter) {
  std::string name = code(parameter.name);
  switch (parameter.rule) {
    case ParameterRule::Pass:
      return name;
    case ParameterRule::Drop:
      return name + " *dropped*";
    case ParameterRule::OnlyUnset:
      return name + " *unset only*";
    case ParameterRule::OnlyTrue:
      return name + " *true only*";
    case ParameterRule::Judged:
      return name + " *judged*";
    case ParameterRule::Force:
      return name + " *forced* " + code(parameter.forced);
  }
  return name;
}

std::string_view family_text(Family family) { return family == Family::Docker ? "Docker" : "libpod"; }

std::string row_start(const Endpoint& endpoint) {
  return "| " + std::string(text(endpoint.method)) + " | " + code(endpoint.path) + " | ";
}

std::string served_rows(Family family) {
  std::string result = "\n## Served, " + std::string(family_text(family)) + " API\n\n";
  result += "| method | path | decision | content | answer |\n|---|---|---|---|---|\n";
  for (const Endpoint& endpoint : endpoints()) {
    if (endpoint.act == Act::Refuse || endpoint.family != family) continue;
    result += row_start(endpoint) + std::string(decided_by(endpoint)) + " | " + std::string(content_of(endpoint.body)) +
              " | " + std::string(answer_of(endpoint)) + " |\n";
  }
  return result;
}

/// The sentence without the place of its subject.
std::string why(const Refusal& refusal) {
  return std::string(refusal.sentence.substr(0, refusal.sentence.find(": {}")));
}

std::string refused_rows() {
  std::string result =
      "\n## Refused\n\n| method | path | API | status | rule | why | instead |\n|---|---|---|---|---|---|---|\n";
  for (const Endpoint& endpoint : endpoints()) {
    if (endpoint.act != Act::Refuse) continue;
    const Refusal& refusal = *endpoint.refusal;
    result += row_start(endpoint) + std::string(family_text(endpoint.family)) + " | " + std::to_string(refusal.status) +
              " | " + code(refusal.id) + " | " + why(refusal) + " | " + std::string(refusal.way_out) + " |\n";
  }
  return result;
}

std::string parameter_rows() {
  std::string result = "| method | path | parameters |\n|---|---|---|\n";
  for (const Endpoint& endpoint : endpoints()) {
    const auto parameters = parameters_of(endpoint.query);
    if (parameters.empty()) continue;
    result += row_start(endpoint);
    for (const Parameter& parameter : parameters)
      result += parameter_text(parameter) + (&parameter == &parameters.back() ? " |\n" : ", ");
  }
  return result;
}

std::string_view label_text(OwnLabel label) {
  switch (label) {
    case OwnLabel::Always:
      return "added";
    case OwnLabel::BesideOthers:
      return "added to the client's filters";
    case OwnLabel::Never:
      return "not added";
  }
  return "";
}

std::string filter_rows() {
  std::string result = "| method | path | project's label | filters |\n|---|---|---|---|\n";
  for (const Endpoint& endpoint : endpoints()) {
    const FilterTable& table = filters_of(endpoint.query);
    if (table.keys.empty()) continue;
    result += row_start(endpoint) + std::string(label_text(table.own_label)) + " | ";
    for (const FilterKey& key : table.keys) result += code(key.name) + (&key == &table.keys.back() ? " |\n" : ", ");
  }
  return result;
}

}  // namespace

std::string endpoints_markdown() {
  std::string result(introduction);
  result += served_rows(Family::Docker) + served_rows(Family::Libpod) + refused_rows();
  result.append(query_introduction) += parameter_rows();
  result.append(filter_introduction) += filter_rows();
  return result;
}

}  // namespace podfence::rules
