#pragma once
// SHA-256 (FIPS 180-4) of content that comes in pieces.

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace podfence::proxy {

class Sha256 {
 public:
  Sha256();
  void add(std::string_view piece);
  /// Of everything that was added: 64 hexadecimal digits. Once.
  std::string digits();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace podfence::proxy
