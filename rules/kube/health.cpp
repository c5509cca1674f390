// A liveness probe as a health check: the command itself, or what Podman runs in the container in its place (curl, nc).

#include <algorithm>

#include "rules/kube/pod.hpp"
#include "rules/units.hpp"

namespace podfence::rules::kube {

namespace {

/// A number, or the name of a port of the container.
std::string port_of(const json::Value& handler, const json::Value& container) {
  const json::Value* port = handler.find("port");
  if (!port) return "0";
  if (port->number()) return port->number()->text;
  for (const auto& each : container.list("ports"))
    if (each.text("name") == *port->string()) return std::to_string(each.int64("containerPort").value_or(0));
  return *port->string();
}

std::string text_or(const json::Value& object, std::string_view member, std::string_view absent) {
  const auto text = object.text(member);
  return std::string(text.empty() ? absent : text);
}

json::Value shell(const std::string& command) {
  json::Value test = json::Value::array();
  test.push("CMD-SHELL");
  test.push(command + " || exit 1");
  return test;
}

json::Value test_of(const json::Value& probe, const json::Value& container) {
  if (const auto* exec = probe.find("exec")) {
    json::Value test = json::Value::array();
    test.push("CMD");
    for (const auto& word : exec->list("command")) test.push(word);
    return test;
  }
  if (const auto* get = probe.find("httpGet")) {
    const std::string scheme = get->text("scheme") == "HTTPS" ? "https" : "http";
    return shell("curl -f " + scheme + "://" + text_or(*get, "host", "localhost") + ":" + port_of(*get, container) +
                 text_or(*get, "path", "/"));
  }
  if (const auto* socket = probe.find("tcpSocket"))
    return shell("nc -z -v " + text_or(*socket, "host", "localhost") + " " + port_of(*socket, container));
  return {};
}

}  // namespace

json::Value health_check_of(const json::Value& container) {
  const json::Value* probe = container.find("livenessProbe");
  json::Value test = probe ? test_of(*probe, container) : json::Value();
  if (test.is_null()) return {};
  const auto number = [&](std::string_view member, std::int64_t absent) {
    return std::max<std::int64_t>(probe->int64(member).value_or(absent), 1);
  };
  json::Value check;
  check.set("Test", std::move(test));
  check.set("Interval", json::Value::integer(number("periodSeconds", 10) * second));
  check.set("Timeout", json::Value::integer(number("timeoutSeconds", 1) * second));
  check.set("Retries", json::Value::integer(number("failureThreshold", 3)));
  if (const auto delay = probe->int64("initialDelaySeconds"); delay && *delay > 0)
    check.set("StartPeriod", json::Value::integer(*delay * second));
  return check;
}

}  // namespace podfence::rules::kube
