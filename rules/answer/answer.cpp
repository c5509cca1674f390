#include "rules/answer.hpp"

#include "rules/answer/kube.hpp"
#include "rules/answer/rewrite.hpp"
#include "rules/shown_path.hpp"

namespace podfence::rules {

namespace {

bool is_object(const json::Value& document) { return document.members() != nullptr; }

bool rewrite(Answer answer, Exchange& exchange, json::Value& document) {
  using namespace answer;
  switch (answer) {
    case Answer::Containers:
      return rewrite_containers(exchange, document);
    case Answer::Pods:
      return rewrite_pods(exchange, document);
    case Answer::Volumes:
      return rewrite_volumes(exchange, document);
    case Answer::Networks:
      return rewrite_networks(exchange, document);
    case Answer::Images:
      return rewrite_images(exchange, document);
    case Answer::Container:
      return rewrite_container(exchange, document);
    case Answer::Network:
      return rewrite_network(exchange, document);
    case Answer::Image:
      return rewrite_image(exchange, document);
    case Answer::ImageHistory:
      return rewrite_image_history(exchange, document);
    case Answer::ImageTree:
      return rewrite_image_tree(exchange, document);
    case Answer::Secrets:
      return rewrite_secrets(exchange, document);
    case Answer::Removal:
      return rewrite_removal(exchange, document);
    case Answer::Info:
      return rewrite_info(exchange, document);
    case Answer::DiskUsage:
      return rewrite_disk_usage(exchange, document);
    case Answer::Pod:
    case Answer::Volume:
    case Answer::Secret:
    case Answer::Version:
      return is_object(document);
    case Answer::Bytes:
    case Answer::Hijack:
    case Answer::EventLines:
    case Answer::StatsLines:
    case Answer::ContainerStats:
    case Answer::PullLines:
    case Answer::BuildLines:
    case Answer::PushLines:
    case Answer::MadeImage:
    case Answer::MadeSecret:
    case Answer::KubeYaml:
    case Answer::ManifestLines:
      return false;  // these are not relayed as a whole
  }
  return false;
}

std::variant<std::string, Ask, Deny> rewrite_yaml(Exchange& exchange, std::string_view content) {
  auto text = answer::rewrite_generated(exchange, content);
  if (!text) return Deny{refusal("upstream.answer"), shown_path(exchange.request.target), Kind::None};
  if (!exchange.facts.complete()) return Ask{exchange.facts.take_open()};
  return *std::move(text);
}

}  // namespace

std::variant<std::string, Ask, Deny> rewrite_answer(Answer answer, Exchange& exchange, std::string_view content) {
  if (answer == Answer::KubeYaml) return rewrite_yaml(exchange, content);
  const auto* parts = answer::parts_of(answer, exchange.project);
  auto parsed = parts ? json::parse_parts(content, *parts, exchange.project.label_key)
                      : json::parse(content, json::answer_limits);
  auto* document = std::get_if<json::Value>(&parsed);
  if (!document || !rewrite(answer, exchange, *document))
    return Deny{refusal("upstream.answer"), shown_path(exchange.request.target), Kind::None};
  if (!exchange.facts.complete()) return Ask{exchange.facts.take_open()};
  answer::hide_host(exchange.project, answer, *document);
  answer::show_names(exchange.project, answer, *document);
  return json::write(*document, content.size() + 1) + "\n";
}

}  // namespace podfence::rules
