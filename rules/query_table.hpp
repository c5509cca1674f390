#pragma once
// What every query parameter of every served endpoint is, and what becomes of it. query.cpp walks the table, and
// docs/endpoints.md prints it.

#include <span>
#include <string_view>

#include "rules/filters.hpp"
#include "rules/query.hpp"

namespace podfence::rules {

enum class ParameterType {
  Text,        ///< printable
  DetachKeys,  ///< likewise; podman --remote sends it in two spellings at once, which must say the same
  Path,        ///< a path inside a container: any text
  Boolean,
  Integer,
  Unsigned,
  Restarts,     ///< how often a container is started again, bounded as in a create
  StopSeconds,  ///< how long a container has to stop, bounded as in a create; less than 0: as long as may be
  Signal,       ///< SIGTERM, term, 15, RTMIN+3
  NewName,      ///< the name an object gets
  Renames,      ///< JSON object of strings
  PsArguments,  ///< options for ps, of which columns are made (process_columns.hpp); may be given more than once
  Interval,     ///< how often Podman looks: one number and its unit, "250ms"; never more often than ten times a second
  ArchiveFormat,  ///< of saved images
  Texts,          ///< may be given more than once
  TextList,       ///< JSON list of texts
  Containers,     ///< names of own containers; may be given more than once; all own running ones when absent
  Pods,           ///< names of own pods; likewise
  Filters,        ///< filters.hpp
};

enum class ParameterRule {
  Pass,
  Drop,       ///< accepted, never sent: it means nothing to Podman, or more than the client may say
  OnlyUnset,  ///< accepted where it says nothing (empty, false, 0), refused otherwise; never sent
  OnlyTrue,   ///< accepted where it is true, refused otherwise; never sent, as it is Podman's own default
  Force,      ///< `forced` is sent in any case
  Judged,     ///< read by the endpoint's own rules, which say what is sent (act/)
};

struct Parameter {
  std::string_view name;  ///< in Podman's spelling
  ParameterType type = ParameterType::Text;
  ParameterRule rule = ParameterRule::Pass;
  std::string_view forced = "";
};

std::span<const Parameter> parameters_of(Query query);
const FilterTable& filters_of(Query query);

}  // namespace podfence::rules
