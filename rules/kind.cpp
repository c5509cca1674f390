#include "rules/kind.hpp"

namespace podfence::rules {

std::string_view text(Kind kind) {
  switch (kind) {
    case Kind::None:
      return "object";
    case Kind::Container:
      return "container";
    case Kind::Pod:
      return "pod";
    case Kind::Volume:
      return "volume";
    case Kind::Network:
      return "network";
    case Kind::Image:
      return "image";
    case Kind::Exec:
      return "exec session";
    case Kind::Secret:
      return "secret";
    case Kind::Manifest:
      return "manifest list";
  }
  return {};
}

}  // namespace podfence::rules
