#include "proxy/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

#include "proxy/hexadecimal.hpp"

namespace podfence::proxy {

namespace {

void check(int result) {
  if (result != 1) throw std::runtime_error("OpenSSL has no SHA-256");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) { check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

void Sha256::add(std::string_view piece) { check(EVP_DigestUpdate(context_.get(), piece.data(), piece.size())); }

std::string Sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size));
  return hexadecimal(std::span(bytes).first(size));
}

}  // namespace podfence::proxy
