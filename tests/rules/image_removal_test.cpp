// A removal that was decided, and what it is when others have got the image before it is sent.
#include "rules/image_removal.hpp"

#include <doctest/doctest.h>

#include "tests/rules/world.hpp"

using namespace podfence::tests;

namespace {

const std::string mine = "docker.io/library/mine:1";

/// p1's request about images, decided; the world can change behind that.
class Removing {
 public:
  Removing(World& given, Method method, std::string_view text)
      : world(given), target_(std::get<Target>(parse_target(text))), match_(std::get<Match>(route(method, target_))) {
    request_.method = method;
    request_.target = target_;
    batch = std::get<Batch>(world.settle(exchange));
  }
  /// What becomes of each item now.
  std::vector<std::string> now() {
    std::vector<std::string> texts;
    for (const auto& item : batch.items) {
      const auto again = renewed(exchange, item);
      texts.push_back(again.ledger_only ? "only the ledger"
                                        : std::string(text(again.request.method)) + " " + again.request.target);
    }
    return texts;
  }

  World& world;

 private:
  Target target_;
  Match match_;
  Request request_;
  Facts facts_{world.project, world.ledger, world.memory, world.usage};

 public:
  Exchange exchange{world.project, match_, request_, facts_};
  Batch batch;
};

using Texts = std::vector<std::string>;
const std::string untag = "POST /v4.0.0/libpod/images/" + id('2') + "/untag?repo=docker.io%2Flibrary%2Fmine&tag=1";

}  // namespace

TEST_CASE("a name is removed together with its image, unless another project has got the image meanwhile") {
  auto world = one_of_every_kind();
  Removing removing(world, Method::Delete, "/v1.41/images/mine:1");
  CHECK(removes_image(removing.exchange));
  CHECK(removing.now() == Texts{"DELETE /v4.0.0/libpod/images/docker.io%2Flibrary%2Fmine%3A1"});
  world.ledger.holds.insert({"p10", id('2')});
  CHECK(removing.now() == Texts{untag});
  world.ledger.tags.insert({"p10", mine});
  CHECK(removing.now() == Texts{"only the ledger"});
}

TEST_CASE("an image without a name is removed by its id, unless another project has got it meanwhile") {
  auto world = one_of_every_kind();
  world.image(id('8'), {});
  world.ledger.holds.insert({"p1", id('8')});
  Removing removing(world, Method::Delete, "/v4.0.0/libpod/images/" + id('8') + "?force=true");
  CHECK(removing.now() == Texts{"DELETE /v4.0.0/libpod/images/" + id('8')});
  world.ledger.holds.insert({"p10", id('8')});
  CHECK(removing.now() == Texts{"only the ledger"});
}

TEST_CASE("the same for every item of a prune, and for names that are taken away") {
  auto world = one_of_every_kind();
  world.image(id('8'), {});
  world.ledger.holds.insert({"p1", id('8')});
  Removing prune(world, Method::Post, "/v4.0.0/libpod/images/prune");
  REQUIRE(removes_image(prune.exchange));
  CHECK(prune.now() == Texts{"DELETE /v4.0.0/libpod/images/" + id('8')});
  world.ledger.holds.insert({"p10", id('8')});
  CHECK(prune.now() == Texts{"only the ledger"});

  Removing names(world, Method::Post, "/v4.0.0/libpod/images/mine:1/untag?repo=docker.io/library/mine&tag=1");
  CHECK(removes_image(names.exchange));
  CHECK(names.now() == Texts{untag});
  world.ledger.tags.insert({"p10", mine});
  CHECK(names.now() == Texts{"only the ledger"});
}

TEST_CASE("other batches are none of it") {
  auto world = one_of_every_kind();
  Removing prune(world, Method::Post, "/v4.0.0/libpod/volumes/prune");
  CHECK_FALSE(removes_image(prune.exchange));
}

TEST_CASE("of a batch every name is removed once, whatever words and however often it is asked for") {
  auto world = one_of_every_kind();
  const auto removed = [&](const std::string& query) {
    Removing removing(world, Method::Delete, "/v4.0.0/libpod/images/remove?" + query);
    Texts texts;
    for (const auto& item : removing.batch.items) {
      texts.push_back(item.name);
      for (const auto& claim : item.on_success)
        if (claim.change == Claim::Change::DropImage) texts.push_back("and the image");
    }
    return texts;
  };
  const std::string other = "docker.io/library/mine:2", part = id('2').substr(0, 12);
  CHECK(removed("images=mine:1&images=mine:1") == Texts{mine});
  CHECK(removed("images=" + part + "&images=" + part + "&images=" + id('2')) == Texts{mine, other, "and the image"});
  CHECK(removed("images=" + id('2') + "&images=mine:1") == Texts{mine, other, "and the image"});
  CHECK(removed("images=mine:2&images=" + id('2')) == Texts{other, mine, "and the image"});
  world.image(id('8'), {});
  world.ledger.holds.insert({"p1", id('8')});
  CHECK(removed("images=" + id('8') + "&images=" + id('8').substr(0, 12)) == Texts{id('8'), "and the image"});
  std::string many = "images=" + part;
  for (int time = 0; time < 300; ++time) many += "&images=" + part;
  CHECK(removed(many) == Texts{mine, other, "and the image"});
}

TEST_CASE("a name of a batch is looked at again, by whatever word its image was asked for") {
  auto world = one_of_every_kind();
  Removing removing(
      world, Method::Delete,
      "/v4.0.0/libpod/images/remove?images=absent&images=" + id('2') + "&images=" + id('2').substr(0, 12));
  world.ledger.holds.insert({"p10", id('2')});
  world.ledger.tags.insert({"p10", "docker.io/library/mine:2"});
  CHECK(removing.now() == Texts{untag, "only the ledger"});
}

TEST_CASE("images are found by their ids and by their names, the first that has one") {
  json::Value first, second;
  first.set("Id", "sha256:" + id('a'));
  first.set("RepoTags", json::Array{"localhost/a:1", "localhost/both:1"});
  second.set("Id", id('b'));
  second.set("RepoTags", json::Array{"localhost/both:1", json::Value()});
  const ImagesByName images({&first, &second});
  CHECK(images.find(id('a')) == &first);
  CHECK(images.find("localhost/a:1") == &first);
  CHECK(images.find("localhost/both:1") == &first);
  CHECK(images.find(id('b')) == &second);
  CHECK(images.find("localhost/b:1") == nullptr);
}
