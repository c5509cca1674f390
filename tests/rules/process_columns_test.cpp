// Options for ps, as columns that Podman reads itself.

#include "rules/process_columns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace podfence::rules;

namespace {

const std::string full = "user,pid,ppid,pcpu,etime,tty,time,args";
const std::string by_user = "user,pid,pcpu,vsz,rss,tty,state,etime,time,args";

std::string columns(std::vector<std::string> said) { return process_columns(said).value_or("none"); }

}  // namespace

TEST_CASE("ps as people call it") {
  for (const auto* said : {"", " ", "-ef", "-e -f", "ef", "-eF", "-A", "ax", "-e", "lax"})
    CHECK_MESSAGE(columns({said}) == full, said);
  for (const auto* said : {"aux", "-aux", "auxww", "u", "a u x"}) CHECK_MESSAGE(columns({said}) == by_user, said);
  CHECK(columns({}) == full);
}

TEST_CASE("columns by the names of ps and of podman top, with headings or without") {
  CHECK(columns({"-eo pid,user=WHO,%cpu"}) == "pid,user,pcpu");
  CHECK(columns({"-o pid,cmd"}) == "pid,args");
  CHECK(columns({"-opid", "-o comm"}) == "pid,comm");
  CHECK(columns({"-axo pid=,args"}) == "pid,args");
  CHECK(columns({"pid", "comm"}) == "pid,comm");
  CHECK(columns({"pid,seccomp,capeff", "%C"}) == "pid,seccomp,capeff,pcpu");
  CHECK(columns({"%u %U"}) == "ruser,user");
  CHECK(columns({"-u -o stat"}) == "state");
  CHECK(columns({"pid,"}) == "pid");
}

TEST_CASE("what is about the host, or no column, is none") {
  for (const auto* said : {"hpid",      "huser",  "hgroup",   "hgroups",        "huid",   "-o hpid",  "pid,hpid",
                           "-o cgroup", "cgroup", "-eo unit", "-n /etc/shadow", "--help", "--ppid 1", "-p 1",
                           "-o",        "-e -o",  "-",        "-o -e",          "-o aux", ";id",      "$(id)",
                           "PID,x",     "-Z",     "-oC",      "pid\ncomm"})
    CHECK_MESSAGE(columns({said}) == "none", said);
}
