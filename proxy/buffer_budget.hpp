#pragma once
// How many bytes of whole answers may be in memory at once, in all and for each project: answers that are being read,
// documents that are known of while an exchange lasts, and answers that wait for a client to take them.

#include <cstddef>
#include <map>
#include <string>

namespace podfence::proxy {

class BufferBudget {
 public:
  BufferBudget(std::size_t in_all, std::size_t per_project) : in_all_(in_all), per_project_(per_project) {}

  /// What one holder has taken of its project's part; gives it back when it goes.
  class Share {
   public:
    Share(BufferBudget& budget, const std::string& project) : budget_(budget), of_project_(budget.projects_[project]) {}
    ~Share() { shrink_to(0); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// False, and nothing is taken, when it would be too much.
    bool take(std::size_t bytes);
    void shrink_to(std::size_t bytes);
    std::size_t bytes() const { return bytes_; }

   private:
    BufferBudget& budget_;
    std::size_t& of_project_;
    std::size_t bytes_ = 0;
  };

 private:
  std::size_t in_all_;
  std::size_t per_project_;
  std::size_t used_ = 0;
  std::map<std::string, std::size_t> projects_;  ///< bytes used; as many entries as there are projects
};

}  // namespace podfence::proxy
