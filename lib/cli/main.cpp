#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "exit_code.hpp"
#include "io/provenance.hpp"
#include "manual.hpp"
#include "process.hpp"
#include "run/did_you_mean.hpp"
#include "run/plain_text.hpp"
#include "scene/schema/schema.hpp"
#include "verbs.hpp"

namespace torsor::cli {

std::string version_line() {
  const io::Provenance made = io::provenance();
  return fmt::format("torsor {} ({}, {}, {}, {})", made.version, made.git, made.compiler, made.build_type,
                     made.instruction_set);
}

namespace {

scene::Overrides split(const std::vector<std::string>& texts) {
  scene::Overrides overrides;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw CLI::ValidationError("--set", fmt::format("expected key.path=value, got \"{}\"", text));
    overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return overrides;
}

int dispatch_compare(Arguments& arguments) {
  if (arguments.compare.scene.empty() != arguments.compare.gallery)
    throw CLI::ValidationError("compare", "give either a SCENE or --gallery");
  if (!arguments.folder.empty()) arguments.compare.folder = arguments.folder;
  return compare_verb(arguments.compare);
}

/// Reads two integers with this character between them, and says whether the text is of this form and both
/// fit in int.
bool read_two(std::string_view text, char between, int& first, int& second) {
  const auto read = [&text](int& number) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return problem == std::errc();
  };
  if (!read(first) || !text.starts_with(between)) return false;
  text.remove_prefix(1);
  return read(second) && text.empty();
}

/// "i/N" with 1 <= i <= N.
void read_shard(std::string_view text, BatchArguments& batch) {
  const bool read = read_two(text, '/', batch.shard, batch.shards);
  if (!read || batch.shard < 1 || batch.shard > batch.shards)
    throw CLI::ValidationError("--shard", fmt::format("expected i/N with i from 1 to N, got \"{}\"", text));
}

int dispatch_batch(const CLI::App& verb, Arguments& arguments) {
  BatchArguments& batch = arguments.batch;
  if (!arguments.folder.empty()) batch.folder = arguments.folder;
  if (!arguments.shard.empty()) read_shard(arguments.shard, batch);
  if (verb.count("--limit-per-case") > 0) batch.case_wall_limit = arguments.case_wall_limit;
  if (arguments.progress == "json") batch.progress = BatchProgress::Form::json;
  if (arguments.progress == "none" || batch.quiet) batch.progress = BatchProgress::Form::none;
  return batch_verb(batch);
}

/// Reads "WxH", which must be large enough for the axes and at most the greatest size of a picture.
void read_size(std::string_view text, io::PlotOptions& drawing) {
  constexpr int least_width = 320, least_height = 200, most = 8000;
  int width = 0, height = 0;
  const bool read = read_two(text, 'x', width, height);
  if (!read || width < least_width || height < least_height || width > most || height > most)
    throw CLI::ValidationError("--size", fmt::format("expected WxH from {}x{} to {}x{}, got \"{}\"",
                                                     least_width, least_height, most, most, text));
  drawing.width = width, drawing.height = height;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

std::string unknown_verb(const CLI::App& app, const std::string& given) {
  const auto names = verb_names(app);
  return fmt::format("unknown command \"{}\"{}", given, did_you_mean(given, {names.begin(), names.end()}));
}

/// The message for an argument that the verb does not have. It suggests the nearest option of the verb,
/// or `--set` if a key of [integrator] or [run] is nearest.
std::string unexpected_argument(const CLI::App& app) {
  const std::string given = app.remaining(true).front(), name = given.substr(0, given.find('='));
  const CLI::App& verb = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  std::map<std::string, std::string> settings;  // by the option that one would expect, such as --step
  if (std::find(known.begin(), known.end(), "--set") != known.end())
    for (const std::string section : {"integrator", "run"})
      for (const auto& property : scene::scene_rule().property(section)->properties)
        settings.emplace("--" + property.key, section + "." + property.key);
  for (const auto& [option, key] : settings) known.push_back(option);
  const std::string nearest(nearest_name(name, {known.begin(), known.end()}));
  if (const auto setting = settings.find(nearest); name.starts_with("--") && setting != settings.end())
    return fmt::format("unknown option \"{}\"; write --set {}=VALUE", name, setting->second);
  if (!settings.empty() && given.front() != '-' && given.find('=') != std::string::npos)
    return fmt::format("unexpected argument \"{}\"; write --set before each KEY=VALUE", given);
  return fmt::format("unexpected argument \"{}\"{}", given,
                     nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest));
}

int help(const CLI::App& app, const Arguments& arguments) {
  const auto names = verb_names(app);
  if (arguments.man_page) {
    print(man_page(app, io::provenance().version));
  } else if (arguments.help.empty()) {
    print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
  } else if (std::find(names.begin(), names.end(), arguments.help) != names.end()) {
    print(app.get_subcommand(arguments.help)->help("torsor"));
  } else {
    throw CLI::ValidationError(unknown_verb(app, arguments.help));
  }
  return success;
}

int dispatch(const CLI::App& app, Arguments& arguments) {
  const std::string verb = app.get_subcommands().front()->get_name();
  arguments.run.overrides = arguments.check.overrides = arguments.geometry.overrides =
      split(arguments.overrides);
  if (!arguments.folder.empty()) arguments.run.folder = arguments.picture.file = arguments.folder;
  if (!arguments.formats.empty()) {
    arguments.run.formats.clear();
    for (const char* format : {"h5", "csv"}) {
      if (std::find(arguments.formats.begin(), arguments.formats.end(), format) == arguments.formats.end())
        continue;
      arguments.run.formats.push_back(*format == 'h' ? io::ResultFormat::h5 : io::ResultFormat::csv);
    }
  }
  if (!arguments.size.empty()) read_size(arguments.size, arguments.picture.drawing);
  if (arguments.disk_limit > 0) arguments.run.disk_limit = static_cast<double>(arguments.disk_limit);
  if (verb == "run") return run_verb(arguments.run);
  if (verb == "view") return view_verb(arguments.picture);
  if (verb == "compare") return dispatch_compare(arguments);
  if (verb == "plot") return plot_verb(arguments.picture);
  if (verb == "report") return report_verb(arguments.picture);
  if (verb == "check") return check_verb(arguments.check);
  if (verb == "geometry") return geometry_verb(arguments.geometry);
  if (verb == "methods") return methods_verb(arguments.methods_json);
  if (verb == "batch") return dispatch_batch(*app.get_subcommands().front(), arguments);
  if (verb == "status") return status_verb(arguments.status);
  if (verb == "merge") return merge_verb(arguments.merge);
  if (verb == "table") return table_verb(arguments.table);
  if (verb == "scenes") return scenes_verb();
  if (verb == "help") return help(app, arguments);
  return schema_verb(arguments.study_schema);
}

/// Reports an error of the command line, with a suggestion for a misspelt verb, and lists the verbs.
int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message = error.what();
  const auto verbs = verb_names(app);
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty())
    message = "no command given";
  else if (first[0] != '-' && std::find(verbs.begin(), verbs.end(), first) == verbs.end())
    message = unknown_verb(app, first);
  else if (dynamic_cast<const CLI::ExtrasError*>(&error) && !app.remaining(true).empty())
    message = unexpected_argument(app);
  print_error(fmt::format("torsor: error: {}\ncommands: {}; see torsor COMMAND --help\n", plain_text(message),
                          fmt::join(verbs, ", ")));
  return usage;
}

int run_command(int argc, char** argv) {
  CLI::App app{"Multibody motion on Lie groups: from a scene file to a trajectory.", "torsor"};
  Arguments arguments;
  add_verbs(app, arguments);
  if (argc > 1 && std::string_view(argv[1]) == completion_verb) {
    print(completions(app, {argv + 2, argv + argc}));
    return success;
  }
  try {
    app.parse(argc, argv);
    return dispatch(app, arguments);
  } catch (const CLI::CallForHelp&) {
    print(app.help());  // of the given verb, if any
    return success;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return success;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
}

}  // namespace
}  // namespace torsor::cli

int main(int argc, char** argv) try {
  torsor::cli::prepare_process();
  return torsor::cli::run_command(argc, argv);
} catch (...) {
  return torsor::cli::report_exception();
}
