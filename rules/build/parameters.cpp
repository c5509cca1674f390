#include "rules/build/parameters.hpp"

#include <array>

namespace podfence::rules::build {

namespace {

using enum ParameterType;
using enum ParameterRule;

// clang-format off
constexpr auto rows = std::to_array<Parameter>({
    // What is built, and what it is called: options.cpp
    {"dockerfile", Text, Judged},
    {"t", Texts, Judged},
    {"output", Text, Drop},         // podman --remote says the first name again
    {"manifest", Text, OnlyUnset},
    {"labels", Text, Judged},
    {"buildargs", Text, Judged},
    {"target", Text, Judged},
    {"from", Text, Judged},
    {"pull", Text, Judged},
    {"pullpolicy", Text, Judged},
    {"platform", Texts, Judged},
    {"secrets", Text, Judged},
    {"excludes", Text, Judged},
    {"extrahosts", Text, Judged},
    {"networkmode", Text, Judged},
    {"nsoptions", Text, Judged},
    {"skipunusedstages", Boolean, Judged},
    {"version", Text, Judged},
    {"seccomp", Text, Judged},
    {"unsetlabel", Texts, Judged},
    {"shmsize", Unsigned, Judged},
    {"memory", Unsigned, Judged},
    {"memswap", Integer, Judged},
    {"cpuperiod", Unsigned, Judged},
    {"cpuquota", Integer, Judged},

    // Forced
    {"isolation", Text, Force, "rootless"},  // the only one whose networks work for an ordinary user
    {"httpproxy", Boolean, Force, "false"},  // the service's own proxy variables
    {"rm", Boolean, Force, "true"},          // a container that is left behind is nobody's
    {"forcerm", Boolean, Force, "true"},

    // How
    {"q", Boolean},                 // with it the answer is the id alone
    {"nocache", Boolean},
    {"layers", Boolean},
    {"squash", Boolean},
    {"compression", Text, Drop},
    {"outputformat", Text, Judged},
    {"annotations", TextList},
    {"unsetannotation", Texts},
    {"setenv", Texts, Judged},
    {"unsetenv", Texts},
    {"dropcaps", TextList},
    {"dnsservers", TextList},
    {"dnssearch", TextList},
    {"dnsoptions", TextList},
    {"nohosts", Boolean},
    {"jobs", Unsigned, Judged},
    {"cpushares", Unsigned},
    {"cpusetcpus", Text, Judged},
    {"cpusetmems", Text, Judged},
    {"cachettl", Text},
    {"timestamp", Integer},
    {"sourcedateepoch", Integer},
    {"rewritetimestamp", Boolean},
    {"omithistory", Boolean},
    {"identitylabel", Boolean},
    {"inheritlabels", Boolean},
    {"inheritannotations", Boolean},
    {"createdannotation", Boolean},
    {"compatvolumes", Boolean, OnlyUnset},  // brings back what VOLUME preserves, through links of the client's making
    {"osfeature", Texts, Drop},
    {"osversion", Text, Drop},
    {"retry", Unsigned, Drop},
    {"retry-delay", Text, Drop},
    {"ignore", Boolean, Drop},
    {"cachefrom", Text, Drop},         // a cache in a registry: the build is made without it
    {"idmappingoptions", Text, Drop},  // podman --remote sends the default
    {"tlsVerify", Boolean, OnlyTrue},
    {"buildid", Text, Drop},

    // Files, devices and privileges of the host, other transports, other registries
    {"remote", Text, OnlyUnset},
    {"volume", Texts, OnlyUnset},
    {"additionalbuildcontexts", Text, OnlyUnset},
    {"devices", Text, OnlyUnset},
    {"addcaps", Text, OnlyUnset},
    {"securityopt", Text, OnlyUnset},
    {"apparmor", Text, OnlyUnset},
    {"labelopts", Text, OnlyUnset},
    {"cgroupparent", Text, OnlyUnset},
    {"groupadd", Texts, OnlyUnset},
    {"ulimits", Text, OnlyUnset},
    {"transientRunMounts", Texts, OnlyUnset},
    {"rusagelogfile", Text, OnlyUnset},
    {"rusage", Boolean, OnlyUnset},
    {"sbom-output", Text, OnlyUnset},
    {"sbom-purl-output", Text, OnlyUnset},
    {"sbom-image-output", Text, OnlyUnset},
    {"sbom-image-purl-output", Text, OnlyUnset},
    {"sbom-scanner-image", Text, OnlyUnset},
    {"sbom-scanner-command", Texts, OnlyUnset},
    {"sbom-merge-strategy", Text, OnlyUnset},
    {"cacheto", Text, OnlyUnset},
    {"outputs", Text, OnlyUnset},
    {"registry", Text, OnlyUnset},
    {"allplatforms", Boolean, OnlyUnset},
    {"layerLabel", Texts, OnlyUnset},
    {"save-stages", Boolean, OnlyUnset},
    {"stage-labels", Boolean, OnlyUnset},
    {"sourcePolicy", Text, OnlyUnset},
    {"cppflags", Text, OnlyUnset},
    {"session", Text, OnlyUnset},
});
// clang-format on

}  // namespace

std::span<const Parameter> parameters() { return rows; }

}  // namespace podfence::rules::build
