#pragma once
// One exchange with a client, as those who carry it out see it.

#include "proxy/audit_trail.hpp"
#include "proxy/client_answer.hpp"
#include "proxy/departure.hpp"
#include "proxy/request_content.hpp"
#include "proxy/services.hpp"

namespace podfence::proxy {

struct ClientExchange {
  Services& services;
  Connection& client;
  Deadline& deadline;
  Departure& departure;
  const RequestHead& head;
  RequestContent& content;
  ClientAnswer& answer;
  AuditTrail& trail;
};

}  // namespace podfence::proxy
