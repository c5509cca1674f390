// Archives of images on their way through the whole proxy: kept, judged, written anew, and recorded.

#include <doctest/doctest.h>

#include <atomic>
#include <filesystem>

#include "proxy/archive.hpp"
#include "proxy/sha256.hpp"
#include "proxy/spool.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/packed.hpp"
#include "tests/support/running_proxy.hpp"

using namespace podfence::testing;
using podfence::proxy::ArchiveReader;
using podfence::proxy::ArchiveWriter;
using podfence::proxy::Sha256;
using podfence::proxy::Spool;
using podfence::rules::Kind;

namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

std::string digest_of(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.digits();
}

std::string tar(const Members& members) {
  ArchiveWriter writer;
  for (const auto& [name, text] : members) writer.add(name, text);
  writer.finish();
  return writer.written();
}

Members members_of(const std::string& archive) {
  const TemporaryDirectory directory;
  Spool spool(directory.path());
  spool.append(archive);
  Members members;
  ArchiveReader reader(spool.rewound());
  while (reader.next()) {
    std::string text;
    for (auto piece = reader.read(); !piece.empty(); piece = reader.read()) text.append(piece);
    members.emplace_back(reader.member().name, text);
  }
  return members;
}

/// An image as docker save writes it, under these names (JSON).
Members saved(const std::string& names, const std::string& layer = "a layer") {
  return {{"layer.tar", layer},
          {"config.json", R"({"rootfs":{"type":"layers","diff_ids":["sha256:)" + digest_of(layer) + R"("]}})"},
          {"repositories", R"({"stolen":{"latest":"x"}})"},
          {"manifest.json", R"([{"Layers":["layer.tar"],"RepoTags":[)" + names + R"(],"Config":"config.json"}])"}};
}

std::string load_head(const std::string& framing) {
  return "POST /v1.41/images/load?quiet=1 HTTP/1.1\r\nHost: d\r\nContent-Type: application/x-tar\r\n" + framing +
         "\r\n\r\n";
}

std::string sized(const std::string& content) {
  return load_head("Content-Length: " + std::to_string(content.size())) + content;
}

struct ImageProxy : RunningProxy {
  explicit ImageProxy(podfence::proxy::Limits limits = short_limits()) : RunningProxy(limits) {
    podman.on("POST /v1.41/images/load", [this](FakePodman::Connection& connection) {
      received = connection.read_content();
      for (const auto& name : made) podman.add(Kind::Image, name, "");
      connection.wait(gate);
      connection.send(http_answer(status, status == 200 ? R"({"stream":"Loaded image: quay.io/me/new:1"})"
                                                        : error_content(status, "no space left on device")));
    });
    gate.open();
  }

  int inspect(const std::string& name, const std::string& project = "p1") const {
    return ask("GET /v1.41/images/" + name + "/json HTTP/1.1\r\nHost: d\r\n\r\n", project).status;
  }

  std::string received;
  std::vector<std::string> made = {"quay.io/me/new:1"};
  int status = 200;
  Gate gate;
};

}  // namespace

TEST_CASE("an archive of images goes upstream written anew, under the names that were judged, however it came") {
  ImageProxy proxy;
  const auto archive = tar(saved(R"("quay.io/me/new:1")"));
  auto client = proxy.client();
  SUBCASE("sized") { client.send(sized(archive)); }
  SUBCASE("chunked") { client.send(load_head("Transfer-Encoding: chunked") + chunked(archive, 1000)); }
  SUBCASE("packed") { client.send(sized(packed(archive, "gzip"))); }
  SUBCASE("packed by xz") { client.send(sized(packed(archive, "xz"))); }
  const auto answer = client.read_answer();
  CHECK(answer.status == 200);
  CHECK(answer.content == R"({"stream":"Loaded image: quay.io/me/new:1"})");
  const Members expected = {
      {"manifest.json", R"([{"Config":"config.json","RepoTags":["quay.io/me/new:1"],"Layers":["layer.tar"]}])"},
      {"layer.tar", "a layer"},
      saved("")[1]};
  CHECK(members_of(proxy.received) == expected);
  const auto seen = proxy.podman.requests("POST");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].starts_with("POST /v1.41/images/load?quiet=true HTTP/1.1\r\n"));
  CHECK(proxy.inspect("quay.io/me/new:1") == 200);
  CHECK(proxy.inspect("quay.io/me/new:1", "p10") == 404);
}

TEST_CASE("nothing of an archive that is refused goes upstream") {
  ImageProxy proxy;
  proxy.podman.add(Kind::Image, "quay.io/host/own:1", "");
  auto stolen = saved(R"("quay.io/me/new:1")");
  stolen[1].second = R"({"rootfs":{"diff_ids":["sha256:)" + std::string(64, 'a') + R"("]}})";
  const std::pair<std::string, std::string> rows[] = {
      {tar(saved(R"("localhost/bb:latest")")), "image.shared"},
      {tar(saved(R"("quay.io/me/new:1","quay.io/host/own:1")")), "image.tag-taken"},
      {tar(stolen), "archive.digest"},
      {"no archive", "archive.format"},
      {packed(packed(tar(saved("")), "gzip"), "gzip"), "archive.format"},
      {packed(tar(saved("")), "gzip").substr(0, 100), "archive.format"},
      {tar({{"a", "b"}}), "archive.image"},
  };
  for (const auto& [content, rule] : rows) {
    CAPTURE(rule);
    const auto answer = proxy.ask(sized(content));
    CHECK(answer.status >= 400);
    CHECK(answer.content.find("rule " + rule) != std::string::npos);
  }
  CHECK(proxy.podman.requests("POST").empty());
  CHECK(proxy.ask(sized(tar(saved(R"("quay.io/me/new:1")")))).status == 200);
}

TEST_CASE("an upload that is cut off is not sent, and gives back what it held") {
  auto limits = short_limits();
  limits.spool_bytes = 200'000;  // of which a project may use half
  ImageProxy proxy(limits);
  const auto archive = tar(saved("", std::string(60'000, 'x')));
  for (int i = 0; i < 3; ++i) {
    auto client = proxy.client();
    client.send(load_head("Content-Length: 90000") + archive.substr(0, 60'000));
    client.vanish();
  }
  auto stalled = proxy.client();
  stalled.send(load_head("Transfer-Encoding: chunked") + "5\r\nhello\r\n");
  CHECK(stalled.read_answer().status == 408);
  int status = 503;
  for (auto waited = Milliseconds(0); status == 503 && waited < patience; waited += Milliseconds(20)) {
    status = proxy.ask(sized(archive)).status;
    std::this_thread::sleep_for(Milliseconds(20));
  }
  CHECK(status == 200);
  CHECK(proxy.podman.requests("POST").size() == 1);
}

TEST_CASE("an archive is refused when it, or what it unpacks to, is larger than the limit") {
  auto limits = short_limits();
  limits.archive_bytes = 100'000;
  ImageProxy proxy(limits);
  CHECK(proxy.ask(sized(tar(saved("", std::string(50'000, 'x'))))).status == 200);
  CHECK(proxy.ask(sized(tar(saved("", std::string(150'000, 'x'))))).status == 413);
  const auto bomb = packed(tar(saved("", std::string(20'000'000, '\0'))), "gzip -9");
  REQUIRE(bomb.size() < 50'000);
  CHECK(proxy.ask(sized(bomb)).status == 413);
  // A layer may be packed by itself.
  const std::string zeros(20'000'000, '\0');
  auto inner = saved("", zeros);
  inner[0].second = packed(zeros, "gzip -9");
  CHECK(proxy.ask(sized(tar(inner))).status == 413);
  // Layers that are small each.
  const std::string small(60'000, '\0');
  const auto layer = packed(small, "gzip -9"), id = R"("sha256:)" + digest_of(small) + R"(")";
  const Members layers{{"a", layer},
                       {"b", layer},
                       {"c", R"({"rootfs":{"type":"layers","diff_ids":[)" + id + "," + id + "]}}"},
                       {"manifest.json", R"([{"Layers":["a","b"],"Config":"c"}])"}};
  CHECK(proxy.ask(sized(tar(layers))).content.find("rule archive.too-large") != std::string::npos);
  CHECK(proxy.podman.requests("POST").size() == 1);
}

TEST_CASE("an image whose files have holes is refused before they are read") {
  const TemporaryDirectory directory;
  const auto file = directory.path() + "/" + std::string(64, 'a');
  const auto sparse = packed("", "truncate -s 8G " + file + " && tar --sparse -cf - " + file + " 2>/dev/null");
  REQUIRE(sparse.size() < 20'000);
  ImageProxy proxy;
  CHECK(proxy.ask(sized(sparse)).content.find("rule archive.holes") != std::string::npos);
}

TEST_CASE("a layer may be packed, and is known by what it unpacks to") {
  ImageProxy proxy;
  for (const std::string program : {"gzip", "bzip2", "xz", "zstd -q"}) {
    CAPTURE(program);
    auto members = saved(R"("quay.io/me/new:1")", "the layer");
    members[0].second = packed("the layer", program);
    CHECK(proxy.ask(sized(tar(members))).status == 200);
    members[0].second = packed("another layer", program);
    CHECK(proxy.ask(sized(tar(members))).status == 400);
  }
}

TEST_CASE("uploads share the disk: one project can use half of it, and the other one is served meanwhile") {
  auto limits = short_limits();
  limits.spool_bytes = 200'000;
  ImageProxy proxy(limits);
  const auto archive = tar(saved("", std::string(60'000, 'x')));
  auto waiting = proxy.client();
  waiting.send(load_head("Content-Length: " + std::to_string(archive.size())) + archive.substr(0, archive.size() - 1));
  const auto refused = [&] { return proxy.ask(sized(archive)).status == 503; };
  bool busy = refused();
  for (auto waited = Milliseconds(0); !busy && waited < patience; waited += Milliseconds(20)) busy = refused();
  CHECK(busy);
  CHECK(proxy.client("p10").request(sized(archive)).status == 200);
  CHECK(proxy.alive());
  waiting.send(archive.substr(archive.size() - 1));
  CHECK(waiting.read_answer().status == 200);
}

TEST_CASE("others are served while an archive is unpacked and read") {
  ImageProxy proxy;
  const auto archive = packed(tar(saved(R"("quay.io/me/new:1")", std::string(64 * 1024 * 1024, '\0'))), "gzip");
  auto client = proxy.client();
  client.send(sized(archive));
  int served = 0;
  while (client.silent(Milliseconds(0)) && served < 3)
    served += proxy.client("p10").request("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n").status == 200;
  CHECK(client.read_answer().status == 200);
  CHECK(served > 0);
}

TEST_CASE("what upstream makes is recorded also when the client does not wait for the answer") {
  ImageProxy proxy;
  Gate closed;
  proxy.podman.on("POST /v1.41/images/load", [&](FakePodman::Connection& connection) {
    connection.read_content();
    proxy.podman.add(Kind::Image, "quay.io/me/new:1", "");
    connection.wait(closed);
    connection.send(http_answer(200, R"({"stream":"Loaded image: quay.io/me/new:1"})"));
  });
  auto client = proxy.client();
  client.send(sized(tar(saved(R"("quay.io/me/new:1")"))));
  CHECK(proxy.podman.saw("manifest.json"));
  client.vanish();
  CHECK(proxy.inspect("quay.io/me/new:1") == 404);  // not yet
  closed.open();
  int status = 404;
  for (auto waited = Milliseconds(0); status == 404 && waited < patience; waited += Milliseconds(20)) {
    std::this_thread::sleep_for(Milliseconds(20));
    status = proxy.inspect("quay.io/me/new:1");
  }
  CHECK(status == 200);
}

TEST_CASE("of a load that fails, what is there is the project's, and the other names are free again") {
  ImageProxy proxy;
  proxy.status = 500;
  CHECK(proxy.ask(sized(tar(saved(R"("quay.io/me/new:1","quay.io/me/other:1")")))).status == 500);
  CHECK(proxy.inspect("quay.io/me/new:1") == 200);
  proxy.status = 200;
  proxy.made = {};
  CHECK(proxy.client("p10").request(sized(tar(saved(R"("quay.io/me/new:1")")))).status == 403);
  CHECK(proxy.client("p10").request(sized(tar(saved(R"("quay.io/me/other:1")")))).status == 200);
}

TEST_CASE("an import's content is written anew as well, and a pull takes none") {
  ImageProxy proxy;
  std::string received;
  proxy.podman.on("POST /v1.41/images/create", [&](FakePodman::Connection& connection) {
    received = connection.read_content();
    proxy.podman.add(Kind::Image, "quay.io/me/root:1", "");
    connection.send(http_answer(200, R"({"status":"sha256:x","id":"sha256:x"})"));
  });
  const auto archive = tar({{"bin/sh", "#!"}, {"etc/passwd", "root"}});
  const auto content = packed(archive, "xz");
  const auto answer = proxy.ask(
      "POST /v1.41/images/create?fromSrc=-&repo=quay.io/me/root&tag=1 HTTP/1.1\r\nHost: d\r\nContent-Length: " +
      std::to_string(content.size()) + "\r\n\r\n" + content);
  CHECK(answer.status == 200);
  CHECK(received == archive);
  CHECK(proxy.inspect("quay.io/me/root:1") == 200);
  const auto pull = proxy.ask("POST /v1.41/images/create?fromImage=alpine HTTP/1.1\r\nHost: d\r\nContent-Length: " +
                              std::to_string(content.size()) + "\r\n\r\n" + content);
  CHECK(pull.status == 400);
  CHECK(pull.content.find("content.unexpected") != std::string::npos);
}

TEST_CASE("an archive that was made while its name went to another image is not handed out") {
  ImageProxy proxy;
  proxy.ask(sized(tar(saved(R"("quay.io/me/new:1")"))));
  std::atomic<bool> moved = false;
  const auto other = std::string(64, 'e');
  proxy.podman.on("GET /v4.0.0/libpod/images/quay.io%2Fme%2Fnew%3A1/json", [&](FakePodman::Connection& connection) {
    if (!moved) return connection.answer();
    connection.send(http_answer(200, R"({"Id":")" + other + R"(","RepoTags":["quay.io/me/new:1"]})"));
  });
  proxy.podman.on("GET /v1.41/images/get", [&](FakePodman::Connection& connection) {
    connection.send(http_answer(200, "the archive", "application/x-tar"));
  });
  const std::string request = "GET /v1.41/images/get?names=quay.io/me/new:1 HTTP/1.1\r\nHost: d\r\n\r\n";
  CHECK(proxy.ask(request).content == "the archive");
  proxy.podman.on("GET /v1.41/images/get", [&](FakePodman::Connection& connection) {
    moved = true;
    connection.send(http_answer(200, "the other archive", "application/x-tar"));
  });
  const auto answer = proxy.ask(request);
  CHECK(answer.status == 404);
  CHECK(answer.content.find("archive") == std::string::npos);
}

TEST_CASE("a client is told when what podfence needs is not there, and so is the operator") {
  ImageProxy proxy;
  auto client = proxy.client();
  client.send("GET /_ping HTTP/1.1\r\nHost: d\r\n\r\n");
  CHECK(client.read_answer().status == 200);
  const std::filesystem::path directory(proxy.directory());
  const std::filesystem::path away(proxy.directory() + ".away");
  std::filesystem::rename(directory, away);
  client.send(sized(tar(saved(R"("quay.io/me/new:1")"))));
  const auto answer = client.read_answer();
  std::filesystem::rename(away, directory);
  CHECK(answer.status == 500);
  CHECK(answer.content.find("rule server.internal") != std::string::npos);
  CHECK(answer.content.find(directory) == std::string::npos);
  const auto lines = proxy.audit(2);
  CHECK(lines.find(R"("rule":"server.internal")") != std::string::npos);
  CHECK(lines.find(R"("status":500)") != std::string::npos);
  CHECK(proxy.received.empty());
  CHECK(proxy.alive());
}
