#pragma once
// What `podfence doctor` sees of the host. It only looks; rules/doctor judges.

#include <string>

#include "rules/configuration.hpp"
#include "rules/doctor/facts.hpp"

namespace podfence::proxy {

struct DoctorPlaces {
  std::string upstream;  ///< Podman's socket
  std::string ledger;    ///< file
  std::string configuration_file;
};

rules::doctor::HostFacts look_at_host(const rules::Configuration& configuration, const DoctorPlaces& places);

}  // namespace podfence::proxy
