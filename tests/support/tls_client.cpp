#include "tests/support/tls_client.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "proxy/freed.hpp"

namespace podfence::testing {

namespace {

using proxy::Freed;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using OpenFile = std::unique_ptr<std::FILE, Freed<std::fclose>>;

void demand(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

void add_extension(X509* certificate, int which, const std::string& value) {
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, which, value.c_str()));
  demand(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "an extension of a certificate");
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Socket connected(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval longest{patience.count() / 1000, 0};
  ::setsockopt(socket.file(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  const auto address = loopback(port);
  if (::connect(socket.file(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::system_error(errno, std::generic_category(), "connect");
  return socket;
}

}  // namespace

void write_certificate(const std::string& path, const std::string& dns_name) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  X509* made = certificate.get();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), 1);
  X509_gmtime_adj(X509_getm_notBefore(made), -60);
  X509_gmtime_adj(X509_getm_notAfter(made), 3600);
  X509_set_pubkey(made, key.get());
  X509_NAME* name = X509_get_subject_name(made);
  const std::string common = "test";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(made, name);
  add_extension(made, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(made, NID_subject_alt_name, "DNS:" + dns_name);
  demand(X509_sign(made, key.get(), EVP_sha256()) > 0, "a certificate");
  const OpenFile public_file(std::fopen((path + ".pem").c_str(), "w"));
  const OpenFile private_file(std::fopen((path + ".key").c_str(), "w"));
  demand(public_file && PEM_write_X509(public_file.get(), made) == 1, "the file of a certificate");
  demand(
      private_file && PEM_write_PrivateKey(private_file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
      "the file of a key");
}

std::uint16_t free_port() {
  const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto address = loopback(0);
  socklen_t size = sizeof address;
  auto* bare = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.file(), bare, size) != 0 || ::getsockname(socket.file(), bare, &size) != 0)
    throw std::system_error(errno, std::generic_category(), "a free port");
  return ntohs(address.sin_port);
}

TlsClient::TlsClient(std::uint16_t port, const std::string& certificate)
    : socket_(connected(port)), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
  demand(SSL_CTX_use_certificate_file(context_.get(), (certificate + ".pem").c_str(), SSL_FILETYPE_PEM) == 1 &&
             SSL_CTX_use_PrivateKey_file(context_.get(), (certificate + ".key").c_str(), SSL_FILETYPE_PEM) == 1,
         "the client's certificate");
  connection_.reset(SSL_new(context_.get()), SSL_free);
  demand(SSL_set_fd(connection_.get(), socket_.file()) == 1 && SSL_connect(connection_.get()) == 1, "the handshake");
}

void TlsClient::send(std::string_view bytes) {
  demand(SSL_write(connection_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0, "a send over TLS");
}

std::string TlsClient::read_to_end() {
  std::string read;
  std::array<char, 4096> piece;
  while (true) {
    const int size = SSL_read(connection_.get(), piece.data(), static_cast<int>(piece.size()));
    if (size > 0) {
      read.append(piece.data(), static_cast<std::size_t>(size));
      continue;
    }
    const bool ended = SSL_get_error(connection_.get(), size) == SSL_ERROR_ZERO_RETURN;
    ERR_clear_error();
    return ended ? read : read + "<cut>";
  }
}

}  // namespace podfence::testing
