#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::cli {

/// The manual of the command in roff, for man(1): all verbs and options.
std::string man_page(const CLI::App& app, std::string_view version);

/// The first word of a command line that requests completions. The scripts in lib/cli/completion use it.
inline constexpr std::string_view completion_verb = "complete";

/// Completions of the last word of `words`, the words after "torsor". This word may be empty. Each line has
/// one candidate, followed by a tab and its description if it has one. Empty if the shell is to complete file
/// names.
std::string completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace torsor::cli
