#pragma once
// A client's archive on its way into a container. Podman holds the container's lock from the request's head until it
// has seen how the archive begins (compat/containers_archive.go, copier), and lists of everybody wait for that lock: so
// the head goes upstream together with the beginning, and a client that stops before that stops nobody.

#include <string>

#include "proxy/request_content.hpp"

namespace podfence::proxy {

class BegunContent final : public ContentSource {
 public:
  explicit BegunContent(RequestContent& content) : content_(content) {}

  /// Waits for the beginning, or for all there is. False: it ended before it was complete.
  Task<bool> begin();

  Task<ContentPiece> next_piece() override;
  bool complete() const override { return content_.complete(); }
  rules::Deny failure() const override { return content_.failure(); }

 private:
  RequestContent& content_;
  std::string beginning_;
  bool given_ = false;
};

}  // namespace podfence::proxy
