// Header fields of upstream's answer that a client gets. Framing is written by the wire; everything else stays behind
// (X-Reference-Id is an address in the service's memory).

#include <algorithm>

#include "rules/answer.hpp"
#include "rules/ascii.hpp"

namespace podfence::rules {

namespace {

constexpr std::string_view passed[] = {
    "Api-Version",
    "Builder-Version",
    "Buildkit-Version",
    "Cache-Control",
    "Content-Type",
    "Docker-Experimental",
    "Libpod-Api-Version",
    "Libpod-Buildah-Version",
    "Ostype",
    "Pragma",
    "Server",
    "X-Docker-Container-Path-Stat",  // of a path inside the container
};

}  // namespace

Fields answer_fields(Fields upstream) {
  std::erase_if(upstream, [](const Field& field) {
    return std::ranges::none_of(passed, [&](std::string_view name) { return ascii::equal_caseless(name, field.name); });
  });
  return upstream;
}

}  // namespace podfence::rules
