#include "proxy/buffer_budget.hpp"

namespace podfence::proxy {

bool BufferBudget::Share::take(std::size_t bytes) {
  if (bytes > budget_.in_all_ - budget_.used_ || bytes > budget_.per_project_ - of_project_) return false;
  budget_.used_ += bytes;
  of_project_ += bytes;
  bytes_ += bytes;
  return true;
}

void BufferBudget::Share::shrink_to(std::size_t bytes) {
  if (bytes >= bytes_) return;
  budget_.used_ -= bytes_ - bytes;
  of_project_ -= bytes_ - bytes;
  bytes_ = bytes;
}

}  // namespace podfence::proxy
