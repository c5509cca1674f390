#pragma once
// A turn of an event loop: everything that came together has been seen to. What several exchanges put off until then is
// done for all of them at once: their lines of the audit log are one write, and of several messages the first wakes its
// reader. One that is alone would only wait for itself.

#include <boost/asio/execution_context.hpp>
#include <cstddef>

#include "proxy/task.hpp"

namespace podfence::proxy {

class Turn : public boost::asio::execution_context::service {
 public:
  inline static boost::asio::execution_context::id id;

  explicit Turn(boost::asio::execution_context& context) : service(context) {}
  static Turn& of(const Executor& executor);

  /// An exchange is at work as long as it lives.
  class Work {
   public:
    explicit Work(Turn& turn) : turn_(turn) { ++turn_.at_work_; }
    ~Work() { --turn_.at_work_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    Turn& turn_;
  };

  bool is_shared() const { return at_work_ > 1; }

 private:
  void shutdown() override {}

  std::size_t at_work_ = 0;
};

}  // namespace podfence::proxy
