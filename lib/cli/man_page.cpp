#include <fmt/format.h>

#include "manual.hpp"

namespace torsor::cli {
namespace {

constexpr const char* description = R"(.SH DESCRIPTION
Torsor integrates the motion of mechanisms on Lie groups. A scene file in TOML describes a mechanism and how
its motion is computed; a study describes how a scene varies over many runs. Scenes and studies are files, or
names of scenes and studies that are installed with the program:
.B torsor scenes
lists them.
)";

constexpr const char* end = R"(.SH OPTIONS OF EVERY COMMAND
.TP
.B \-h, \-\-help
Explain the command and its options.
.TP
.B \-V, \-\-version
Print version, commit, compiler, build type and instruction set.
.SH EXIT STATUS
.TP
.B 0
The run reached its end, or an event that stops it.
.TP
.B 1
The computation failed; the status and the message say how.
.TP
.B 2
The command line is wrong.
.TP
.B 3
The scene, the study or the result does not exist or is not valid, or the method cannot integrate the scene.
.TP
.B 4
A file could not be read or written, or must not be replaced.
.TP
.B 5
Another run is writing to the folder.
.TP
.B 6
A limit was exceeded: size of the scene, number of steps, wall time, memory, threads, disk.
.TP
.B 70
An error within Torsor.
.TP
.B 128+n
Signal n ended the command.
.SH ENVIRONMENT
.TP
.B TORSOR_SCENES
A folder whose scenes, and the studies in its folder "studies", can be run by name. They take precedence over
the scenes and studies that are installed with the program.
.TP
.B TORSOR_PLUGINS
1: load the plugins of scenes, as with
.BR \-\-plugins .
.TP
.B NO_COLOR
If it is not empty: no colours on terminals.
.SH EXAMPLES
.nf
torsor run heavy_top_bruls
torsor run heavy_top_bruls --set integrator.method=cf4 --set integrator.step=1e-4 --json
torsor check my_scene.toml
torsor view results/heavy_top_bruls
.fi
)";

/// "LIST" of "LIST:{h5,csv}"; the description gives the permitted words.
std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  return type.substr(0, type.find(':'));
}

/// Escapes a text so that roff prints it unchanged.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string entry(const std::string& head, const std::string& value, const std::string& text) {
  const std::string bold = head.empty() ? "" : "\\fB" + plain(head) + "\\fR",
                    italic = value.empty() ? "" : "\\fI" + plain(value) + "\\fR";
  return fmt::format(".TP\n{}{}{}\n{}\n", bold, bold.empty() || italic.empty() ? "" : " ", italic,
                     plain(text));
}

std::string verb_section(const CLI::App& verb) {
  std::string text =
      fmt::format(".SS \"torsor {}\"\n{}.\n", plain(verb.get_name()), plain(verb.get_description()));
  for (const CLI::Option* option : verb.get_options()) {
    if (option == verb.get_help_ptr() || option == verb.get_version_ptr()) continue;
    text += option->get_positional()
                ? entry("", option->get_single_name(), option->get_description())
                : entry(option->get_name(false, true), value_of(*option), option->get_description());
  }
  return text;
}

}  // namespace

std::string man_page(const CLI::App& app, std::string_view version) {
  std::string text = fmt::format(
      ".TH TORSOR 1 \"\" \"Torsor {}\" \"User Commands\"\n.SH NAME\ntorsor \\- multibody motion on Lie "
      "groups\n"
      ".SH SYNOPSIS\n.B torsor\n.I command\n.RI [ options ]\n",
      version);
  text += description;
  text += ".SH COMMANDS\n";
  for (const CLI::App* verb : app.get_subcommands({})) text += verb_section(*verb);
  return text + end;
}

}  // namespace torsor::cli
