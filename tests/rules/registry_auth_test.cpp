#include "rules/registry_auth.hpp"

#include <doctest/doctest.h>

#include "rules/base64.hpp"

using namespace podfence::rules;

namespace {

constexpr std::string_view nobody = R"({"podfence.invalid":{"username":"nobody","password":"nobody"}})";

struct Sent {
  std::string name, text;
};

Sent sent_for(std::string_view json) {
  const auto result = registry_credentials(json.empty() ? "" : encode_base64(json));
  const auto* field = std::get_if<Field>(&result);
  if (!field) return {"refused", std::get<Deny>(result).subject};
  return {field->name, decode_base64(field->value).value()};
}

}  // namespace

TEST_CASE("base64 is read in both alphabets and written back") {
  for (const std::string_view bytes : {"", "f", "fo", "foo", "foob", "\xff\xfe\xfd", "\xfb\xff"}) {
    CAPTURE(bytes);
    CHECK(decode_base64(encode_base64(bytes)) == std::string(bytes));
  }
  CHECK(encode_base64("fo") == "Zm8=");
  CHECK(encode_base64("\xfb\xff") == "-_8=");
  CHECK(decode_base64("+/8") == "\xfb\xff");
  CHECK_FALSE(decode_base64("Zm9vY"));
  CHECK_FALSE(decode_base64("Zm 8="));
  CHECK_FALSE(decode_base64("Zg==="));
}

TEST_CASE("a pull without credentials never uses the host's") {
  for (const std::string_view json :
       {"", "{}", "null", R"({"username":"","password":""})", R"({"serveraddress":"docker.io"})",
        R"({"docker.io":{"username":"","password":""}})", R"({"docker.io":{}})"}) {
    CAPTURE(json);
    CHECK(sent_for(json).name == "X-Registry-Config");
    CHECK(sent_for(json).text == nobody);
  }
}

TEST_CASE("a client's own credentials are passed on, known members only") {
  CHECK(sent_for(R"({"Username":"u","password":"p","email":""})").text ==
        R"({"username":"u","password":"p","email":""})");
  CHECK_MESSAGE(sent_for(R"({"username":"u","password":"p","email":null,"serveraddress":"a:5000"})").text ==
                    R"({"username":"u","password":"p","email":"","serveraddress":"a:5000"})",
                "as docker-py sends them");
  CHECK(sent_for(R"({"username":"u","password":"p"})").name == "X-Registry-Auth");
  CHECK(sent_for(R"({"a:5000":{"username":"u","password":"p"},"b":{"username":""}})").text ==
        R"({"a:5000":{"username":"u","password":"p"}})");
}

TEST_CASE("credentials that could be read in two ways are refused") {
  for (const std::string_view json :
       {"[]", "1", R"({"username":"u","Username":"v"})", R"({"username":null,"Username":"v"})", R"({"username":1})",
        R"({"a":{"username":"u","path":"/etc"}})", R"({"a":{"b":{"c":1}}})"}) {
    CAPTURE(json);
    CHECK(sent_for(json).name == (json == "[]" ? "X-Registry-Config" : "refused"));
  }
  CHECK(std::holds_alternative<Deny>(registry_credentials("not base64!")));
  CHECK(std::holds_alternative<Deny>(registry_credentials(encode_base64("{"))));
}
