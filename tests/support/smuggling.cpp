#include "tests/support/smuggling.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/running_proxy.hpp"

namespace podfence::testing {
namespace {

/// Longer rows, which say one thing many times, are not cut everywhere.
constexpr std::size_t long_row = 2000;
constexpr std::size_t long_row_ends = 150;

/// What is read differs from one time to the next only in the id of the exchange and the ids of new objects.
std::string without_ids(std::string read) {
  for (auto place = read.find("X-Podfence-Request-Id: "); place != std::string::npos;
       place = read.find("X-Podfence-Request-Id: "))
    read.erase(place, read.find("\r\n", place) + 2 - place);
  for (auto place = read.find(R"("Id":")"); place != std::string::npos; place = read.find(R"("Id":")"))
    read.erase(place, read.find(',', place) - place);
  return read;
}

const std::string ping = get_request("/_ping");

Played play(SteppedProxy& proxy, const Pieces& pieces, bool behind_a_good_one) {
  auto client = proxy.client();
  if (behind_a_good_one) {
    client.send(ping);
    REQUIRE(client.read().starts_with("HTTP/1.1 200 "));
  }
  const auto requests = proxy.requests.size();
  const auto bytes = proxy.upstream_bytes;
  Played played;
  for (const auto& piece : pieces) client.send(piece);
  played.read = client.read();
  played.refused = client.ended();
  client.half_close();
  played.read = without_ids(played.read + client.read());
  CHECK(client.ended());
  played.requests.assign(proxy.requests.begin() + static_cast<std::ptrdiff_t>(requests), proxy.requests.end());
  std::size_t of_requests = 0;
  for (const auto& request : played.requests) of_requests += request.size();
  CHECK(proxy.upstream_bytes - bytes == of_requests);
  return played;
}

void check_refusal(const RefusedRow& row, const Played& played) {
  const std::string_view read = played.read;
  REQUIRE(read.size() > 12);
  const auto status = std::stoi(std::string(read.substr(9, 3)));
  CHECK(status == row.status);
  CHECK(read.find("\r\nConnection: close\r\n") != std::string_view::npos);
  CHECK(read.find(R"("response":)" + std::to_string(status)) != std::string_view::npos);
  CHECK(read.find("\nHTTP/1.1 ") == std::string_view::npos);  // one answer
  CHECK(played.refused);
  CHECK(played.requests.empty());
}

/// Through the listener, with threads and all.
void check_refusal_outside(RunningProxy& proxy, const RefusedRow& row) {
  auto client = proxy.client();
  REQUIRE(client.request(ping).status == 200);
  const auto before = proxy.podman.bytes();
  client.send(row.bytes);
  const auto answer = client.read_answer();
  CAPTURE(answer.head);
  CHECK(answer.complete());
  CHECK(answer.status == row.status);
  CHECK(answer.field("Connection") == "close");
  CHECK(answer.field("X-Podfence-Request-Id") != "");
  CHECK(client.ended());
  CHECK(proxy.podman.bytes() == before);
  CHECK(proxy.alive());
}

}  // namespace

bool cuts_at(std::string_view bytes, std::size_t position) {
  return bytes.size() <= long_row || position <= long_row_ends || position + long_row_ends >= bytes.size() ||
         position % (bytes.size() / 20) == 0;
}

Pieces bytewise(std::string_view bytes) {
  Pieces pieces{""};
  for (std::size_t position = 0; position < bytes.size(); ++position) {
    if (cuts_at(bytes, position)) pieces.emplace_back();
    pieces.back() += bytes[position];
  }
  return pieces;
}

std::string create_request(std::string_view fields, std::string_view content) {
  std::string bytes = "POST /v1.41/containers/create HTTP/1.1\r\nHost: d\r\n";
  return bytes.append(fields).append("\r\n").append(content);
}

std::string get_request(std::string_view target, std::string_view fields) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: d\r\n" + std::string(fields) + "\r\n";
}

Played play_same(SteppedProxy& proxy, const std::string& bytes) {
  const auto whole = play(proxy, {bytes}, false);
  const auto same = [&](const Pieces& pieces, bool behind_a_good_one) {
    const auto played = play(proxy, pieces, behind_a_good_one);
    CHECK(played.read == whole.read);
    CHECK(played.refused == whole.refused);
    CHECK(played.requests == whole.requests);
  };
  {
    CAPTURE("behind a good request");
    same({bytes}, true);
    same(bytewise(bytes), true);
  }
  {
    CAPTURE("bytewise");
    same(bytewise(bytes), false);
  }
  for (std::size_t position = 1; position < bytes.size(); ++position) {
    if (!cuts_at(bytes, position)) continue;
    CAPTURE(position);
    same({bytes.substr(0, position), bytes.substr(position)}, false);
  }
  return whole;
}

void play_refused(const std::vector<RefusedRow>& rows) {
  RunningProxy outside;
  SteppedProxy proxy;
  proxy.objects.add(rules::Kind::Container, "c1", "p1");
  outside.podman.add(rules::Kind::Container, "c1", "p1");
  for (const auto& row : rows) {
    CAPTURE(row.id);
    check_refusal(row, play_same(proxy, row.bytes));
    check_refusal_outside(outside, row);
  }
  CHECK(outside.podman.has(rules::Kind::Container, "c1"));
}

void play_alike(SteppedProxy& proxy, const std::string& plain, std::string_view start,
                const std::vector<AlikeRow>& rows) {
  const auto expected = play_same(proxy, plain);
  CAPTURE(expected.read);
  REQUIRE(expected.read.starts_with(start));
  for (const auto& row : rows) {
    CAPTURE(row.id);
    const auto played = play_same(proxy, row.bytes);
    CHECK(played.read == expected.read);
    CHECK(played.requests == expected.requests);
  }
}

}  // namespace podfence::testing
