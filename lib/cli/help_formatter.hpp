#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace torsor::cli {

/// The text in lines of at most `width` characters, broken at blanks. A word that is longer has its own line.
std::string in_lines(std::string_view text, std::size_t width);

/// The help of CLI11 in lines of at most `width` characters. The column of descriptions is at least as wide
/// as the column of names.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  std::string make_description(const CLI::App* verb) const override;
  std::string make_subcommand(const CLI::App* verb) const override;
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  std::string second_column(std::string_view text) const;

  std::size_t width_;
};

}  // namespace torsor::cli
