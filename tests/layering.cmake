# Reads the sources and fails where a layer reaches for what is not its business. Run by every build.
file(GLOB_RECURSE RULES ${SOURCE}/rules/*.cpp ${SOURCE}/rules/*.hpp)
file(GLOB PROXY ${SOURCE}/proxy/*.cpp ${SOURCE}/proxy/*.hpp)

function(forbid files pattern why)
  foreach(file IN LISTS ${files})
    file(STRINGS ${file} hits REGEX "${pattern}")
    if(hits)
      list(GET hits 0 hit)
      file(RELATIVE_PATH name ${SOURCE} ${file})
      message(FATAL_ERROR "${name}: ${why}: ${hit}")
    endif()
  endforeach()
endfunction()

forbid(RULES "#include <(boost|openssl|sys|netinet|sqlite3|unistd|fcntl|thread|fstream|iostream|filesystem)"
       "rules does no I/O")
forbid(RULES "(system|steady|high_resolution)_clock" "rules knows no clock")
forbid(RULES "#include \"(proxy|tests)/" "rules knows nothing of the proxy")
set(NOT_JSON ${RULES})
list(FILTER NOT_JSON EXCLUDE REGEX "rules/json[a-z_]*[.]cpp$")
forbid(NOT_JSON "#include <rapidjson" "JSON is read and written in rules/json*.cpp")
set(NOT_YAML ${RULES} ${PROXY})
list(FILTER NOT_YAML EXCLUDE REGEX "rules/yaml[.]cpp$")
forbid(NOT_YAML "#include <yaml-cpp" "YAML is read in rules/yaml.cpp")
forbid(PROXY "#include <rapidjson" "JSON is read and written in rules/json*.cpp")
forbid(PROXY "\"/(v[0-9]|libpod|containers|images|volumes|networks|pods|exec|events|info|version|_ping|system)"
       "proxy names no endpoint")
forbid(PROXY "(while|for|co_return) ?[^;]*(&&|[|][|]) *[!(]*co_await"
       "g++ 12 awaits the right side whatever the left one says; write an if")
forbid(PROXY "appx\\." "proxy names no label")
forbid(PROXY "(find|text|set|erase)\\(\"[A-Z]" "proxy names no JSON key")
