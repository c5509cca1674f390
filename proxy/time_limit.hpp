#pragma once
// An end for what nobody else ends: what podfence asks for itself has no client who gives up.

#include <chrono>
#include <optional>
#include <utility>

#include "proxy/task.hpp"

namespace podfence::proxy {

/// False: it was not over by then, and was cancelled. What it has said of that itself is worth nothing.
Task<bool> in_time(Task<> task, std::chrono::milliseconds time);

template <class Result>
Task<> keep(Task<Result> task, std::optional<Result>& result) {
  result = co_await std::move(task);
}

/// What it gives; nullopt: it was not over by then.
template <class Result>
Task<std::optional<Result>> in_time(Task<Result> task, std::chrono::milliseconds time) {
  std::optional<Result> result;
  const bool is_over = co_await in_time(keep(std::move(task), result), time);
  if (!is_over) result.reset();
  co_return result;
}

}  // namespace podfence::proxy
