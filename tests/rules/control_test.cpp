// Who may come in at a control plane's listener, and for which projects.

#include "rules/control.hpp"

#include <doctest/doctest.h>

#include "rules/belonging.hpp"

using namespace podfence::rules;

namespace {

std::variant<std::vector<ControlListener>, ControlError> read(std::string_view text) {
  return read_control(std::get<json::Value>(json::parse(text)));
}

std::string wrong_with(std::string_view text) {
  const auto result = read(text);
  const auto* error = std::get_if<ControlError>(&result);
  return error ? error->where + " " + error->what : "nothing";
}

ControlListener listener(std::string_view text) {
  auto result = read(text);
  REQUIRE(std::holds_alternative<std::vector<ControlListener>>(result));
  return std::get<std::vector<ControlListener>>(result).front();
}

constexpr const char* tls =
    R"({"tls": "127.0.0.1:7443", "certificate": "/c", "key": "/k", "clients": "/ca", "identities": [)";
constexpr const char* pin = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=";  // of "hello world"

}  // namespace

TEST_CASE("listeners are told apart from what cannot be one, each mistake with its place") {
  const std::string ids = R"("identities": [{"user": 7, "projects": ["*"]}])";
  const std::string agent = R"({"uri": "u", "projects": ["p1"]}]})";
  const struct {
    std::string text;
    const char* wrong;
  } rows[] = {
      {R"([{"socket": "/c.sock", )" + ids + "}]", "nothing"},
      {"[" + std::string(tls) + agent + "]", "nothing"},
      {"[{" + ids + "}]", "/0 must say one of socket and tls"},
      {R"([{"socket": "/c", "tls": "127.0.0.1:1", )" + ids + "}]", "/0 must say one of socket and tls"},
      {R"([{"socket": "c", )" + ids + "}]", "/0/socket must be an absolute path"},
      {R"([{"socket": "/c", "key": "/k", )" + ids + "}]", "/0/key belongs to tls"},
      {R"([{"socket": "/c"}])", "/0 must say identities: whom it lets in"},
      {R"([{"socket": "/c", "identities": [{"uri": "u", "projects": ["*"]}]}])",
       "/0/identities/0 must say user, the uid: that is all that a unix socket tells"},
      {"[" + std::string(tls) + R"({"user": 7, "projects": ["*"]}]}])",
       "/0/identities/0 must say uri, dns or common_name of a certificate"},
      {"[" + std::string(tls) + R"({"uri": "u", "dns": "d", "projects": ["*"]}]}])",
       "/0/identities/0 must say one of user, uri, dns and common_name"},
      {"[" + std::string(tls) + R"({"uri": "u"}]}])", "/0/identities/0/projects must name a project, or \"*\" for all"},
      {"[" + std::string(tls) + R"({"uri": "u", "projects": ["*p"]}]}])",
       "/0/identities/0/projects/0 must be a project id, or the beginning of one with '*'"},
      {"[" + std::string(tls) + R"({"uri": "u", "pins": ["YQ=="], "projects": ["*"]}]}])",
       "/0/identities/0/pins/0 must be the base64 of a SHA-256 of a public key"},
      {R"([{"tls": "7443", "certificate": "/c", "key": "/k", "clients": "/ca", )" + ids + "}]",
       "/0/tls must be an IP address and a port, such as 127.0.0.1:7443 or [::1]:7443"},
      {R"([{"tls": "127.0.0.1:7443", "certificate": "/c", "key": "/k", )" + ids + "}]",
       "/0 must say clients: an absolute path of a PEM file"},
      {R"([{"socket": "/c", )" + ids + R"(}, {"socket": "/c", )" + ids + "}]",
       "/1 is where another one listens already"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(wrong_with(row.text) == row.wrong);
  }
}

TEST_CASE("an address is said as it is listened on") {
  const std::string rest = R"(", "certificate": "/c", "key": "/k", "clients": "/ca", "identities":
    [{"dns": "d", "projects": ["*"]}]}])";
  const auto six = listener(R"([{"tls": "[::1]:443)" + rest);
  CHECK(six.address == "::1");
  CHECK(six.port == 443);
  CHECK(six.text() == "[::1]:443");
  CHECK(wrong_with(R"([{"tls": "127.0.0.1:0)" + rest).starts_with("/0/tls"));
  CHECK(wrong_with(R"([{"tls": "127.0.0.1:65536)" + rest).starts_with("/0/tls"));
}

TEST_CASE("a client is whom its certificate names exactly, with the key that was pinned") {
  const auto one = listener("[" + std::string(tls) + R"({"uri": "spiffe://a/b", "pins": [")" + pin +
                            R"("], "projects": ["p1"]}, {"dns": "agent.example", "projects": ["a-*"]},
                            {"common_name": "agent", "projects": ["*"]}]}])");
  Credentials client;
  CHECK_FALSE(identify(one, client));
  client.uris = {"spiffe://a/b"};
  CHECK_FALSE(identify(one, client));  // not that key
  client.key_digest = std::string(
      "\xb9\x4d\x27\xb9\x93\x4d\x3e\x08\xa5\x2e\x52\xd7\xda\x7d\xab\xfa\xc4\x84\xef\xe3\x7a\x53\x80\xee\x90\x88\xf7\xac"
      "\xe2"
      "\xef\xcd\xe9",
      32);
  REQUIRE(identify(one, client));
  CHECK(identify(one, client)->text() == "uri:spiffe://a/b");
  client.uris = {"spiffe://a/b/c"};
  CHECK_FALSE(identify(one, client));
  client.dns_names = {"other", "agent.example"};
  CHECK(identify(one, client)->text() == "dns:agent.example");
  CHECK_FALSE(identify(one, Credentials{.uid = 0, .common_name = "Agent"}));
  CHECK(identify(one, Credentials{.common_name = "agent"})->text() == "common_name:agent");
}

TEST_CASE("an identity is entitled to the projects that it names, and to those that begin so") {
  const ControlIdentity some{ControlIdentity::By::User, "7", {}, {"p1", "app-*"}};
  for (const auto* id : {"p1", "app-", "app-1"}) CHECK(some.is_entitled(id));
  for (const auto* id : {"p10", "p", "app", ""}) CHECK_FALSE(some.is_entitled(id));
  CHECK(ControlIdentity{ControlIdentity::By::User, "7", {}, {"*"}}.is_entitled("anything"));
}

TEST_CASE("which project a create is for stands among its labels") {
  const auto stated = [](std::string_view text) {
    return std::string(stated_project("appx.project", std::get<json::Value>(json::parse(text))));
  };
  CHECK(stated(R"({"Labels": {"appx.project": "p1"}})") == "p1");
  CHECK(stated(R"({"labels": {"appx.project": "p1"}})") == "p1");
  CHECK(stated(R"({"Labels": {"appx": "p1"}})") == "");
  CHECK(stated(R"({"Labels": ["appx.project=p1"]})") == "");
  CHECK(stated("[]") == "");
}

TEST_CASE("lists of several projects are one, and what stands in more than one stands once") {
  const std::string first = R"([{"Id":"a"},{"Id":"b"}])", second = R"([{"Id":"b"},{"Id":"c"}])";
  CHECK(joined(std::vector{first, second}) == R"([{"Id":"a"},{"Id":"b"},{"Id":"c"}])");
  CHECK(joined(std::vector<std::string>{R"({"Volumes":[1],"Warnings":null})", R"({"Volumes":[2],"Warnings":null})"}) ==
        R"({"Volumes":[1,2],"Warnings":null})");
  CHECK_FALSE(joined(std::vector<std::string>{first, "{}"}));
  CHECK_FALSE(joined(std::vector<std::string>{"no"}));
  CHECK(joined(std::vector<std::string>{"[1,1]", R"(["1",1,2,2])"}) == R"([1,1,"1",2])");
  CHECK(joined(std::vector<std::string>{"null", "[]", "[{},[]]", "[[],{},null]"}) == "[{},[],null]");
  CHECK(joined(std::vector<std::string>{R"([{"a":1,"b":2}])", R"([{"b":2,"a":1}])"}) ==
        R"([{"a":1,"b":2},{"b":2,"a":1}])");
  CHECK(joined(std::vector<std::string>{R"({"Volumes":null})"}) == R"({"Volumes":null})");
  CHECK_FALSE(joined(std::vector<std::string>{R"({"Volumes":null})", "[]"}));
}

TEST_CASE("the lists of many projects are joined, however long they are") {
  const auto list = [](int from, int to) {
    std::string text = "[";
    for (int id = from; id < to; ++id) text += (id == from ? "" : ",") + std::to_string(id);
    return text + "]";
  };
  // Quadratic work would take minutes here.
  CHECK(joined(std::vector{list(0, 200'000), list(100'000, 300'000)}) == list(0, 300'000));
}
