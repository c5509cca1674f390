// Prints the dictionary of the fuzz targets, in the format that libFuzzer and AFL++ read.

#include <cstdio>

#include "fuzz/words.hpp"
#include "rules/endpoint.hpp"

namespace {

void print(std::string_view word) {
  std::putchar('"');
  for (const char c : word) {
    if (c == '"' || c == '\\') std::putchar('\\');
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e)
      std::printf("\\x%02X", byte);
    else
      std::putchar(c);
  }
  std::puts("\"");
}

constexpr std::string_view wire_words[] = {"\r\n",
                                           "\r\n\r\n",
                                           "0\r\n\r\n",
                                           "\n\n",
                                           "\r\n ",
                                           "GET ",
                                           "HEAD ",
                                           "POST ",
                                           "PUT ",
                                           "DELETE ",
                                           "CONNECT ",
                                           " HTTP/1.1\r\n",
                                           " HTTP/1.0\r\n",
                                           "HTTP/1.1 200 OK\r\n",
                                           "HTTP/1.1 101 UPGRADED\r\n",
                                           "HTTP/1.1 204 No Content\r\n",
                                           "Host: d\r\n",
                                           "Content-Length: ",
                                           "Transfer-Encoding: chunked\r\n",
                                           "Transfer-Encoding: ",
                                           "Connection: Upgrade\r\n",
                                           "Connection: close\r\n",
                                           "Upgrade: tcp\r\n",
                                           "Upgrade: h2c\r\n",
                                           "Expect: 100-continue\r\n",
                                           "X-Registry-Auth: ",
                                           "Content-Type: application/json\r\n",
                                           ";q=1",
                                           ", ",
                                           "chunked",
                                           "identity",
                                           "%2F",
                                           "%2e%2e",
                                           "%00",
                                           "%25",
                                           "/../",
                                           "/v1.41/",
                                           "/v4.3.1/",
                                           "filters=",
                                           "%7B%22label%22%3A%5B%22",
                                           "%22%5D%7D",
                                           "{\"",
                                           "\":",
                                           "[]",
                                           "{}",
                                           "null",
                                           "\\u0000",
                                           "\\u212a",
                                           "\\u017f",
                                           "\xEF\xBB\xBF",
                                           "/*",
                                           "*/",
                                           "//"};

}  // namespace

int main() {
  for (const auto& name : podfence::fuzz::known_names()) print(name);
  for (const auto text : podfence::fuzz::telling_texts()) print(text);
  for (const auto number : podfence::fuzz::telling_numbers()) print(number);
  for (const auto word : wire_words) print(word);
  for (const auto& endpoint : podfence::rules::endpoints()) print(endpoint.path.substr(0, endpoint.path.find('{')));
}
