#pragma once
// What a browser may do with an answer of the operator's socket: run the page's own program with the page's own style,
// and ask where it came from. Nothing else is loaded, framed, kept or told to others.

#include "rules/field.hpp"

namespace podfence::proxy {

rules::Fields page_fields();

}  // namespace podfence::proxy
