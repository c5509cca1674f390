#pragma once
// The objects of the fake Podman and its ordinary answers about them: inspect, list, create, remove, version, ping, in
// the shapes of Podman 4.3.1. Filters are ignored, as the real engine does when one least expects it. Pure values; who
// shares it among threads locks it.

#include <string>
#include <string_view>
#include <vector>

#include "rules/kind.hpp"

namespace podfence::testing {

struct FakeObject {
  rules::Kind kind = rules::Kind::None;
  std::string id;
  std::string name;     ///< of an exec session: the id of its container
  std::string project;  ///< value of the project label; "" for no label
};

/// A complete answer with Content-Length and the fields Podman always sends.
std::string http_answer(int status, std::string_view content, std::string_view content_type = "application/json");
/// Podman's error shape.
std::string error_content(int status, std::string_view message);

class FakeObjects {
 public:
  /// Returns the full id that it makes up; of a volume the name.
  std::string add(rules::Kind kind, std::string name, std::string project);
  const FakeObject* find(rules::Kind kind, std::string_view name) const;

  std::string answer(std::string_view method, std::string_view target, std::string_view content);

 private:
  std::string collection(std::string_view method, std::string_view family, rules::Kind kind, std::string_view verb,
                         std::string_view query, std::string_view content);
  std::string single(std::string_view method, rules::Kind kind, std::string_view name, std::string_view verb);
  std::string create(std::string_view family, rules::Kind kind, std::string_view query, std::string_view content);
  std::string list(std::string_view family, rules::Kind kind) const;

  std::vector<FakeObject> objects_;
  unsigned made_ = 0;
};

}  // namespace podfence::testing
