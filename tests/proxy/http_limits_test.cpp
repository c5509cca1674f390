// Each limit of docs/http-framing.md at its bound, which passes, and above it, which is refused with the right status
// before upstream sees a byte. Times and connections are in limits_test.cpp.

#include <doctest/doctest.h>

#include "rules/json.hpp"
#include "tests/support/running_proxy.hpp"
#include "tests/support/smuggling.hpp"

using namespace podfence::testing;
using podfence::proxy::Limits;
using podfence::rules::Kind;

namespace {

struct Answered {
  std::string status, content;
  std::vector<std::string> requests;
};

/// In every cut.
Answered ask(SteppedProxy& proxy, const std::string& request) {
  const auto played = play_same(proxy, request);
  const auto head = played.read.find("\r\n\r\n");
  REQUIRE(head != std::string::npos);
  return {played.read.substr(9, 3), played.read.substr(head + 4), played.requests};
}

void check_refused(SteppedProxy& proxy, const std::string& request, const std::string& status,
                   const std::string& rule) {
  CAPTURE(rule);
  const auto answered = ask(proxy, request);
  CAPTURE(answered.content);
  CHECK(answered.status == status);
  CHECK(answered.content.find("[rule " + rule + "]") != std::string::npos);
  CHECK(answered.content.find(R"("response":)" + status) != std::string::npos);
  CHECK(answered.requests.empty());
}

/// A request that is `size` bytes long, by a field that nobody reads.
std::string padded(const std::string& request, std::size_t size) {
  const std::string field = "X-A: ";
  const auto missing = size - request.size() - field.size() - 2;
  return request.substr(0, request.size() - 2) + field + std::string(missing, 'x') + "\r\n\r\n";
}

std::string create(const std::string& content) {
  return create_request("Content-Length: " + std::to_string(content.size()) + "\r\n", content);
}

std::string create_in_chunks(const std::string& chunks) {
  return create_request("Transfer-Encoding: chunked\r\n", chunks);
}

/// A container create of that many bytes.
std::string content_of(std::size_t size) {
  const std::string start = R"({"Image":"localhost/bb:latest","Labels":{"a":")", end = R"("}})";
  return start + std::string(size - start.size() - end.size(), 'x') + end;
}

}  // namespace

TEST_CASE("head_bytes: start line and fields together") {
  SteppedProxy proxy;
  const auto limit = short_limits().head_bytes;
  CHECK(ask(proxy, padded(get_request("/_ping"), limit)).status == "200");
  check_refused(proxy, padded(get_request("/_ping"), limit + 1), "431", "http.head-too-large");
  // Of a long target as much as of long fields.
  const auto target = get_request("/v1.41/containers/" + std::string(limit / 2, 'a') + "/json");
  CHECK(ask(proxy, padded(target, limit)).status == "404");
  check_refused(proxy, padded(target, limit + 1), "431", "http.head-too-large");
}

TEST_CASE("fields: of a request, whatever they are") {
  auto limits = short_limits();
  limits.fields = 20;
  SteppedProxy proxy(limits);
  const auto request = [](std::size_t fields) {
    std::string lines;
    for (std::size_t i = 1; i < fields; ++i) lines += "X-A: b\r\n";  // beside Host
    return get_request("/_ping", lines);
  };
  CHECK(ask(proxy, request(20)).status == "200");
  check_refused(proxy, request(21), "431", "http.too-many-fields");
}

TEST_CASE("target_bytes: of the target as it was sent") {
  auto limits = short_limits();
  limits.target_bytes = 1024;
  SteppedProxy proxy(limits);
  const auto request = [](std::size_t size) {
    const std::string start = "/v1.41/containers/", end = "/json";
    return get_request(start + std::string(size - start.size() - end.size(), 'a') + end);
  };
  CHECK(ask(proxy, request(1024)).status == "404");
  check_refused(proxy, request(1025), "414", "target.length");
  check_refused(proxy, request(limits.head_bytes), "414", "target.length");
  check_refused(proxy, request(limits.head_bytes + 100), "414", "target.length");  // no end in sight
}

TEST_CASE("json_bytes: of content that is judged, however it comes") {
  SteppedProxy proxy;
  const auto limit = short_limits().json_bytes;
  const auto fits = content_of(limit), exceeds = content_of(limit + 1);
  CHECK(ask(proxy, create(fits)).status == "201");
  CHECK(ask(proxy, create_in_chunks(chunked(fits, 4096))).status == "201");
  check_refused(proxy, create(exceeds), "413", "content.too-large");
  check_refused(proxy, create_in_chunks(chunked(exceeds, 4096)), "413", "content.too-large");
  check_refused(proxy, create_request("Content-Length: " + std::to_string(limit + 1) + "\r\n", ""), "413",
                "content.too-large");
}

TEST_CASE("json_depth: of arrays and objects in content") {
  auto limits = short_limits();
  limits.json_depth = 16;
  SteppedProxy proxy(limits);
  const auto nested = [](std::size_t depth) {
    return create(R"({"Image":"localhost/bb:latest","Labels":)" + std::string(depth - 1, '[') +
                  std::string(depth - 1, ']') + "}");
  };
  // Read, and judged to be no labels; or nothing at all, since it holds nothing.
  const auto at_bound = ask(proxy, nested(16));
  CHECK((at_bound.status == "201" || at_bound.content.find("[rule field.") != std::string::npos));
  check_refused(proxy, nested(17), "413", "content.too-complex");
}

TEST_CASE("json_names: of one object in content") {
  auto limits = short_limits();
  limits.json_names = 256;
  SteppedProxy proxy(limits);
  const auto labelled = [](std::size_t names) {
    std::string labels;
    for (std::size_t i = 0; i < names; ++i) labels += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
    return create(R"({"Image":"localhost/bb:latest","Labels":{)" + labels + "}}");
  };
  CHECK(ask(proxy, labelled(256)).status == "201");
  check_refused(proxy, labelled(257), "413", "content.too-complex");
}

TEST_CASE("chunk_extension_bytes: of all chunks of a message together") {
  auto limits = short_limits();
  limits.chunk_extension_bytes = 100;
  SteppedProxy proxy(limits);
  const auto request = [](std::size_t first, std::size_t second, std::size_t last) {
    const auto half = create_content.size() / 2;
    const auto chunk = [](const std::string& text, std::size_t extension) {
      std::string size(2, '0');
      size[0] = static_cast<char>('0' + text.size() / 16);
      size[1] = "0123456789abcdef"[text.size() % 16];
      return size + ";" + std::string(extension, 'e') + "\r\n" + text + "\r\n";
    };
    return create_in_chunks(chunk(create_content.substr(0, half), first) + chunk(create_content.substr(half), second) +
                            "0;" + std::string(last, 'e') + "\r\n\r\n");
  };
  CHECK(ask(proxy, request(60, 30, 10)).status == "201");
  check_refused(proxy, request(60, 31, 10), "413", "http.chunk-extensions");
  check_refused(proxy, request(60, 30, 11), "413", "http.chunk-extensions");
  check_refused(proxy, request(101, 0, 0), "413", "http.chunk-extensions");
}

TEST_CASE("trailer_bytes and answer_bytes: of an answer that is read as a whole") {
  auto limits = short_limits();
  limits.trailer_bytes = 100;
  limits.answer_bytes = 1000;
  SteppedProxy proxy(limits);
  const auto list = [&](const std::string& content, std::size_t trailer) {
    proxy.on_request([=](const std::string&) -> std::optional<SteppedProxy::Answer> {
      return SteppedProxy::Answer{
          {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
           chunked(content, 100).substr(0, chunked(content, 100).size() - 2) + "X-T:" + std::string(trailer - 4, 't') +
           "\r\n\r\n"}};
    });
    auto client = proxy.client();
    client.send(get_request("/v1.41/containers/json"));
    return client.read().substr(9, 3);
  };
  const auto spaces = [](std::size_t size) { return "[" + std::string(size - 2, ' ') + "]"; };
  CHECK(list(spaces(1000), 100) == "200");
  CHECK(list(spaces(1000), 101) == "502");
  CHECK(list(spaces(1001), 100) == "502");
}

TEST_CASE("project_buffered_bytes: judged content counts as the memory that it takes") {
  // Many short items: the text is a small part of it.
  std::string items;
  for (int i = 0; i < 2000; ++i) items += i == 0 ? "\"a\"" : ",\"a\"";
  const auto content = R"({"Image":"localhost/bb:latest","Cmd":[)" + items + "]}";
  const auto size =
      podfence::rules::json::footprint(std::get<podfence::rules::json::Value>(podfence::rules::json::parse(content)));
  REQUIRE(size > 8 * content.size());
  auto limits = short_limits();
  limits.project_buffered_bytes = size - 1;
  SteppedProxy crowded(limits);
  check_refused(crowded, create(content), "503", "server.busy");
  limits.project_buffered_bytes = 1000;  // already the text is too much
  SteppedProxy tight(limits);
  check_refused(tight, create(content_of(5000)), "503", "server.busy");
  check_refused(tight, create_in_chunks(chunked(content_of(5000), 700)), "503", "server.busy");
  limits.project_buffered_bytes = size + 16 * 1024;  // and what is asked beside it
  SteppedProxy proxy(limits);
  CHECK(ask(proxy, create(content)).status == "201");
  // It is given back each time, also by refused ones.
  for (int i = 0; i < 100; ++i) CHECK(ask(proxy, get_request("/_ping")).status == "200");
}
