// Where in the configuration a key of a project's policy stands, or would stand.
#include <doctest/doctest.h>

#include "rules/configuration.hpp"
#include "tests/rules/policy_files.hpp"

using namespace podfence::rules;

namespace {

constexpr const char* configuration = R"({
  "defaults": {
    "limits": {"memory": {"most": "4g"}},
    "images": {"shared": ["localhost/*"]}
  },
  "projects": {
    "p1": {
      "images": {
        "shared": []
      }
    },
    "p10": {"policy": "small"},
    "p2": {}
  }
})";

constexpr const char* small_policy = R"({
  "ports": {"first": 2000, "last": 2010},
  "limits": {
    "memory": {"most": "1g"}
  }
})";

const PolicyFiles files{"/policies", [](const std::string&) { return FileText{small_policy}; }};

}  // namespace

TEST_CASE("a key is told where it counts, or where the project would say it") {
  struct Row {
    const char* project;
    const char* key;
    const char* file;
    std::size_t line;
    const char* where;
    bool stands;
  };
  const Row rows[] = {
      {"p1", "images.shared", "", 9, "/projects/p1/images/shared", true},
      {"p2", "images.shared", "", 4, "/defaults/images/shared", true},
      {"p2", "limits.memory.most", "", 3, "/defaults/limits/memory/most", true},
      {"p10", "limits.memory.most", "/policies/small.json", 4, "/limits/memory/most", true},
      {"p10", "ports", "/policies/small.json", 2, "/ports", true},
      {"p10", "workspace", "", 12, "/projects/p10/workspace", false},
      {"p2", "workspace", "", 13, "/projects/p2/workspace", false},
      {"p1", "images", "", 8, "/projects/p1/images", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.project);
    CAPTURE(row.key);
    const auto place = policy_place(configuration, files, row.project, row.key);
    CHECK(place.file == row.file);
    CHECK(place.line == row.line);
    CHECK(place.where == row.where);
    CHECK(place.stands == row.stands);
  }
}

TEST_CASE("of a command line the option is told, or the line of the policy file that it names") {
  const auto place = [](const ServeOptions& options, std::string_view key) {
    const auto found = policy_place(options, files, key);
    return found.file + ":" + std::to_string(found.line) + ":" + found.where + (found.stands ? " stands" : "");
  };
  ServeOptions options;
  options.project = "p1";
  CHECK(place(options, "images.shared") == ":0:--share-image");
  CHECK(place(options, "ports") == ":0:--policy");
  CHECK(place(options, "workspace") == ":0:--config");
  options.shared_images = {"localhost/*"};
  CHECK(place(options, "images.shared") == ":0:--share-image stands");
  options.policy = "small";
  CHECK(place(options, "ports") == "/policies/small.json:2:/ports stands");
  CHECK(place(options, "images.shared") == ":0:--share-image stands");
  CHECK(place(options, "privileges.insecure_capabilities").starts_with("/policies/small.json:"));
}
