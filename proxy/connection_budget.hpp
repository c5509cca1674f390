#pragma once
// How many connections of clients may be open at once, or requests of theirs at work, in all and for each project. Half
// of the places are shared out among the projects beforehand, so that clients of some can never keep out those of
// another; the other half is for who comes first.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

namespace podfence::proxy {

class ConnectionBudget {
 public:
  ConnectionBudget(std::size_t in_all, std::size_t per_project, std::size_t projects);

  /// The places are shared out anew: there are that many projects now. Nobody loses a place.
  void share_out(std::size_t projects);

  /// Held as long as its connection.
  class Place {
   public:
    Place(Place&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), of_project_(other.of_project_) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Place& operator=(Place&&) = delete;

   private:
    friend class ConnectionBudget;
    Place(ConnectionBudget& budget, std::size_t& of_project) : budget_(&budget), of_project_(of_project) {}

    ConnectionBudget* budget_;
    std::size_t& of_project_;
  };
  enum class Full { Project, All };
  std::variant<Place, Full> take(const std::string& project);

  std::size_t in_all() const { return in_all_; }
  std::size_t per_project() const { return per_project_; }

 private:
  std::size_t in_all_;
  std::size_t per_project_;
  std::size_t reserved_ = 0;                     ///< of each project
  std::ptrdiff_t common_ = 0;                    ///< places that are left of the others; below 0, too many were taken
  std::map<std::string, std::size_t> projects_;  ///< places taken
};

/// How many of a project's clients who are one too many may be told so at once, and wait to read it.
inline constexpr std::size_t max_turned_away = 8;

/// Connections of clients, and requests that are at work on some of them.
struct Room {
  std::size_t connections = 0;
  std::size_t requests = 0;
};
std::uint64_t open_files_for(Room room, std::size_t projects);
/// As much of what is wanted as that many open files have room for. Idle connections take one each, so that there can
/// be more of them than requests.
Room room_within(std::uint64_t open_files, Room wanted, std::size_t projects);

}  // namespace podfence::proxy
