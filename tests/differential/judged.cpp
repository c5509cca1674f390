// What podfence judged, and what it would send: one line per message to Podman, for another reader of the same bytes
// (compare/). Requests come from files, and are made up from those.
//
//   judged COUNT SEED PATH...
//
// Lines have columns, separated by tabs; what is not ASCII by nature is in base64 (RFC 4648 section 5). README.md tells
// them. The reading is podfence's own, of the bytes that are sent.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>

#include "proxy/replay.hpp"
#include "proxy/replay_inputs.hpp"
#include "proxy/upstream.hpp"
#include "rules/base64.hpp"
#include "rules/body/table.hpp"
#include "rules/image_name.hpp"
#include "rules/refusal.hpp"
#include "tests/differential/generate.hpp"

namespace podfence::differential {
namespace {

using namespace rules;

void line(std::initializer_list<std::string> columns) {
  std::string text;
  for (const auto& column : columns) text.append(&column == columns.begin() ? "" : "\t").append(column);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string number(std::size_t value) { return std::to_string(value); }
std::string code(std::string_view bytes) { return encode_base64(bytes); }

/// In the order of the table: `row METHOD PATH BODY QUERY`.
void write_rows() {
  for (const auto& row : endpoints())
    if (!row.refusal)
      line({"row", std::string(text(row.method)), std::string(row.path), number(static_cast<std::size_t>(row.body)),
            number(static_cast<std::size_t>(row.query))});
}

/// `field BODY PATH SHAPE`.
void write_fields() {
  constexpr std::string_view shapes[] = {"text",           "boolean",      "integer", "unsigned",
                                         "text-or-number", "text-or-list", "object",  "any"};
  for (const auto& table : tables())
    for (const auto& part : table.parts)
      for (const auto& row : part.rows)
        line({"field", number(static_cast<std::size_t>(table.body)), std::string(part.prefix) + std::string(row.path),
              std::string(shapes[static_cast<std::size_t>(row.shape)])});
}

std::string type_of(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Boolean:
      return "boolean";
    case ParameterType::Integer:
    case ParameterType::StopSeconds:
      return "integer";
    case ParameterType::Unsigned:
      return "unsigned";
    case ParameterType::PsArguments:
    case ParameterType::Texts:
    case ParameterType::Containers:
    case ParameterType::Pods:
      return "texts";
    default:
      return "text";
  }
}

/// `parameter QUERY NAME TYPE`.
void write_parameters() {
  std::set<Query> written;
  for (const auto& row : endpoints())
    if (!row.refusal && written.insert(row.query).second)
      for (const auto& parameter : parameters_of(row.query))
        line({"parameter", number(static_cast<std::size_t>(row.query)), std::string(parameter.name),
              type_of(parameter)});
}

/// A value as tokens: `{`, `}`, `[`, `]`, `k` and `s` with a text, `n` with a number, `t`, `f`, `z`.
void add_tokens(const json::Value& value, std::string& tokens) {
  const auto add = [&](std::string_view token) { tokens.append(tokens.empty() ? "" : ",").append(token); };
  if (value.is_null()) add("z");
  if (const auto* boolean = value.boolean()) add(*boolean ? "t" : "f");
  if (const auto* number = value.number()) add("n" + number->text);
  if (const auto* string = value.string()) add("s" + code(*string));
  if (const auto* items = value.items()) {
    add("[");
    for (const auto& item : *items) add_tokens(item, tokens);
    add("]");
  }
  if (const auto* members = value.members()) {
    add("{");
    for (const auto& [name, member] : *members) {
      add("k" + code(name));
      add_tokens(member, tokens);
    }
    add("}");
  }
}

struct Parts {
  std::string_view method, target, content;
  std::vector<std::string_view> fields;  ///< "Host: d"
};

/// Of bytes that podfence has written.
Parts parts_of(std::string_view message) {
  Parts parts;
  const auto end = message.find("\r\n\r\n");
  parts.content = message.substr(end + 4);
  for (auto head = message.substr(0, end + 2); !head.empty();) {
    const auto line_end = head.find("\r\n");
    parts.fields.push_back(head.substr(0, line_end));
    head.remove_prefix(line_end + 2);
  }
  const auto start = parts.fields.front();
  parts.fields.erase(parts.fields.begin());
  parts.method = start.substr(0, start.find(' '));
  parts.target = start.substr(parts.method.size() + 1, start.rfind(' ') - parts.method.size() - 1);
  return parts;
}

template <class Items, class Make>
std::string joined(const Items& items, Make make) {
  std::string result;
  for (const auto& item : items) result.append(result.empty() ? "" : ",").append(make(item));
  return result;
}

/// `message ORIGIN METHOD PATH-OF-ROW NAME VERSION QUERY LENGTH FIELDS TOKENS BYTES`.
void write_message(std::string_view origin, const std::string& message) {
  const Parts parts = parts_of(message);
  const auto parsed = parse_target(parts.target);
  const auto* target = std::get_if<Target>(&parsed);
  if (!target) throw std::logic_error("podfence does not take its own target: " + std::string(parts.target));
  const auto routed = route(*parse_method(parts.method), *target);
  const auto* match = std::get_if<Match>(&routed);
  if (!match) throw std::logic_error("podfence does not know its own path: " + std::string(parts.target));
  std::string tokens;
  const bool is_archive = std::ranges::find(parts.fields, "Content-Type: application/x-tar") != parts.fields.end();
  if (!parts.content.empty() && !is_archive && match->endpoint->body != Body::Secret) {
    const auto content = json::parse(parts.content);
    const auto* value = std::get_if<json::Value>(&content);
    if (!value) throw std::logic_error("podfence does not take its own content");
    add_tokens(*value, tokens);
  }
  const bool is_chunked = std::ranges::find(parts.fields, "Transfer-Encoding: chunked") != parts.fields.end();
  line({"message", code(origin), std::string(parts.method), std::string(match->endpoint->path), code(match->name),
        target->version,
        joined(target->query, [](const QueryPair& pair) { return code(pair.name) + ":" + code(pair.value); }),
        is_chunked ? "chunked" : number(parts.content.size()),
        joined(parts.fields, [](std::string_view field) { return code(field); }), tokens, code(message)});
}

/// A world in which whatever a request names is there and p1's, so that it gets to Podman.
class World {
 public:
  World() { add(Kind::Container, "web"), add(Kind::Network, "net"), execs_.insert("e1"); }

  /// False: it is there already, or can not be.
  bool add(Kind kind, const std::string& name) {
    if (kind == Kind::Exec) return execs_.insert(name).second;
    if (kind == Kind::Manifest) return false;
    if (kind == Kind::Image && !normalise_image_name(name)) return false;
    return names_[kind].insert(kind == Kind::Image ? *normalise_image_name(name) : name).second;
  }

  StatedObjects objects() const {
    json::Value world = json::Value::object();
    for (const auto& [kind, names] : names_)
      world.set(text(kind) == "image" ? "images" : std::string(text(kind)) + "s", list(kind, names));
    json::Value execs = json::Value::array();
    for (const auto& id : execs_) execs.push(json::Object{{"id", id}, {"container", "web"}});
    world.set("execs", std::move(execs));
    auto read = StatedObjects::read("facts", json::write(world), "appx.project");
    if (const auto* error = std::get_if<ConfigurationError>(&read))
      throw std::runtime_error(error->where + error->what);
    return std::get<StatedObjects>(std::move(read));
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all(execs_.begin(), execs_.end());
    for (const auto& [kind, names] : names_) all.insert(all.end(), names.begin(), names.end());
    return all;
  }

 private:
  static json::Value list(Kind kind, const std::set<std::string>& names) {
    json::Value result = json::Value::array();
    std::size_t count = 0;
    for (const auto& name : names) {
      const auto digits = std::to_string(++count);
      json::Value object = json::Value::object(), projects = json::Array{"p1"};
      if (kind == Kind::Image) {
        json::Value tags = json::Value::object();
        tags.set(name, projects);
        object.set("tags", std::move(tags));
        object.set("held_by", std::move(projects));
        object.set("id", std::string(64 - digits.size(), '1') + digits);
      } else {
        object.set("name", name);
        object.set("project", "p1");
      }
      result.push(std::move(object));
    }
    return result;
  }

  std::map<Kind, std::set<std::string>> names_;
  std::set<std::string> execs_;
};

Project project() {
  Project project;
  project.id = "p1";
  project.socket = "/run/podfence/p1/podman.sock";
  project.policy.shared_images = {"localhost/*"};
  project.policy.workspaces = {{"/workspace", "/srv/p1"}};
  project.policy.bind_subpaths = true;
  project.policy.network.subnets = {"10.0.0.0/8", "fd00::/8"};
  for (auto& quota : project.policy.quotas) quota.reset();
  return project;
}

/// How many requests a world needs more than one look at: those that name one thing after the other.
constexpr int max_things = 12;

/// What is hidden from p1 is added, until nothing is.
World world_of(const std::vector<std::string>& requests, const Project& owner) {
  World world;
  for (int round = 0; round < max_things; ++round) {
    const auto objects = world.objects();
    proxy::Rehearsal rehearsal(owner, {&objects, "", ""});
    bool grown = false;
    for (const auto& request : requests)
      rehearsal.play(request, [&](const auto&, const auto*, const Decision& decision) {
        const auto* deny = std::get_if<Deny>(&decision);
        if (deny && deny->rule->hidden) grown |= world.add(deny->kind, deny->subject);
      });
    if (!grown) break;
  }
  return world;
}

struct Tally {
  std::size_t requests = 0, served = 0, messages = 0;
};

class Judged {
 public:
  Judged(const Project& owner, const StatedObjects& objects)
      : replay_(owner, objects), questions_(owner, {&objects, "", ""}) {}

  void take(const std::string& request, Tally& tally) {
    try {
      judge(request, tally);
    } catch (const std::exception& error) {
      line({"fault", code(request), error.what()});
    }
  }

 private:
  void judge(const std::string& request, Tally& tally) {
    const auto result = replay_.decide(request);
    if (!result.differs.empty()) throw std::logic_error("decided twice, and not alike");
    for (const auto& verdict : result.verdicts) {
      ++tally.requests;
      tally.served += verdict.rule.empty();
      for (const auto& message : verdict.sent) write(request, message, tally);
    }
    ask(request, tally);
  }

  /// What Podman is asked before the decision.
  void ask(const std::string& request, Tally& tally) {
    questions_.forget();
    questions_.play(request, [&](const rules::Judged& judged, const auto*, const Decision&) {
      if (!judged.facts) return;
      for (const auto& [question, fact] : judged.facts->known())
        if (question.ask != Question::Ask::Object ||
            can_be_called(question.kind, question.name))  // else nobody was asked
          write(request, proxy::write_request(judged.facts->request_for(question), false, false), tally);
    });
  }

  static void write(const std::string& request, const std::string& message, Tally& tally) {
    ++tally.messages;
    write_message(request, message);
  }

  proxy::Replay replay_;
  proxy::Rehearsal questions_;
};

int run(std::size_t count, std::uint64_t seed, const std::vector<std::string>& paths) {
  std::vector<std::string> requests;
  proxy::each_input(paths, [&](const auto&, std::string bytes) {
    requests.push_back(std::move(bytes));
    return true;
  });
  const Project owner = project();
  const World world = world_of(requests, owner);
  const auto objects = world.objects();
  Judged judged(owner, objects);
  write_rows();
  write_fields();
  write_parameters();
  Tally corpus, generated;
  Generator generator(requests, world.names(), seed);
  for (const auto& request : requests) judged.take(request, corpus);
  for (std::size_t i = 0; i < count; ++i) judged.take(generator.next(), generated);
  line({"end", number(corpus.requests), number(corpus.served), number(corpus.messages), number(generated.requests),
        number(generated.served), number(generated.messages)});
  return 0;
}

}  // namespace
}  // namespace podfence::differential

int main(int count, char** arguments) {
  if (count < 4) return 2;
  return podfence::differential::run(std::stoull(arguments[1]), std::stoull(arguments[2]),
                                     {arguments + 3, arguments + count});
}
