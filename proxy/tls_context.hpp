#pragma once
// OpenSSL's side of a control plane's listener: its settings, and who a client's certificate says it is.

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "rules/control.hpp"

namespace podfence::proxy {

/// TLS 1.3 only, without resumption, so that every connection shows its certificate anew; a client's is demanded, and
/// held against the authorities and their revocation lists. Throws std::runtime_error that names the file.
std::shared_ptr<boost::asio::ssl::context> make_tls_context(const rules::ControlListener& options);

/// Behind the handshake: the names of the certificate (RFC 5280 section 4.2.1.6) and its key's digest.
rules::Credentials credentials_of(SSL* connection);

}  // namespace podfence::proxy
