#pragma once
// Parts of messages that many tests send.

#include <cstdio>
#include <string>

namespace podfence::testing {

inline const std::string upgrade = "Connection: Upgrade\r\nUpgrade: tcp\r\n";
/// As Podman answers an upgrade (libpod/util.go:writeHijackHeader).
inline const std::string switched =
    "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: "
    "tcp\r\n\r\n";
inline const std::string chunked_head =
    "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

inline std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: d\r\n\r\n"; }

/// One chunk of the chunked coding.
inline std::string chunk(const std::string& text) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", text.size());
  return size + text + "\r\n";
}

/// A whole content in chunks of that size.
inline std::string chunked(const std::string& content, std::size_t size = 9) {
  std::string chunks;
  for (std::size_t at = 0; at < content.size(); at += size) chunks += chunk(content.substr(at, size));
  return chunks + "0\r\n\r\n";
}

}  // namespace podfence::testing
