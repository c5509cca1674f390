#pragma once
// What `podfence verify` tries through a project's socket: one row for each attempt. The runner is proxy/verify.cpp;
// what it tries it with, a decoy project's things, is in decoy.hpp, and judge.hpp says what came of it. docs/verify.md.

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace podfence::rules::verify {

/// What a sound answer is. In any case the decoy is as it was afterwards, and nothing new carries its label.
enum class Sound {
  Refused,   ///< 4xx, and nothing was made
  Absent,    ///< the very answer that a thing gets which is not there, and nothing was made
  Silent,    ///< served, and nothing of the decoy is told
  Confined,  ///< refused, or what was made is bound as `trait` says
};

/// What a container that was made has, past all that clients said.
enum class Trait {
  None,
  OwnLabel,         ///< the label of the project
  LoopbackPorts,    ///< no port on other addresses than those of the loopback
  NoNewPrivileges,  ///< set-user-id programs do nothing
  OtherVolumes,     ///< it mounts none of the decoy's; one that is called like it may be the project's own
  LittleMemory,     ///< /dev/shm within podfence's built-in bound
};

/// How the content of a request is made of the row's text.
enum class Form {
  Json,     ///< it is sent as JSON; "" for none
  Context,  ///< it is the Dockerfile in an archive
  Files,    ///< it is a file in an archive
  Upgrade,  ///< as Json, and Connection: Upgrade, Upgrade: tcp
  Bytes,    ///< the request is this text, to the byte
};

struct Probe {
  std::string_view family;
  std::string_view what;  ///< what is tried, a phrase for people
  std::string_view
      request;  ///< method and target; `{word}` stands for a value of the scene, queries are not encoded yet
  std::string_view content;
  Sound sound = Sound::Refused;
  std::string_view means = {};  ///< what a client can do if the answer is not sound
  Form form = Form::Json;
  Trait trait = Trait::None;
};
std::span<const Probe> probes();

/// What the words of a row stand for; what has no value has the reason.
struct Scene {
  std::map<std::string, std::string, std::less<>> values = {};
  std::map<std::string, std::string, std::less<>> missing = {};
  /// In place of the values of the decoy's things: names and ids of nothing.
  std::map<std::string, std::string, std::less<>> absent = {};

  /// The text with every word replaced.
  std::string filled(std::string_view text, bool with_absent = false) const;
  /// Why it cannot be: the reason for the first word without a value; "" if it can.
  std::string why_not(std::string_view text) const;
};

/// The bytes that a client sends.
std::string bytes_of(const Probe& probe, const Scene& scene, bool with_absent = false);
/// Its first line as people read it.
std::string shown(const Probe& probe, const Scene& scene);

/// Any request of the runner's own, as a row would have it: for the decoy's things.
std::string request_bytes(std::string_view request, std::string_view content, Form form, const Scene& scene,
                          bool with_absent = false);

/// Answers of podfence and of Podman may have the form of a tunnel.
inline bool may_upgrade(const Probe& probe) { return probe.form == Form::Upgrade || probe.form == Form::Bytes; }

}  // namespace podfence::rules::verify
