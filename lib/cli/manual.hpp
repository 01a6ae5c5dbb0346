#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::cli {

/// The manual in roff, for man(1), from the verbs and options of the command.
std::string man_page(const CLI::App& app, std::string_view version);

/// The first word of a command line that asks for completions; it is for the scripts in lib/cli/completion.
inline constexpr std::string_view completion_verb = "complete";

/// What may stand in place of the last of the words behind "torsor", which may be empty: one candidate a
/// line, behind it a tab and what it means. Nothing where files may stand.
std::string completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace torsor::cli
