#pragma once
// Heads of messages as the proxy understands them, after everything that could be read in two ways was refused.

#include <cstdint>
#include <string>

#include "rules/field.hpp"
#include "rules/method.hpp"

namespace podfence::proxy {

/// How the end of a message's content is known (RFC 9112 section 6.3).
struct Framing {
  enum class Kind { None, Sized, Chunked, UntilClose } kind = Kind::None;
  std::uint64_t size = 0;  ///< of Sized

  static Framing sized(std::uint64_t size) { return {Kind::Sized, size}; }
  static Framing chunked() { return {Kind::Chunked, 0}; }
  static Framing until_close() { return {Kind::UntilClose, 0}; }
  bool has_content() const { return kind != Kind::None && !(kind == Kind::Sized && size == 0); }
};

struct RequestHead {
  rules::Method method = rules::Method::Get;
  std::string target;         ///< as sent; rules::parse_target reads it
  std::string host;           ///< a name and a port, as sent; for those who serve browsers
  std::string registry_auth;  ///< X-Registry-Auth or X-Registry-Config, "" if none
  std::string project;        ///< X-Appx-Project, "" if none: counts on the control plane's listeners only
  Framing content;
  bool keep_alive = true;
  bool upgrade = false;  ///< exactly Connection: Upgrade and Upgrade: tcp
  bool expects_continue = false;
};

struct AnswerHead {
  int status = 0;
  rules::Fields fields;
  Framing content;
  bool keep_alive = true;
};

}  // namespace podfence::proxy
