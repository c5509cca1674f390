#pragma once
// Removals of images stand in a row, and what they do depends on who else has the image: that is looked at again right
// before each is sent.

#include <map>
#include <string>
#include <vector>

#include "rules/decision.hpp"
#include "rules/exchange.hpp"
#include "rules/json.hpp"

namespace podfence::rules {

/// The images that a batch is about, as they were before it. They last as long as what is known of them.
std::vector<const json::Value*> images_before(Exchange& exchange);

/// The same by their ids and by their names.
class ImagesByName {
 public:
  explicit ImagesByName(const std::vector<const json::Value*>& images);
  /// nullptr for none.
  const json::Value* find(const std::string& name) const;

 private:
  std::map<std::string, const json::Value*> images_;
};

/// Is it the removal of an image, or of a name of one?
bool removes_image(const Exchange& exchange);

/// Does it do nothing but give a name to an image? Podman reads and writes the names of an image as a whole: what is
/// given and what is taken at the same moment would get lost.
bool names_image(const Exchange& exchange);

/// The item of a batch of those, as the ledger says it now: what others have got meanwhile they keep.
Batch::Item renewed(Exchange& exchange, Batch::Item item);

}  // namespace podfence::rules
