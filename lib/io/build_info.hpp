#pragma once

namespace torsor::build {

/// Written by cmake: git.cmake at every build, the rest when configured.
extern const char* const version;
extern const char* const git;
extern const char* const compiler;
extern const char* const type;
extern const char* const flags;

}  // namespace torsor::build
