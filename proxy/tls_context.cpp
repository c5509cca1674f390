#include "proxy/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <functional>
#include <stdexcept>

#include "proxy/freed.hpp"

namespace podfence::proxy {

namespace {

namespace ssl = boost::asio::ssl;

using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

void use(const std::string& file, const std::function<void()>& action) {
  ERR_clear_error();
  try {
    action();
  } catch (const std::exception& error) {
    throw std::runtime_error(file + " cannot be used: " + error.what());
  }
}

void demand(bool done) {
  if (done) return;
  char text[160];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  throw std::runtime_error(text);
}

/// Every certificate of a chain must be looked up: a list that is missing is no list without entries.
void load_revoked(SSL_CTX* context, const std::string& file) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  X509_LOOKUP* lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  demand(lookup != nullptr && X509_load_crl_file(lookup, file.c_str(), X509_FILETYPE_PEM) > 0);
  demand(X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) == 1);
}

/// "" for a text that holds a NUL: it would be read as a shorter one elsewhere.
std::string text_of(const ASN1_STRING* text) {
  if (text == nullptr) return "";
  const std::string result(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                           static_cast<std::size_t>(ASN1_STRING_length(text)));
  return result.find('\0') == std::string::npos ? result : "";
}

/// The last one of several, as the most specific.
std::string common_name_of(X509* certificate) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  int last = -1;
  for (int next = -1; (next = X509_NAME_get_index_by_NID(subject, NID_commonName, next)) >= 0;) last = next;
  return last < 0 ? "" : text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, last)));
}

std::string key_digest_of(X509* certificate) {
  unsigned char* encoded = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded);
  if (size <= 0) return "";
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(encoded, static_cast<std::size_t>(size), digest);
  OPENSSL_free(encoded);
  return {reinterpret_cast<const char*>(digest), sizeof digest};
}

void read_names(X509* certificate, rules::Credentials& result) {
  const Names names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_URI) result.uris.push_back(text_of(name->d.uniformResourceIdentifier));
    if (name->type == GEN_DNS) result.dns_names.push_back(text_of(name->d.dNSName));
  }
}

}  // namespace

std::shared_ptr<ssl::context> make_tls_context(const rules::ControlListener& options) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  use(options.certificate, [&] { context->use_certificate_chain_file(options.certificate); });
  use(options.key, [&] {
    context->use_private_key_file(options.key, ssl::context::pem);
    demand(SSL_CTX_check_private_key(native) == 1);
  });
  use(options.clients, [&] { context->load_verify_file(options.clients); });
  if (!options.revoked.empty()) use(options.revoked, [&] { load_revoked(native, options.revoked); });
  context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return context;
}

rules::Credentials credentials_of(SSL* connection) {
  rules::Credentials result;
  const Certificate certificate(SSL_get1_peer_certificate(connection));
  if (!certificate || SSL_get_verify_result(connection) != X509_V_OK) return result;
  read_names(certificate.get(), result);
  result.common_name = common_name_of(certificate.get());
  result.key_digest = key_digest_of(certificate.get());
  return result;
}

}  // namespace podfence::proxy
