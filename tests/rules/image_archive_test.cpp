// What archives of images may hold, and what becomes of them.
#include "rules/image_archive.hpp"

#include <doctest/doctest.h>

#include <map>

#include "rules/refusal.hpp"
#include "world.hpp"

using namespace podfence::tests;

namespace {

using Texts = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

std::string blob(char digit) { return "blobs/sha256/" + id(digit); }

std::string descriptor(char digit, const std::string& more = "") {
  return R"({"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:)" + id(digit) +
         R"(","size":5)" + more + "}";
}

std::string named(const std::string& key, const std::string& name) {
  return R"(,"annotations":{")" + key + "\":\"" + name + "\"}";
}

const std::string reference = "org.opencontainers.image.ref.name", full = "io.containerd.image.name";

std::string index_of(const std::string& descriptors) {
  return R"({"schemaVersion":2,"manifests":[)" + descriptors + "]}";
}

std::string manifest(char config, const std::string& layers) {
  return R"({"schemaVersion":2,"config":)" + descriptor(config) + R"(,"layers":[)" + layers + "]}";
}

/// The archive as the proxy would come to know it: every text that the rules ask for, until they ask for no more.
Archive known(const Files& files, const std::map<std::string, std::string>& layer_digests = {}) {
  Archive archive;
  for (const auto& [name, text] : files) archive.files.insert(name);
  std::optional rules = image_archive_rules();
  int readings = 0;
  while (rules && ++readings < 10) {
    for (const auto& name : rules->texts)
      if (files.contains(name)) archive.texts[name] = files.at(name);
    for (const auto& name : rules->layers) archive.layer_digests[name] = layer_digests.at(name);
    rules = further_image_rules(archive);
  }
  CHECK(readings < 6);
  return archive;
}

std::string rule_of(const Archive& archive) {
  const auto read = read_image_archive(archive);
  const auto* deny = std::get_if<Deny>(&read);
  return deny ? std::string(deny->rule->id) : "";
}

ImageArchive read(const Archive& archive) {
  auto result = read_image_archive(archive);
  REQUIRE(std::holds_alternative<ImageArchive>(result));
  return std::get<ImageArchive>(std::move(result));
}

const Files docker_files = {
    {"manifest.json",
     R"([{"Config":"c.json","RepoTags":["new:1","quay.io/a/b:2"],"Layers":["l/layer.tar","x.tar"],"Parent":"p"}])"},
    {"c.json", R"({"rootfs":{"type":"layers","diff_ids":["sha256:)" + id('a') + R"(","sha256:)" + id('b') + R"("]}})"},
    {"l/layer.tar", ""},
    {"x.tar", ""},
    {"repositories", R"({"stolen":{"latest":"x"}})"}};
const std::map<std::string, std::string> docker_digests = {{"l/layer.tar", id('a')}, {"x.tar", id('b')}};

Archive docker_archive(const std::string& name = "", const std::string& text = "") {
  auto files = docker_files;
  if (!name.empty()) files[name] = text;
  return known(files, docker_digests);
}

Files oci_files(const std::string& name) {
  return {{"index.json", index_of(descriptor('1', named(reference, name)))},
          {"oci-layout", "{}"},
          {blob('1'), manifest('2', descriptor('3'))},
          {blob('2'), "{}"},
          {blob('3'), "tar"}};
}

Archive oci_archive(const std::string& manifest_text) {
  auto files = oci_files("quay.io/a/b:1");
  files[blob('1')] = manifest_text;
  return known(files);
}

}  // namespace

TEST_CASE("docker-archive: names are told, the list is written anew, and nothing of another form is left") {
  const auto image = read(docker_archive());
  CHECK(image.tags == Texts{"docker.io/library/new:1", "quay.io/a/b:2"});
  CHECK(image.images == 1);
  CHECK(
      image.members.at("manifest.json") ==
      R"([{"Config":"c.json","RepoTags":["docker.io/library/new:1","quay.io/a/b:2"],"Layers":["l/layer.tar","x.tar"]}])");
  for (const auto* other : {"repositories", "index.json", "oci-layout"}) {
    REQUIRE(image.members.contains(other));
    CHECK_FALSE(image.members.at(other).has_value());
  }
}

TEST_CASE("docker-archive: a layer behind a link is named by what it is") {
  auto archive = docker_archive();
  archive.files.erase("x.tar");
  archive.files.insert("y/layer.tar");
  archive.links["x.tar"] = "y/layer.tar";
  archive.layer_digests["y/layer.tar"] = id('b');
  CHECK(read(archive).members.at("manifest.json")->find("\"Layers\":[\"l/layer.tar\",\"y/layer.tar\"]") !=
        std::string::npos);
  archive.links["x.tar"] = "elsewhere";
  CHECK(rule_of(archive) == "archive.absent");
}

TEST_CASE("docker-archive: a layer must be the one that the configuration names") {
  auto archive = docker_archive();
  archive.layer_digests["x.tar"] = id('c');
  CHECK(rule_of(archive) == "archive.digest");
  archive.layer_digests.erase("x.tar");
  CHECK(rule_of(archive) == "archive.absent");
  CHECK(rule_of(docker_archive("c.json", R"({"rootfs":{"diff_ids":[]}})")) == "archive.image");
  CHECK(rule_of(docker_archive("c.json", "{}")) == "archive.image");
  CHECK(rule_of(docker_archive("c.json", "no JSON")) == "archive.image");
  // Go reads the last of all members whose names differ by case only.
  const auto& honest = docker_files.at("c.json");
  for (const std::string lie : {R"("RootFS":{"diff_ids":[]})", "\"rootf\u017F\":{}", R"("ROOTFS":null)"}) {
    CAPTURE(lie);
    CHECK(rule_of(docker_archive("c.json", honest.substr(0, honest.size() - 1) + "," + lie + "}")) == "archive.image");
  }
  auto inner = honest;
  inner.insert(inner.find("\"diff_ids\""), R"("Diff_IDs":[],)");
  CHECK(rule_of(docker_archive("c.json", inner)) == "archive.image");
}

TEST_CASE("docker-archive: a name of many letters that Go takes for others is none of a field's") {
  const auto& honest = docker_files.at("c.json");
  std::string name;
  for (int letter = 0; letter < 500'000; ++letter) name += "\u017F";
  // Quadratic work would take minutes here.
  CHECK(rule_of(docker_archive("c.json", honest.substr(0, honest.size() - 1) + ",\"" + name + "\":0}")) == "");
}

TEST_CASE("docker-archive: many images may have one configuration, and the layers of each must be the ones in it") {
  const auto with_last = [](const std::string& layers) {
    std::string index = "[";
    for (int i = 0; i < 63; ++i) index += R"({"Config":"c.json","Layers":["l/layer.tar","x.tar"]},)";
    return docker_archive("manifest.json", index + R"({"Config":"c.json","Layers":[)" + layers + "]}]");
  };
  CHECK(read(with_last(R"("l/layer.tar","x.tar")")).images == 64);
  CHECK(rule_of(with_last(R"("x.tar","l/layer.tar")")) == "archive.digest");
  CHECK(rule_of(with_last(R"("l/layer.tar")")) == "archive.image");
}

TEST_CASE("docker-archive: what is no list of images is refused") {
  for (const std::string text :
       {"{}", "no JSON", R"([{"Config":"absent.json","Layers":[]}])", "[1]", R"([{"config":"c.json","layers":[]}])"}) {
    CAPTURE(text);
    CHECK(rule_of(docker_archive("manifest.json", text)).starts_with("archive."));
  }
  CHECK(rule_of(known({})) == "archive.image");
  CHECK(rule_of(docker_archive("manifest.json", R"([{"Config":"c.json","RepoTags":["UPPER"],"Layers":[]}])")) ==
        "image.reference");
  std::string many = "[";
  for (int i = 0; i < 65; ++i) many += R"({"Config":"c.json","Layers":[]},)";
  many.back() = ']';
  CHECK(rule_of(docker_archive("manifest.json", many)) == "archive.images");
}

TEST_CASE("docker-archive: images without names are allowed") {
  const auto image = read(
      docker_archive("manifest.json", R"([{"Config":"c.json","RepoTags":null,"Layers":["l/layer.tar","x.tar"]}])"));
  CHECK(image.tags.empty());
  CHECK(image.members.at("manifest.json") == R"([{"Config":"c.json","RepoTags":[],"Layers":["l/layer.tar","x.tar"]}])");
}

TEST_CASE(
    "oci-archive: a manifest brings no annotation that a runtime acts on: it would be that of everybody's image") {
  for (const char* name : {"run.oci.hooks.stdout", "org.systemd.property.X", "io.containers.trace-syscall",
                           "io.podman.annotations.seccomp", "org.criu.config"}) {
    CAPTURE(name);
    auto files = oci_files("");
    auto& text = files.at(blob('1'));
    text.insert(text.size() - 1, named(name, "x"));
    CHECK(rule_of(known(files)) == "label.reserved");
  }
  auto files = oci_files("");
  auto& text = files.at(blob('1'));
  text.insert(text.size() - 1, named("org.opencontainers.image.version", "1"));
  CHECK(rule_of(known(files)) == "");
}

TEST_CASE("oci-archive: the name that Podman would give is the one that is judged and written") {
  const std::pair<std::string, std::string> rows[] = {
      {named(reference, "quay.io/a/b:1"), "quay.io/a/b:1"},
      {named(reference, "latest"), "localhost/latest:latest"},
      {R"(,"annotations":{")" + reference + R"(":"latest",")" + full + R"(":"docker.io/library/x:2"})",
       "docker.io/library/x:2"},
      {"", ""}};
  for (const auto& [annotations, name] : rows) {
    CAPTURE(annotations);
    auto files = oci_files("");
    files["index.json"] = index_of(descriptor('1', annotations + R"(,"platform":{"os":"linux"},"artifactType":"x")"));
    files["manifest.json"] = files["repositories"] = "{}";
    const auto image = read(known(files));
    CHECK(image.tags == (name.empty() ? Texts{} : Texts{name}));
    CHECK(image.members.at("index.json") == index_of(descriptor('1', name.empty() ? "" : named(reference, name))));
    CHECK_FALSE(image.members.at("manifest.json").has_value());
    CHECK_FALSE(image.members.at("repositories").has_value());
  }
  CHECK(rule_of(known(oci_files("a b"))) == "image.reference");
  CHECK(rule_of(known(oci_files("quay.io/a/b@sha256:" + id('a')))) == "image.reference");
}

TEST_CASE("oci-archive: every blob that is named must be there, and nothing is fetched from elsewhere") {
  CHECK(rule_of(oci_archive(manifest('2', descriptor('3')))) == "");
  CHECK(rule_of(oci_archive(manifest('2', descriptor('9')))) == "archive.absent");
  CHECK(rule_of(oci_archive(manifest('9', descriptor('3')))) == "archive.absent");
  CHECK(rule_of(oci_archive(manifest('2', descriptor('3', R"(,"urls":["http://127.0.0.1/"])")))) == "archive.url");
  CHECK(rule_of(oci_archive(manifest('2', descriptor('3', R"(,"urls":[])")))) == "");
  const std::string unknown[] = {
      manifest('2', descriptor('3', R"(,"URLs":["http://127.0.0.1/"])")),
      manifest('2', descriptor('3', R"(,"data":"eA==")")),
      manifest('2', R"({"digest":"sha512:)" + id('3') + id('3') + "\"}"),
      manifest('2', R"({"digest":"sha256:../../x"})"),
      manifest('2', descriptor('3', named("io.github.containers.zstd-chunked.manifest-checksum", "sha256:x"))),
      manifest('2', descriptor('3', named("containerd.io/snapshot/stargz/toc.digest", "sha256:x"))),
      R"({"schemaVersion":2,"Layers":[]})",
      R"({"schemaVersion":1,"fsLayers":[]})",
      "\"text\"",
  };
  for (const auto& text : unknown) {
    CAPTURE(text);
    CHECK(rule_of(oci_archive(text)) == "archive.image");
  }
  auto files = oci_files("quay.io/a/b:1");
  files.erase(blob('1'));
  CHECK(rule_of(known(files)) == "archive.absent");
}

TEST_CASE("oci-archive: manifests below an index are looked at as well, those that are not there need not be") {
  auto files = oci_files("quay.io/a/b:1");
  files[blob('4')] = index_of(descriptor('1') + "," + descriptor('5'));
  files["index.json"] = index_of(descriptor('4', named(reference, "quay.io/a/b:1")));
  CHECK(rule_of(known(files)) == "");
  files[blob('5')] = manifest('2', descriptor('9'));
  CHECK(rule_of(known(files)) == "archive.absent");
  files[blob('5')] = index_of(descriptor('6'));
  files[blob('6')] = index_of(descriptor('1'));
  files[blob('7')] = index_of(descriptor('4'));
  files["index.json"] = index_of(descriptor('7'));
  CHECK(rule_of(known(files)) == "archive.image");  // deeper than anybody writes
}

TEST_CASE("oci-archive: a manifest is read once, however many descriptors are about it") {
  auto files = oci_files("quay.io/a/b:1");
  std::string many = descriptor('4');
  for (int i = 1; i < 3000; ++i) many += "," + descriptor('4');
  files[blob('4')] = index_of(many);
  std::string more = many;
  for (auto at = more.find(id('4')); at != std::string::npos; at = more.find(id('4'), at))
    more.replace(at, 64, id('5'));
  files[blob('5')] = index_of(more);
  files["index.json"] = index_of(descriptor('4', named(reference, "quay.io/a/b:1")) + "," +
                                 descriptor('5', named(reference, "quay.io/a/b:2")));
  CHECK(rule_of(known(files)) == "archive.image");  // an index that lists itself has no end
  files[blob('4')] = index_of(descriptor('1'));
  files[blob('5')] = index_of(many);
  CHECK(rule_of(known(files)) == "");
}

TEST_CASE(
    "load: every name is judged as a name that is given, and claimed; an archive that is refused claims nothing") {
  auto world = one_of_every_kind();
  world.archive = docker_archive();
  for (const std::string path : {"/v1.41/images/load", "/v4.0.0/libpod/images/load"}) {
    CAPTURE(path);
    const auto loaded = world.decide(Method::Post, path + "?quiet=true");
    REQUIRE(std::holds_alternative<Forward>(loaded));
    const auto& forward = std::get<Forward>(loaded);
    CHECK(forward.request.target == path + "?quiet=true");
    REQUIRE(forward.before.size() == 2);
    CHECK(forward.before[0].what == "docker.io/library/new:1");
    CHECK(forward.members.at("manifest.json").has_value());
  }
  for (const std::string name : {"theirs:1", "both:1", "localhost/shared/base:latest"}) {
    CAPTURE(name);
    world.archive = docker_archive("manifest.json", R"([{"Config":"c.json","RepoTags":["mine:1",")" + name +
                                                        R"("],"Layers":["l/layer.tar","x.tar"]}])");
    const auto rule = podfence::tests::rule_of(world.decide(Method::Post, "/v1.41/images/load"));
    CHECK((rule == "image.tag-taken" || rule == "image.shared"));
  }
}

TEST_CASE("load: the quota of images counts every image of the archive") {
  auto world = one_of_every_kind();
  world.project.policy.quota(Resource::Images) = 3;  // p1 holds two
  world.archive = docker_archive();
  CHECK(podfence::tests::rule_of(world.decide(Method::Post, "/v1.41/images/load")) == "");
  const std::string item = R"({"Config":"c.json","Layers":["l/layer.tar","x.tar"]})";
  world.archive = docker_archive("manifest.json", "[" + item + "," + item + "]");
  CHECK(podfence::tests::rule_of(world.decide(Method::Post, "/v1.41/images/load")) == "quota.exceeded");
}
