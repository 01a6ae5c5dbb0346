#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace torsor::test {

/// tests/reference/<name>.json: numbers computed independently of this library. This is not an inline
/// function because the compiler needs a second for the parser.
nlohmann::json reference_file(const std::string& name);

}  // namespace torsor::test
