#pragma once
// What the rules can say about a request. See decide.hpp for who says it and when.

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/field.hpp"
#include "rules/kind.hpp"
#include "rules/method.hpp"
#include "rules/policy.hpp"
#include "rules/refusal.hpp"

namespace podfence::rules {

/// A request that we write for upstream. The wire adds Host and framing, nothing else.
struct UpstreamRequest {
  Method method = Method::Get;
  std::string target;                          ///< origin-form, canonical
  Fields fields;                               ///< Content-Type and the like; never a client's field as it came
  std::optional<std::string> content;          ///< nullopt: none, or the client's content where the row streams it
  std::vector<std::string> confidential = {};  ///< values in the content (JSON pointers, "" is all of it): not shown
  bool once = false;                           ///< it changes something, whatever its method: never sent twice
};

/// A fact the rules need. `kind` and `name` are the client's words; of a list `name` is the filters. Mounts: the names
/// of the volumes that own containers mount. Count: everything of that kind that the project has, to compare it with a
/// quota; nobody may add to it until the decision. Version: the engine's.
struct Question {
  enum class Ask { Object, List, Mounts, Count, Version } ask = Ask::Object;
  Kind kind = Kind::None;
  std::string name;
  friend auto operator<=>(const Question&, const Question&) = default;
};

/// Facts are missing: learn them and decide again.
struct Ask {
  std::vector<Question> questions;
};

/// Refused, or hidden as if absent (rule->hidden; then subject is the name and kind says of what).
struct Deny {
  const Refusal* rule = nullptr;
  std::string subject;  ///< fills `{}` in the sentence
  Kind kind = Kind::None;
  std::string way_out = {};  ///< what to do in this very case; "" means what the rule says
  std::string policy = {};   ///< key of the policy that decided this very case; "" means what the rule says
};

/// Foreign and missing alike.
Deny hidden(Kind kind, std::string_view name);

/// A change of the ledger. OwnTag is for a name of a registry, which several projects can have pulled; MakeTag for one
/// that the project gave itself, which is its alone; DropTag ends both. RenewCacheKey: the key has left the project.
struct Claim {
  enum class Change { HoldImage, DropImage, OwnTag, MakeTag, DropTag, HoldSecret, DropSecret, RenewCacheKey } change;
  std::string what = {};  ///< image id (64 hex), normalised tag, or id of a secret
};

/// The proxy answers without upstream. An empty content with status 204 has no content type.
struct Reply {
  int status = 200;
  std::string content_type = "application/json";
  std::string content;
  std::vector<Claim> claims;  ///< applied to the ledger before the answer
};

/// A volume that has to exist, labelled, before the request is sent. Made if missing, read back, and refused as hidden
/// if it turns out to be another project's; removed again when the request fails and this exchange made it.
struct NewVolume {
  std::string name;
};

/// The project's own network, for containers that name none. Made like a volume, and kept.
struct NewNetwork {
  std::string name;
  bool internal = false;  ///< no way out of it
};

/// A workspace that is mounted, or a path below one. It must be there, and no part of its path a symbolic link, when
/// the request is sent: Podman would make a missing directory, and follow a link.
struct HostSource {
  std::string root;         ///< the workspace
  std::string below;        ///< a file or directory in it; "" for the workspace itself
  std::string client_path;  ///< for the refusal
  friend auto operator<=>(const HostSource&, const HostSource&) = default;
};
inline std::string host_path_of(const HostSource& source) {
  return source.below.empty() ? source.root : source.root + "/" + source.below;
}

/// A volume of podfence's own over a workspace (workspace_volume.hpp). Made on demand, looked at before each use.
struct WorkspaceVolume {
  std::string name;
  std::string host;
  bool read_only = false;
};

/// What a request adds to what its project has.
struct Use {
  Resource resource;
  std::int64_t amount = 1;
};

/// By clean names; nullopt: left out.
using WrittenMembers = std::map<std::string, std::optional<std::string>>;

/// A name that stood for that object when it was judged, and that is sent because the name itself matters. Looked at
/// again when upstream has answered: if it stands for another one by then, nothing of the answer is passed on.
struct Steady {
  Kind kind;
  std::string name;
  std::string id;
};

/// What has to be there before something is sent.
struct Needs {
  std::set<HostSource> sources;
  std::vector<WorkspaceVolume> workspace_volumes;  ///< to be made
  std::vector<NewVolume> volumes;
  std::vector<NewNetwork> networks;
};

/// One request goes upstream; its answer goes back through the row's answer rule.
struct Forward : Needs {
  UpstreamRequest request;
  WrittenMembers members;  ///< of the client's archive, to be written instead of its own or beside them
  std::vector<Steady> steady = {};
  std::vector<Claim> before;      ///< applied to the ledger before the request is sent
  std::vector<Claim> on_failure;  ///< applied when upstream does not answer, or with an error
  std::vector<Use> uses;          ///< has been compared with the quotas; to be noted at once (usage.hpp)
};

/// Several requests, one after the other; the report is made from what they answered (answer.hpp).
struct Batch {
  struct Item {
    UpstreamRequest request;
    std::string name;               ///< what the report calls it
    std::vector<Claim> on_success;  ///< applied when upstream answers 2xx; may be about what was made (made_object.hpp)
    bool ledger_only = false;       ///< nothing is sent: the outcome is 200 without content, the claims are applied
    /// The earlier item that makes the object which this one is about: its id is not known yet (made_object.hpp).
    std::optional<std::size_t> about = {};
    std::optional<UpstreamRequest> undo = {};  ///< takes back what was made, by its own id
    bool may_fail = false;
    std::vector<Claim> on_undo = {};  ///< applied when that was answered by 2xx, as on_success
  };
  std::vector<Item> items;
  /// All or nothing: the first that fails ends it, and what was made is taken back, the latest first.
  bool together = false;
  Needs needs = {};            ///< of those that go together
  std::vector<Use> uses = {};  ///< as of a Forward
};

/// An image that has to be here first. It is pulled as if the client had asked for that in a request of its own; then
/// it is decided again, and the image is not asked for a second time (Facts::was_fetched).
struct Fetch {
  std::string reference;      ///< normalised
  std::string registry_auth;  ///< as the client sent it, "" if it sent none
  bool newer = false;         ///< also when it is here
};

using Decision = std::variant<Ask, Deny, Reply, Forward, Batch, Fetch>;

/// nullptr where nothing is sent.
inline const Needs* needs_of(const Decision& decision) {
  if (const auto* forward = std::get_if<Forward>(&decision)) return forward;
  const auto* batch = std::get_if<Batch>(&decision);
  return batch ? &batch->needs : nullptr;
}
inline const std::vector<Use>* uses_of(const Decision& decision) {
  if (const auto* forward = std::get_if<Forward>(&decision)) return &forward->uses;
  const auto* batch = std::get_if<Batch>(&decision);
  return batch ? &batch->uses : nullptr;
}

}  // namespace podfence::rules
