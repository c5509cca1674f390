#pragma once
// What the bench's engine holds: containers of which every fifth is the project's, and answers about them in the shapes
// and of the sizes of Podman 4.3.1. All of it is made once; an answer is looked up, not made.

#include <string>
#include <string_view>
#include <vector>

namespace podfence::bench {

inline constexpr std::string_view project = "bench";
inline constexpr std::size_t one_in = 5;
inline constexpr std::size_t past_events = 500;

/// 64 hexadecimal digits.
std::string container_id(std::size_t number);
/// Of an exec session in the project's first container.
std::string exec_id();

/// A complete answer with Content-Length.
std::string sized_answer(int status, std::string_view content);
/// The head of one whose content comes in chunks.
std::string chunked_head();
std::string chunk(std::string_view content);
/// One line of `/events`, about a container.
std::string event_line(std::size_t container, long long nanoseconds);

class Objects {
 public:
  explicit Objects(std::size_t containers);
  /// The whole answer. Empty: it is none of the fixed ones.
  const std::string& answer(std::string_view method, std::string_view target) const;

 private:
  std::size_t number_of(std::string_view name) const;
  const std::string& about_container(std::string_view method, std::string_view rest) const;
  const std::string& about_others(std::string_view method, std::string_view path) const;

  std::vector<std::string> containers_;
  std::string list_, own_list_, libpod_list_, own_libpod_list_;
  std::string ping_, version_, empty_, images_, image_, volume_, network_, exec_, made_, made_volume_, done_, absent_;
  std::string logs_, events_;
};

}  // namespace podfence::bench
