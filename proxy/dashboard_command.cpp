#include "proxy/dashboard_command.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <charconv>
#include <iostream>

#include "proxy/dashboard.hpp"
#include "proxy/load.hpp"
#include "proxy/operator_command.hpp"
#include "proxy/process.hpp"

namespace podfence::proxy {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// Only of the loopback addresses: what is shown is nobody else's business, and is sent in the clear.
std::optional<tcp::endpoint> endpoint_of(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto address_text = text.substr(0, colon);
  const auto port_text = text.substr(colon + 1);
  if (address_text.starts_with('[') && address_text.ends_with(']'))
    address_text = address_text.substr(1, address_text.size() - 2);
  boost::system::error_code error;
  const auto address = asio::ip::make_address(std::string(address_text), error);
  unsigned short port = 0;
  const auto* const end = port_text.data() + port_text.size();
  const auto read = std::from_chars(port_text.data(), end, port);
  const bool is_port = read.ec == std::errc() && read.ptr == end;
  if (error || !is_port || !address.is_loopback()) return std::nullopt;
  return tcp::endpoint(address, port);
}

}  // namespace

int dashboard(const CommandLine& line) {
  const auto endpoint = endpoint_of(line.dashboard.listen);
  if (!endpoint) return refuse_usage("--listen takes an address of the loopback and a port, such as 127.0.0.1:8080");
  const auto socket = operator_socket(line);
  if (const int* code = std::get_if<int>(&socket)) return *code;
  asio::io_context context(1);
  Dashboard page(context, std::get<std::string>(socket), *endpoint);
  std::cout << page.address() << std::endl;
  asio::signal_set signals(context, SIGTERM, SIGINT);
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) page.stop();
  });
  context.run();
  return exit_ok;
}

}  // namespace podfence::proxy
