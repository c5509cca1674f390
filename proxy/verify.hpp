#pragma once
// The run of `podfence verify`: makes the decoy, tries the probes of rules/verify one after the other, looks at Podman
// after each, and removes everything that it or a probe has made.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "proxy/connection.hpp"
#include "rules/verify/decoy.hpp"
#include "rules/verify/report.hpp"
#include "rules/verify/survey.hpp"

namespace podfence::proxy {

struct VerifySettings {
  std::string socket;    ///< of the project that is audited
  std::string upstream;  ///< Podman's
  std::string admin;     ///< the operator's; "" for none: the decoy is nobody's project then
  std::string project;
  std::string label;
  std::string image;  ///< that the project may use; "" for one that is made
};

class Verifier {
 public:
  using Tell = std::function<void(const rules::verify::Outcome&)>;

  /// `random`: at least 64 hexadecimal digits.
  Verifier(VerifySettings settings, const std::string& random, Tell tell);

  /// All probes. Throws std::runtime_error where none can be tried, or Podman cannot be asked any more.
  Task<void> run();
  /// Always behind run(), however that ended. Notes in the report what is left.
  Task<void> clean_up();
  rules::verify::Report& report() { return report_; }

 private:
  using Things = std::vector<rules::verify::Thing>;

  Task<rules::verify::Answer> ask(const std::string& socket, std::string_view request, std::string_view content = {},
                                  rules::verify::Form form = rules::verify::Form::Json);
  Task<std::string> make(const rules::verify::Piece& piece, std::string socket);
  Task<void> make_decoy();
  Task<void> make_decoy(const rules::verify::Piece& piece);
  Task<void> make_own();
  Task<void> check_same_podman();
  Task<std::vector<rules::verify::Facts>> look(const rules::verify::Piece& piece);
  Task<void> try_out(const rules::verify::Probe& probe);
  Task<rules::verify::Observed> carry_out(const rules::verify::Probe& probe);
  Task<void> put_right(const rules::verify::Observed& observed);
  Task<void> note_state();
  Task<void> list(const rules::verify::KindRow& kind, std::string_view request, std::string prefix, Things& things);
  Task<Things> survey(std::string prefix);
  Task<Things> claiming();
  Task<void> remove(Things things);
  Task<void> remove_left_projects();
  Task<void> remove_own_images();

  VerifySettings settings_;
  Tell tell_;
  rules::verify::Scene scene_;
  rules::verify::Report report_;
  std::string decoy_socket_;
  std::map<const rules::verify::Piece*, std::vector<rules::verify::Facts>> facts_;
  Things there_, claiming_there_;  ///< before a probe
};

}  // namespace podfence::proxy
