#pragma once
// Exchanges at work, by their project. One that ends sends them all away, and is torn down when none is left that makes
// or changes something of it: what upstream makes for them would outlive it.

#include <map>
#include <string>

namespace podfence::proxy {

class Departure;

class Makers {
  struct Exchange {
    Departure* departure;
    bool changes = false;
  };
  using Exchanges = std::multimap<std::string, Exchange>;  ///< by project

 public:
  /// One of them, as long as it lives.
  class Place {
   public:
    Place(Makers& makers, const std::string& project, Departure& departure)
        : exchanges_(makers.exchanges_), place_(exchanges_.emplace(project, Exchange{&departure})) {}
    ~Place() { exchanges_.erase(place_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// From here on a project that ends waits for it.
    void begin_change() { place_->second.changes = true; }

   private:
    Exchanges& exchanges_;
    Exchanges::iterator place_;
  };

  /// At making or changing something.
  bool are_at_work(const std::string& project) const;
  /// As if their clients had gone.
  void send_away(const std::string& project);

 private:
  Exchanges exchanges_;
};

}  // namespace podfence::proxy
