#pragma once
// How many bytes may be held at once, in all and for each project: of contents and answers in memory, of uploads on
// disk. Half of them are shared out among the projects beforehand, so that some can never keep all from another; the
// other half is for who comes first.

#include <cstddef>
#include <map>
#include <string>

namespace podfence::proxy {

class BufferBudget {
 public:
  BufferBudget(std::size_t in_all, std::size_t per_project) : in_all_(in_all), per_project_(per_project) {
    share_out(0);
  }

  /// The bytes are shared out anew: there are that many projects now. Nobody loses what is held.
  void share_out(std::size_t projects);

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
  /// What a project that holds so much has of the common half.
  std::size_t beyond_reserve(std::size_t held) const { return held > reserved_ ? held - reserved_ : 0; }

  std::size_t in_all_;
  std::size_t per_project_;
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;                     ///< of each project
  std::ptrdiff_t common_ = 0;                    ///< what is left of the rest; below 0, too much was taken
  std::map<std::string, std::size_t> projects_;  ///< bytes held; as many entries as there are projects
};

}  // namespace podfence::proxy
