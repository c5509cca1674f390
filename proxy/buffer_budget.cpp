#include "proxy/buffer_budget.hpp"

namespace podfence::proxy {

void BufferBudget::share_out(std::size_t projects) {
  reserved_ = projects == 0 ? 0 : in_all_ / 2 / projects;
  common_ = static_cast<std::ptrdiff_t>(in_all_ - reserved_ * projects);
  for (const auto& [project, held] : projects_) common_ -= static_cast<std::ptrdiff_t>(beyond_reserve(held));
}

bool BufferBudget::Share::take(std::size_t bytes) {
  if (bytes > budget_.in_all_ - budget_.used_ || bytes > budget_.per_project_ - of_project_) return false;
  const auto common =
      static_cast<std::ptrdiff_t>(budget_.beyond_reserve(of_project_ + bytes) - budget_.beyond_reserve(of_project_));
  if (common > 0 && common > budget_.common_) return false;
  budget_.common_ -= common;
  budget_.used_ += bytes;
  of_project_ += bytes;
  bytes_ += bytes;
  return true;
}

void BufferBudget::Share::shrink_to(std::size_t bytes) {
  if (bytes >= bytes_) return;
  const auto left = of_project_ - (bytes_ - bytes);
  budget_.common_ += static_cast<std::ptrdiff_t>(budget_.beyond_reserve(of_project_) - budget_.beyond_reserve(left));
  budget_.used_ -= bytes_ - bytes;
  of_project_ = left;
  bytes_ = bytes;
}

}  // namespace podfence::proxy
