#include "proxy/failure.hpp"

#include <boost/system/system_error.hpp>
#include <cerrno>
#include <system_error>

namespace podfence::proxy {

std::string said_by(const std::exception& failure) {
  std::string text = failure.what();
  const auto* system = dynamic_cast<const boost::system::system_error*>(&failure);
  if (!system) return text;
  // "bind: " and what the error code makes of itself.
  const auto& code = system->code();
  if (const auto place = code.what(); text.ends_with(place)) text.resize(text.size() - place.size());
  return text + code.message();
}

void throw_errno(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

}  // namespace podfence::proxy
