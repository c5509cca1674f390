#include "proxy/page_fields.hpp"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <string>

#include "rules/operator/page.hpp"

namespace podfence::proxy {

namespace {

/// As a content security policy names a text: 'sha256-…', in base64.
std::string source_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> base64{};
  const int size = EVP_EncodeBlock(base64.data(), digest.data(), digest.size());
  return "'sha256-" + std::string(reinterpret_cast<const char*>(base64.data()), static_cast<std::size_t>(size)) + "'";
}

}  // namespace

rules::Fields page_fields() {
  const std::string policy = "default-src 'none'; connect-src 'self'; img-src data:; style-src " +
                             source_of(rules::page_style) + "; script-src " + source_of(rules::page_script) +
                             "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                             "require-trusted-types-for 'script'; trusted-types 'none'";
  return {{"Content-Security-Policy", policy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

}  // namespace podfence::proxy
