#pragma once
// Where podfence keeps its things when nobody says otherwise (XDG base directories).

#include <functional>
#include <string>
#include <string_view>

#include "rules/configuration.hpp"

namespace podfence::proxy {

class Places {
 public:
  /// Value of an environment variable, "" where there is none.
  using Environment = std::function<std::string(const char* name)>;

  explicit Places(Environment environment);
  static Places of_this_process();

  /// Each throws std::runtime_error with the way out when the environment names no place.
  std::string socket(std::string_view project) const;
  std::string state() const;
  /// The directory of the projects' directories, "" where there is no runtime directory.
  std::string sockets() const;
  /// Podman's own socket, as systemd's podman.socket makes it; "" where there is no runtime directory.
  std::string podman_socket() const;
  /// Of the service that podfence starts; no project's directory can have this name.
  std::string own_podman_socket() const;

  const Environment& environment() const { return environment_; }

  /// Of the user that podfence runs as, "" where nobody says.
  std::string home() const;
  /// $XDG_RUNTIME_DIR, or what is usual for the user; "" where there is none.
  std::string runtime() const;

  /// Every place of a configuration that is still "", but `upstream`.
  void fill(rules::Configuration& configuration) const;

 private:
  Environment environment_;
};

}  // namespace podfence::proxy
