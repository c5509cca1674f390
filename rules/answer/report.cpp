// Reports of batches, in the form Podman's own prune and image removal have. What failed is left out of a prune's
// report: it stays, as if it had been in use (which it most likely is).

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "rules/answer.hpp"
#include "rules/answer/kube.hpp"
#include "rules/answer/scrub.hpp"
#include "rules/error_answer.hpp"
#include "rules/image_name.hpp"
#include "rules/image_removal.hpp"
#include "rules/manifest.hpp"
#include "rules/names.hpp"
#include "rules/query.hpp"

namespace podfence::rules {

namespace {

using Outcomes = std::vector<Outcome>;

bool succeeded(const Outcome& outcome) { return outcome.status >= 200 && outcome.status < 300; }

Reply reply(const json::Value& document) { return {200, "application/json", json::write(document) + "\n", {}}; }

/// {"ContainersDeleted":["…"],"SpaceReclaimed":0} or [{"Id":"…","Size":0}]; networks have no size.
struct PruneForm {
  Query query;
  std::string_view docker_list;
  std::string_view libpod_name;
  bool sized;
};
constexpr auto prune_forms = std::to_array<PruneForm>({
    {Query::ContainerPrune, "ContainersDeleted", "Id", true},
    {Query::VolumePrune, "VolumesDeleted", "Id", true},
    {Query::NetworkPrune, "NetworksDeleted", "Name", false},
    {Query::PodPrune, "", "Id", false},
});

Reply docker_prune(const Project& project, const PruneForm& form, const Outcomes& outcomes) {
  json::Value document, deleted = json::Value::array();
  for (const auto& outcome : outcomes)
    if (succeeded(outcome)) deleted.push(client_name(project, outcome.name));
  document.set(form.docker_list, std::move(deleted));
  if (form.sized) document.set("SpaceReclaimed", json::Value::integer(0));
  return reply(document);
}

Reply libpod_prune(const Project& project, const PruneForm& form, const Outcomes& outcomes) {
  json::Value document = json::Value::array();
  for (const auto& outcome : outcomes) {
    if (!succeeded(outcome)) continue;
    json::Value row;
    row.set(form.libpod_name, client_name(project, outcome.name));
    if (form.sized)
      row.set("Size", json::Value::integer(0));
    else
      row.set(form.query == Query::PodPrune ? "Err" : "Error", json::Value());
    document.push(std::move(row));
  }
  return reply(document);
}

/// What became of the images behind the removed names, as the project sees it: an image that it no longer holds is
/// deleted, whether or not it is still there for others.
struct Removed {
  std::vector<std::string> untagged;
  std::vector<std::string> deleted;
};

Removed removed(Exchange& exchange, const ImagesByName& images, const Outcomes& outcomes) {
  Removed result;
  std::set<std::string> deleted;
  for (const auto& outcome : outcomes) {
    if (!succeeded(outcome)) continue;
    if (!full_image_id(outcome.name)) result.untagged.push_back(outcome.name);
    const auto* image = images.find(outcome.name);
    if (!image) continue;
    const auto id = image_id_of(*image);
    if (!exchange.facts.ledger().holds_image(exchange.project.id, id) && deleted.insert(id).second)
      result.deleted.push_back(id);
  }
  return result;
}

/// [{"Deleted":"…"},{"Untagged":"…"}] (compat/images_remove.go).
json::Value docker_rows(const Removed& removed) {
  json::Value rows = json::Value::array();
  const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
    for (const auto& name : names) {
      json::Value row;
      row.set(what, name);
      rows.push(std::move(row));
    }
  };
  add("Deleted", removed.deleted);
  add("Untagged", removed.untagged);
  return rows;
}

std::string text_of_error(Exchange& exchange, const Outcome& outcome) {
  const auto error = json::parse(rewrite_error(exchange, outcome.status, outcome.content).content);
  const auto* document = std::get_if<json::Value>(&error);
  return document ? std::string(document->text("message")) : "";
}

/// Podman's exit codes for `rmi`: 1 all failures are absent images, 2 some image is in use, 125 other failures.
std::int64_t exit_code(const Outcomes& outcomes) {
  const auto any = [&](auto test) { return std::ranges::any_of(outcomes, test); };
  if (std::ranges::all_of(outcomes, succeeded)) return 0;
  if (any([](const Outcome& outcome) { return outcome.status == 409; })) return 2;
  return any([](const Outcome& outcome) { return !succeeded(outcome) && outcome.status != 404; }) ? 125 : 1;
}

/// {"Deleted":["…"],"Untagged":["…"],"ExitCode":0,"Errors":[]}; empty lists of names are left out.
json::Value libpod_removal(Exchange& exchange, const Removed& removed, const Outcomes& outcomes) {
  json::Value document, errors = json::Value::array();
  const auto add = [&](std::string_view member, const std::vector<std::string>& names) {
    json::Value list = json::Value::array();
    for (const auto& name : names) list.push(name);
    if (!names.empty()) document.set(member, std::move(list));
  };
  add("Deleted", removed.deleted);
  add("Untagged", removed.untagged);
  document.set("ExitCode", json::Value::integer(exit_code(outcomes)));
  for (const auto& outcome : outcomes)
    if (!succeeded(outcome)) errors.push(text_of_error(exchange, outcome));
  document.set("Errors", std::move(errors));
  return document;
}

/// Docker's form is that of removal, and libpod's that of every prune, with the image's size.
Reply image_prune(Exchange& exchange, const Outcomes& outcomes) {
  const ImagesByName images(images_before(exchange));
  const auto gone = removed(exchange, images, outcomes);
  const auto size_of = [&](const std::string& id) {
    const auto* image = images.find(id);
    const auto* size = image ? image->find("Size") : nullptr;
    return size ? size->int64().value_or(0) : 0;
  };
  json::Value rows = json::Value::array();
  std::int64_t total = 0;
  for (const auto& id : gone.deleted) {
    json::Value row;
    row.set("Id", id);
    row.set("Size", json::Value::integer(size_of(id)));
    rows.push(std::move(row));
    total += size_of(id);
  }
  if (exchange.match.endpoint->family == Family::Libpod) return reply(rows);
  json::Value document;
  document.set("ImagesDeleted", docker_rows(gone));
  document.set("SpaceReclaimed", json::Value::integer(total));
  return reply(document);
}

/// The words of a batch that name no image of the project, so that nothing was done about them. Podman's words for an
/// absent one.
Outcomes absent_of_batch(Exchange& exchange, const ImagesByName& images, const Outcomes& outcomes) {
  std::set<std::string> done;
  for (const auto& outcome : outcomes)
    if (const auto* image = images.find(outcome.name)) done.insert(image_id_of(*image));
  Outcomes absent;
  const bool lists = asks_for_manifests(exchange);
  for (const auto& name : values_of(exchange.request.target, "images")) {
    const auto* fact = lists ? nullptr : exchange.facts.find(Kind::Image, name);
    if (lists && std::ranges::any_of(outcomes, [&](const Outcome& each) { return may_mean(name, each.name); }))
      continue;
    if (!fact || !done.contains(fact->id))
      absent.push_back({name, 404, write_error(404, "image not known", name + ": image not known").content});
  }
  return absent;
}

Reply image_removal(Exchange& exchange, Outcomes outcomes) {
  const auto& endpoint = *exchange.match.endpoint;
  const auto failed = std::ranges::find_if_not(outcomes, succeeded);
  // One image: nothing of it went, so the answer is the error. A batch always has a report.
  if (endpoint.act == Act::ImageRemove && failed != outcomes.end() && std::ranges::none_of(outcomes, succeeded))
    return rewrite_error(exchange, failed->status, failed->content);
  const ImagesByName images(images_before(exchange));
  if (endpoint.act == Act::ImageBatchRemove && !is_said(exchange, "ignore", false))
    std::ranges::move(absent_of_batch(exchange, images, outcomes), std::back_inserter(outcomes));
  const auto gone = removed(exchange, images, outcomes);
  return reply(endpoint.family == Family::Docker ? docker_rows(gone) : libpod_removal(exchange, gone, outcomes));
}

/// Podman answers an empty line.
Reply untagging(Exchange& exchange, const Outcomes& outcomes) {
  const auto failed = std::ranges::find_if_not(outcomes, succeeded);
  if (failed != outcomes.end()) return rewrite_error(exchange, failed->status, failed->content);
  return {201, "text/plain; charset=us-ascii", "\n", {}};
}

Reply secret_removal(Exchange& exchange, const Outcome& outcome) {
  if (!succeeded(outcome)) return rewrite_error(exchange, outcome.status, outcome.content);
  return {204, "", "", {}};
}

}  // namespace

Reply report(Exchange& exchange, const std::vector<Outcome>& outcomes) {
  const auto& endpoint = *exchange.match.endpoint;
  if (endpoint.act == Act::SecretRemove) return secret_removal(exchange, outcomes.front());
  if (endpoint.act == Act::KubePlay) return answer::play_report(exchange, outcomes);
  if (endpoint.act == Act::KubeDown) return answer::down_report(exchange, outcomes);
  if (endpoint.act == Act::ImageUntag) return untagging(exchange, outcomes);
  const auto form = std::ranges::find(prune_forms, endpoint.query, &PruneForm::query);
  if (form != prune_forms.end())
    return endpoint.family == Family::Docker ? docker_prune(exchange.project, *form, outcomes)
                                             : libpod_prune(exchange.project, *form, outcomes);
  return endpoint.act == Act::Prune ? image_prune(exchange, outcomes) : image_removal(exchange, outcomes);
}

}  // namespace podfence::rules
