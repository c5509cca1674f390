#pragma once
// The things that `podfence verify` makes to try its probes with: those of a decoy project, which must stay as they are
// and hidden, and some of the audited project's own, which show that it may make such things at all. Every one has a
// name that begins with `podfence-verify-` and random digits, so that what a killed run left is found again.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/json.hpp"
#include "rules/verify/probe.hpp"

namespace podfence::rules::verify {

inline constexpr std::string_view run_prefix = "podfence-verify-";
/// `digits`: random, hexadecimal.
std::string run_name(std::string_view digits);

/// A request, and what is learned of its answer.
struct Step {
  std::string_view request;
  std::string_view content = {};
  Form form = Form::Json;
  std::string_view word = {};     ///< the value at `pointer` becomes the value of this word
  std::string_view pointer = {};  ///< JSON pointer
};

/// What Podman tells of a thing, and what of that must stay.
struct Look {
  std::string_view request;
  std::array<std::string_view, 6> facts;  ///< JSON pointers
};

struct Piece {
  std::string_view what;
  std::array<Step, 4> make;               ///< those with a request, in this order
  std::array<Look, 2> looks;              ///< at Podman; likewise
  std::string_view remove;                ///< at Podman, before it is made anew
  std::array<std::string_view, 4> words;  ///< that have no value when it cannot be made
};
/// Of the decoy.
std::span<const Piece> decoy_pieces();
/// Of the audited project.
std::span<const Piece> own_pieces();

/// The words that need nothing to be made. `random`: hexadecimal digits, at least 64.
Scene first_scene(const std::string& run, std::string_view label, std::string_view project, std::string_view random);

/// False: the answer does not say it.
bool learn(Scene& scene, const Step& step, std::string_view content);
/// The words of a piece that could not be made.
void lose(Scene& scene, const Piece& piece, const std::string& reason);

/// What must stay, by what it is: "/State/Status" -> "\"running\"". Empty when the thing is not there.
using Facts = std::vector<std::pair<std::string, std::string>>;
Facts facts_of(const Look& look, int status, std::string_view content);
/// "the decoy's pod: /State was \"Running\", is \"Exited\"". Empty when nothing changed.
std::vector<std::string> changes(const Piece& piece, const Facts& before, const Facts& now);

/// Of the operator's answers: where a project's clients connect ("" for nowhere), and the projects that runs have left.
std::string socket_in(std::string_view content);
std::vector<std::string> runs_in(std::string_view content);

/// Names and ids of the decoy's things: what no answer may tell. A text of twelve digits stands for an id.
std::vector<std::string> canaries(const Scene& scene);

}  // namespace podfence::rules::verify
