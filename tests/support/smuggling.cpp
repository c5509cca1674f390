#include "tests/support/smuggling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <set>

namespace podfence::testing {
namespace {

constexpr std::size_t max_splits = 24;

/// All positions of a short text; of a long one those next to line ends, where parsers go wrong, and a sample.
std::vector<std::size_t> positions(std::string_view bytes) {
  std::set<std::size_t> chosen;
  const auto step = std::max<std::size_t>(1, bytes.size() / (max_splits / 2));
  for (std::size_t i = 1; i < bytes.size(); i += step) chosen.insert(i);
  for (std::size_t i = bytes.size(); i-- > 1 && chosen.size() < max_splits;)
    if (bytes[i] == '\n' || bytes[i - 1] == '\r' || bytes[i - 1] == '\n') chosen.insert(i);
  return {chosen.begin(), chosen.end()};
}

/// Long rows are sent in this many pieces instead of single bytes.
constexpr std::size_t max_pieces = 1500;

void send_in_pieces(RawClient& client, std::string_view bytes) {
  if (bytes.size() <= max_pieces) return client.send_bytewise(bytes);
  client.send_bytewise(bytes.substr(0, 200));
  client.send(bytes.substr(200, bytes.size() - 400));
  client.send_bytewise(bytes.substr(bytes.size() - 200));
}

void check_refusal(RunningProxy& proxy, RawClient& client, const RefusedRow& row, std::size_t upstream_before) {
  const auto answer = client.read_answer();
  CAPTURE(answer.head);
  CAPTURE(answer.problem);
  CHECK(std::ranges::count(row.statuses, answer.status) == 1);
  CHECK(answer.problem == "");
  CHECK(answer.field("Connection") == "close");
  CHECK(answer.field("X-Podfence-Request-Id") != "");
  CHECK(answer.content.find(R"("response":)" + std::to_string(answer.status)) != std::string::npos);
  CHECK(client.ended());
  CHECK(proxy.podman.bytes() == upstream_before);
}

using Sender = std::function<void(RawClient&)>;

/// Every way to send the bytes, with a name.
std::vector<std::pair<std::string, Sender>> cuts(const std::string& bytes) {
  std::vector<std::pair<std::string, Sender>> all;
  all.emplace_back("whole", [&](RawClient& client) { client.send(bytes); });
  all.emplace_back("bytewise", [&](RawClient& client) { send_in_pieces(client, bytes); });
  for (const auto position : positions(bytes))
    all.emplace_back("split at " + std::to_string(position),
                     [&bytes, position](RawClient& client) { client.send_split(bytes, position); });
  return all;
}

}  // namespace

std::string create_request(std::string_view fields, std::string_view content) {
  std::string bytes = "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\n";
  return bytes.append(fields).append("\r\n").append(content);
}

std::string get_request(std::string_view target, std::string_view fields) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: d\r\n" + std::string(fields) + "\r\n";
}

std::string chunked(std::string_view content, std::size_t piece_size) {
  std::string bytes;
  for (; !content.empty(); content.remove_prefix(std::min(content.size(), piece_size))) {
    const auto piece = content.substr(0, piece_size);
    std::array<char, 20> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
    bytes.append(size.data()).append(piece).append("\r\n");
  }
  return bytes + "0\r\n\r\n";
}

void play_refused(RunningProxy& proxy, const RefusedRow& row) {
  CAPTURE(row.id);
  for (const auto& [cut, send] : cuts(row.bytes)) {
    CAPTURE(cut);
    const auto before = proxy.podman.bytes();
    auto client = proxy.client();
    send(client);
    check_refusal(proxy, client, row, before);
  }
  auto client = proxy.client();
  const auto good = client.request(get_request("/_ping"));
  REQUIRE(good.status == 200);
  const auto before = proxy.podman.bytes();
  client.send(row.bytes);
  CAPTURE("behind a good request");
  check_refusal(proxy, client, row, before);
  CHECK(proxy.alive());
}

void play_refused(const std::vector<RefusedRow>& rows) {
  RunningProxy proxy;
  proxy.podman.add(rules::Kind::Container, "c1", "p1");
  for (const auto& row : rows) play_refused(proxy, row);
  CHECK(proxy.podman.has(rules::Kind::Container, "c1"));
  CHECK(proxy.podman.requests("POST").empty());
}

std::string play_same(RunningProxy& proxy, const std::string& bytes) {
  std::string first;
  for (const auto& [cut, send] : cuts(bytes)) {
    CAPTURE(cut);
    auto client = proxy.client();
    send(client);
    client.half_close();
    auto read = client.read_to_end();
    for (auto place = read.find("X-Podfence-Request-Id: "); place != std::string::npos;
         place = read.find("X-Podfence-Request-Id: "))
      read.erase(place, read.find("\r\n", place) + 2 - place);
    for (auto place = read.find(R"("Id":")"); place != std::string::npos; place = read.find(R"("Id":")"))
      read.erase(place, read.find(',', place) - place);
    if (cut == "whole") first = read;
    CHECK(read == first);
  }
  return first;
}

}  // namespace podfence::testing
