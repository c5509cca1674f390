#pragma once
// The tables of the ledger, and how a file of an earlier podfence is brought up to them.

#include <string>

#include "proxy/database.hpp"

namespace podfence::proxy {

/// Made when it is new, brought up when it is older. Throws std::runtime_error with a phrase for people when it is
/// damaged, another program's, or a newer podfence's; then nothing of it has been changed.
Database open_ledger_database(const std::string& path);
/// Of this schema, for reading only, also while another process uses it.
Database read_ledger_database(const std::string& path);

}  // namespace podfence::proxy
