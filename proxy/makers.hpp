#pragma once
// Exchanges at work that make or change something of their project. One that ends sends them away, and is torn down
// when none is left: what upstream makes for them would outlive it.

#include <map>
#include <string>

namespace podfence::proxy {

class Departure;

class Makers {
  using Places = std::multimap<std::string, Departure*>;  ///< by project

 public:
  /// One of them, as long as it lives.
  class Place {
   public:
    Place(Makers& makers, const std::string& project, Departure& departure)
        : places_(makers.places_), place_(places_.emplace(project, &departure)) {}
    ~Place() { places_.erase(place_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Places& places_;
    Places::iterator place_;
  };

  bool are_at_work(const std::string& project) const { return places_.contains(project); }
  /// As if their clients had gone.
  void send_away(const std::string& project);

 private:
  Places places_;
};

}  // namespace podfence::proxy
