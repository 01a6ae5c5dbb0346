#pragma once

namespace torsor::build {

/// Set by cmake: `git` at every build (git.cmake), the others at configuration.
extern const char* const version;
extern const char* const git;
extern const char* const compiler;
extern const char* const type;
extern const char* const flags;

}  // namespace torsor::build
