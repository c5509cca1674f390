#pragma once
// A control plane's client over TLS, which reads when the test says so.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/socket.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace podfence::testing {

/// A certificate that signs itself, for this name: authority, server and client in one. PATH.pem and PATH.key.
void write_certificate(const std::string& path, const std::string& dns_name);

/// Of 127.0.0.1, for the moment.
std::uint16_t free_port();

class TlsClient {
 public:
  /// With the certificate of write_certificate(). Behind the handshake.
  TlsClient(std::uint16_t port, const std::string& certificate);

  void send(std::string_view bytes);
  /// Up to the server's close_notify, or to an end without one: then "<cut>" stands behind it.
  std::string read_to_end();

 private:
  Socket socket_;
  std::shared_ptr<ssl_ctx_st> context_;
  std::shared_ptr<ssl_st> connection_;
};

}  // namespace podfence::testing
