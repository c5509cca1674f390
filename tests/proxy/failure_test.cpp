// What people read of an exception: no header of Boost, and no number where there is a sentence.
#include "proxy/failure.hpp"

#include <doctest/doctest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/throw_exception.hpp>
#include <cerrno>
#include <stdexcept>
#include <system_error>

using namespace podfence::proxy;

TEST_CASE("an error of Boost is told by what failed and why, not by where in Boost") {
  const boost::system::error_code denied(EACCES, boost::system::system_category());
  BOOST_STATIC_CONSTEXPR boost::source_location place = BOOST_CURRENT_LOCATION;
  const boost::system::error_code placed(denied, &place);
  CHECK(said_by(boost::system::system_error(denied, "bind")) == "bind: Permission denied");
  CHECK(said_by(boost::system::system_error(placed, "bind")) == "bind: Permission denied");
  CHECK(said_by(boost::system::system_error(denied)) == "Permission denied");
  CHECK(said_by(std::system_error(EACCES, std::generic_category(), "/x")) == "/x: Permission denied");
  CHECK(said_by(std::runtime_error("as it is")) == "as it is");
}

TEST_CASE("as it comes from a socket") {
  boost::asio::io_context context(1);
  const boost::asio::ip::tcp::endpoint any(boost::asio::ip::make_address("127.0.0.1"), 0);
  const boost::asio::ip::tcp::acceptor first(context, any);
  try {
    boost::asio::ip::tcp::acceptor second(context, first.local_endpoint());
    FAIL("two listen at one place");
  } catch (const std::exception& failure) {
    CHECK(said_by(failure) == "bind: Address already in use");
  }
}
