#include "rules/operator/decision_event.hpp"

#include <doctest/doctest.h>

#include <set>

#include "rules/endpoint_class.hpp"
#include "rules/operator/page.hpp"

using namespace podfence::rules;

namespace {

AuditRecord denial() {
  AuditRecord record;
  record.time = "2026-11-30T10:00:20.114Z";
  record.project = "p1";
  record.method = "POST";
  record.target = "/v1.41/containers/create";
  record.decision = "refuse";
  record.rule = "mount.host-path";
  record.subject = "/etc<script>alert(1)</script>\x01";
  record.way_out = "use a named volume";
  record.policy = "workspace";
  record.status = 403;
  record.duration_us = 1500;
  record.own_us = 300;
  record.upstream_us = 1100;
  return record;
}

auto wanted(std::string_view target) {
  return wanted_decisions(std::get<OperatorCall>(operator_call(Method::Get, target)), 200);
}

DecisionFilter filter(std::string_view target) { return std::get<WantedDecisions>(wanted(target)).filter; }

}  // namespace

TEST_CASE("a decision tells the reason, the way out, and where the policy stands") {
  const auto event = decision_event(denial(), PolicyPlace{"", 7, "/projects/p1/workspace", false});
  CHECK(event.text("sentence") == R"(a path of the host cannot be mounted: /etc<script>alert(1)</script>\x01)");
  CHECK(event.text("way_out") == "use a named volume");
  CHECK(event.text("policy") == "workspace");
  CHECK(json::write(*event.find("place")) == R"({"line":7,"where":"/projects/p1/workspace","stands":false})");
  CHECK(event.int64("own_us") == 300);
  CHECK(event.int64("upstream_us") == 1100);
  CHECK(event.text("rule") == "mount.host-path");
}

TEST_CASE("a hidden object is told apart from a refusal, and an allowed request has no reason") {
  auto record = denial();
  record.rule = "ownership.hidden";
  record.subject = "db";
  CHECK(decision_event(record, std::nullopt).text("sentence") ==
        "the client reads that it does not exist, as it reads of what is not its own: db");
  record.rule.clear();
  record.way_out.clear();
  record.policy.clear();
  record.own_us = -1;
  const auto event = decision_event(record, std::nullopt);
  for (const auto* name : {"sentence", "way_out", "policy", "place", "own_us"}) CHECK(event.find(name) == nullptr);
}

TEST_CASE("decisions as lines for people") {
  const auto event = decision_event(denial(), PolicyPlace{"/etc/pf/builder.json", 3, "/workspace", true});
  const auto text = event_text(event);
  CHECK(text.starts_with("event: decision\ndata: {"));
  CHECK(text.ends_with("}\n\n"));
  const auto data = text.substr(text.find("data: "), text.size() - text.find("data: ") - 2);
  CHECK(decision_line(data, false) ==
        "2026-11-30T10:00:20.114Z p1              refuse  403 1 ms    POST /v1.41/containers/create\n"
        "    rule     mount.host-path\n"
        "    reason   a path of the host cannot be mounted: /etc<script>alert(1)</script>\\x01\n"
        "    way out  use a named volume\n"
        "    policy   workspace, /etc/pf/builder.json:3: /workspace\n");
  CHECK(decision_line(data, true) == json::write(event) + "\n");
  CHECK(decision_line("event: decision", false).empty());
  CHECK(decision_line(": nothing", false).empty());
  CHECK(decision_line("data: {\"lost\":12}", false) == "(12 more, too fast to be told)\n");
  CHECK(lost_event_text(12) == "event: lost\ndata: {\"lost\":12}\n\n");
}

TEST_CASE("decisions are chosen by project, decision and rule or family of rules") {
  const auto record = denial();
  for (const auto* wanted : {"/decisions", "/decisions?project=p1", "/decisions?project=p2,p1&decision=hide,refuse",
                             "/decisions?rule=mount", "/decisions?rule=mount.host-path"})
    CHECK_MESSAGE(filter(wanted).takes(record), wanted);
  for (const auto* unwanted : {"/decisions?project=p10", "/decisions?decision=allow", "/decisions?rule=mount.handed-on",
                               "/decisions?project=p1&rule=port"})
    CHECK_MESSAGE(!filter(unwanted).takes(record), unwanted);
}

TEST_CASE("how many earlier decisions are wanted") {
  CHECK(std::get<WantedDecisions>(wanted("/decisions")).recent == 0);
  CHECK(std::get<WantedDecisions>(wanted("/decisions?recent=200")).recent == 200);
  for (const auto* bad :
       {"/decisions?recent=201", "/decisions?recent=-1", "/decisions?recent=2x", "/decisions?recent=x"})
    CHECK(std::get<Deny>(wanted(bad)).rule == refusal("query.value"));
}

TEST_CASE("who waits for a decision or a rule that there is not is told so") {
  const auto told = [](std::string_view target) {
    const auto deny = std::get<Deny>(wanted(target));
    CHECK(deny.rule == refusal("query.value"));
    return deny.subject;
  };
  CHECK(told("/decisions?decision=refuse,denied") == "decision, some of allow, rewrite, hide, refuse, error: denied");
  for (const auto* rule : {"moun", "mount.host", "host-path", "mount."}) {
    CHECK(told(std::string("/decisions?rule=mount.host-path,").append(rule)) ==
          std::string("rule, some of docs/refusals.md or what stands before their dots: ").append(rule));
  }
}

TEST_CASE("only what the page needs is let through to it, and none of it changes anything") {
  std::set<std::string_view> paths;
  for (const auto& row : operator_rows()) {
    if (!row.of_page) continue;
    CHECK(row.method == Method::Get);
    paths.insert(row.path);
  }
  CHECK(paths == std::set<std::string_view>{"/", "/projects", "/projects/{id}", "/history", "/decisions"});
  CHECK(std::get<OperatorCall>(operator_call(Method::Get, "/")).row->action == OperatorAction::Page);
}

TEST_CASE("the page is one document that cannot make markup of a text") {
  CHECK(page.find("<style>" + std::string(page_style) + "</style>") != std::string_view::npos);
  CHECK(page.find("<script>" + std::string(page_script) + "</script>") != std::string_view::npos);
  for (const auto* word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
                           "@STYLE@", "http://", "https://", "srcdoc", "setAttribute(\"on"}) {
    auto text = std::string(page);
    for (std::size_t at; (at = text.find("http://www.w3.org/2000/svg")) != std::string::npos;) text.erase(at, 26);
    CHECK_MESSAGE(text.find(word) == std::string::npos, word);
  }
}

TEST_CASE("classes of endpoints are few, and every row has one") {
  const std::set<std::string_view> acts{"read", "create", "change", "remove", "stream", "none"};
  std::set<std::string_view> groups;
  for (const auto& row : endpoints()) {
    CHECK_MESSAGE(acts.contains(act_of(row)), std::string(row.path));
    groups.insert(group_of(row));
  }
  CHECK(groups.size() < 50);
  const auto class_of = [](Method method, std::string_view target) {
    const auto parsed = std::get<Target>(parse_target(target));
    const auto& row = *std::get<Match>(route(method, parsed)).endpoint;
    return std::string(group_of(row)) + " " + std::string(act_of(row));
  };
  CHECK(class_of(Method::Post, "/v1.41/containers/create") == "containers create");
  CHECK(class_of(Method::Post, "/v4.0.0/libpod/containers/create") == "containers create");
  CHECK(class_of(Method::Get, "/v1.41/containers/web/json") == "containers read");
  CHECK(class_of(Method::Post, "/v1.41/containers/web/start") == "containers change");
  CHECK(class_of(Method::Get, "/v4.0.0/libpod/containers/web/healthcheck") == "containers change");
  CHECK(class_of(Method::Post, "/v1.41/containers/web/wait") == "containers stream");
  CHECK(class_of(Method::Post, "/v1.41/containers/prune") == "containers remove");
  CHECK(class_of(Method::Delete, "/v1.41/volumes/data") == "volumes remove");
  CHECK(class_of(Method::Get, "/v1.41/events") == "events stream");
  CHECK(class_of(Method::Post, "/v1.41/build") == "build create");
  CHECK(class_of(Method::Post, "/v4.0.0/libpod/play/kube") == "play create");
  CHECK(class_of(Method::Post, "/v1.41/swarm/init") == "swarm none");
}
