#pragma once
// The control plane's listeners: who may come in there, and for which projects they may speak. The key `control` of the
// configuration; docs/control-plane.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/json.hpp"

namespace podfence::rules {

/// Whom a listener lets in.
struct ControlIdentity {
  enum class By {
    User,        ///< uid of the process at the other end of a unix socket
    Uri,         ///< a URI among the certificate's subject alternative names
    Dns,         ///< likewise, a DNS name
    CommonName,  ///< of the certificate's subject
  } by = By::User;
  std::string name = {};
  std::vector<std::string> pins = {};      ///< base64 of SHA-256 of the public key (SPKI, RFC 7469); none: any key
  std::vector<std::string> projects = {};  ///< ids; with '*' at the end all that begin so

  /// For logs: "uri:spiffe://example/agent".
  std::string text() const;
  bool is_entitled(std::string_view project) const;
  /// Who may speak for one project only means that one; "" for others.
  std::string sole_project() const;
  friend bool operator==(const ControlIdentity&, const ControlIdentity&) = default;
};

struct ControlListener {
  std::string socket = {};  ///< path of a unix socket; "" for TLS
  // TLS 1.3 on TCP, with certificates on both sides
  std::string address = {};  ///< IP address
  std::uint16_t port = 0;
  std::string certificate = {};  ///< PEM files: our chain
  std::string key = {};
  std::string clients = {};  ///< the authorities that sign clients' certificates
  std::string revoked = {};  ///< their revocation lists; "" for none
  std::vector<ControlIdentity> identities = {};

  /// For logs and the audit: the path, or "address:port".
  std::string text() const;
  friend bool operator==(const ControlListener&, const ControlListener&) = default;
};

/// What is known of a client before it has said anything.
struct Credentials {
  std::optional<std::int64_t> uid = {};
  std::vector<std::string> uris = {};
  std::vector<std::string> dns_names = {};
  std::string common_name = {};
  std::string key_digest = {};  ///< SHA-256 of the public key (SPKI), 32 bytes
};

/// For people: "uri:spiffe://example/agent, common_name:agent".
std::string text_of(const Credentials& client);

/// The first identity that fits, nullptr for nobody who is known.
const ControlIdentity* identify(const ControlListener& listener, const Credentials& client);

struct ControlError {
  std::string where;  ///< JSON pointer from the list on
  std::string what;
};
/// The list has the form that the schema demands.
std::variant<std::vector<ControlListener>, ControlError> read_control(const json::Value& list);

}  // namespace podfence::rules
