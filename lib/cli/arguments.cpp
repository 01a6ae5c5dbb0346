#include "arguments.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <memory>

#include "help_formatter.hpp"
#include "process.hpp"

namespace torsor::cli {
namespace {

/// A check whose name, such as "INT in [1 - 4096]", does not appear in the help text. Lists of words do
/// appear.
template <class Validator>
Validator unnamed(Validator validator) {
  validator.description("");
  return validator;
}

/// The least value that an option takes.
enum class Least { any, zero, above_zero };

/// A check of a finite number: CLI11 reads "nan" and "inf" as numbers, and its ranges accept NaN.
CLI::Validator finite_number(Least least) {
  return {[least](std::string& text) {
            double x = 0;
            if (!CLI::detail::lexical_cast(text, x)) return "expected a number, got " + text;
            if (!std::isfinite(x)) return text + " is not a finite number";
            if (least == Least::zero && x < 0) return "expected a number of at least 0, got " + text;
            if (least == Least::above_zero && !(x > 0))
              return "expected a number greater than 0, got " + text;
            return std::string();
          },
          ""};
}

/// Reads a size such as 2GB in bytes, which must be greater than 0. CLI11 alone reads "-5" as 2^64 - 5.
CLI::Validator size_in_bytes() {
  return {[](std::string& text) {
            std::string too_small = "expected a size greater than 0, got " + text;
            if (text.starts_with('-')) return too_small;
            const std::string wrong = CLI::AsSizeValue(true)(text);
            return text == "0" ? too_small : wrong;
          },
          ""};
}

void add_plugins(CLI::App& verb) {
  verb.add_flag_callback("--plugins", scene::allow_plugins,
                         "Load the plugins of the scene: compiled code, which runs with your rights");
}

void add_scene_options(CLI::App& verb, std::string& scene, std::vector<std::string>& overrides) {
  verb.add_option("SCENE", scene, "A scene file, or the name of a shipped scene")->required();
  verb.add_option("--set", overrides,
                  "Set a value of the scene: key.path=value, tables by name (body.top.mass=2)")
      ->type_size(1)
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  add_plugins(verb);
}

void add_force(CLI::App& verb, bool& force) {
  verb.add_flag("--force", force, "Replace output files even if they are of another kind");
}

void add_run(CLI::App& app, Arguments& arguments) {
  auto& verb = *app.add_subcommand("run", "Integrate a scene and write its result");
  add_scene_options(verb, arguments.run.scene, arguments.overrides);
  verb.add_option("-o,--output", arguments.folder, "Folder of the result (default results/<scene>)")
      ->type_name("DIR");
  verb.add_option("--format", arguments.formats, "Files to write: h5, csv or h5,csv (default)")
      ->delimiter(',')
      ->check(CLI::IsMember({"h5", "csv"}))
      ->type_name("LIST");
  add_force(verb, arguments.run.force);
  verb.add_option("--disk-limit", arguments.disk_limit,
                  "Refuse a run whose files take more than this, such as 2GB, or more than the free space")
      ->transform(size_in_bytes())
      ->type_name("SIZE");
  verb.add_flag("--json", arguments.run.json,
                "Print the end of the run as one JSON object; without -o no file is written");
  verb.add_flag("--quiet", arguments.run.quiet, "Print notes and errors only");
}

void add_geometry(CLI::App& app, Arguments& arguments) {
  auto& verb = *app.add_subcommand(
      "geometry",
      "Print the geometry of a scene: groups, connections, constraints, screws, second fundamental form");
  add_scene_options(verb, arguments.geometry.scene, arguments.overrides);
  verb.add_option("--at", arguments.geometry.at, "Run the scene to this time first, s (default: its start)")
      ->check(finite_number(Least::any))
      ->type_name("T");
  verb.add_flag("--json", arguments.geometry.json, "Print JSON");
  auto* follow = verb.add_option("--follow", arguments.geometry.follow,
                                 "With [chart] only: follow autoparallels and the motion for this time, s")
                     ->check(finite_number(Least::above_zero))
                     ->type_name("S");
  const auto vector = [&](const char* name, std::vector<std::string>& components, const char* text) {
    verb.add_option(name, components, text)->delimiter(',')->type_name("LIST")->needs(follow);
  };
  vector("--direction", arguments.geometry.direction,
         "Velocity of the autoparallels at the start, such as w1=0.5,w3=2 (default: that of the motion)");
  vector("--transport", arguments.geometry.carry, "A vector to transport along the curves, such as w1=1");
  verb.add_option("--curves", arguments.geometry.curves, "Write the curves as CSV, which torsor plot draws")
      ->type_name("FILE")
      ->needs(follow);
  add_force(verb, arguments.geometry.force);
}

void add_batch(CLI::App& app, Arguments& arguments) {
  BatchArguments& batch = arguments.batch;
  auto& verb = *app.add_subcommand("batch", "Run the cases of a study and record them in a ledger");
  verb.add_option("STUDY", batch.study, "A study file, or the name of a shipped study")->required();
  add_plugins(verb);
  verb.add_option("-o,--output", arguments.folder, "Folder of the batch (default results/<study>)")
      ->type_name("DIR");
  verb.add_option("-j,--threads", batch.threads,
                  "Threads, 1 to 4096 (default: as many as the machine has; one for each rank of mpirun)")
      ->check(unnamed(CLI::Range(1, 4096)))
      ->type_name("N");
  verb.add_option("--lanes", batch.lanes,
                  "on (default) or off: run several cases at once on each thread if they can share steps")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("SWITCH");
  verb.add_option("--shard", arguments.shard, "Run the cases i-1, i-1+N, i-1+2N, ..., with i from 1 to N")
      ->type_name("i/N");
  verb.add_flag("--plan", batch.plan, "Print the number of cases, memory and disk space; run nothing");
  verb.add_flag("--resume", batch.resume, "Resume an interrupted batch");
  verb.add_flag(
      "--force", batch.force,
      "Resume even if study, scene or program changed, and record this; replace tables of other programs");
  verb.add_option("--limit-per-case", arguments.case_wall_limit, "Greatest wall time of a case, s")
      ->check(finite_number(Least::above_zero))
      ->type_name("S");
  verb.add_option("--checkpoint", batch.checkpoint,
                  "Time between commits of finished cases to the disk, s (default 1)")
      ->check(finite_number(Least::zero))
      ->type_name("S");
  verb.add_option("--progress", arguments.progress,
                  "Form of the progress report: bar (default), json or none")
      ->check(CLI::IsMember({"bar", "json", "none"}))
      ->type_name("FORM");
  verb.add_flag("--quiet", batch.quiet, "Print notes and errors only");
}

void add_batch_readers(CLI::App& app, Arguments& arguments) {
  auto& status = *app.add_subcommand("status", "Print the progress of a batch");
  status.add_option("DIR", arguments.status, "Folder of the batch")->required();
  auto& merge = *app.add_subcommand("merge", "Join the shards of a study");
  merge.add_option("DIR", arguments.merge.folders, "Folders of the shards")->required();
  merge.add_option("-o,--output", arguments.merge.folder, "Folder of the joined batch")
      ->required()
      ->type_name("DIR");
  add_force(merge, arguments.merge.force);
  auto& table = *app.add_subcommand("table", "Print the cases of a batch as CSV");
  table.add_option("DIR", arguments.table.folder, "Folder of the batch")->required();
  table
      .add_option("--where", arguments.table.where,
                  "Condition in SQL: body.top.z > 0.5 and status = 'reached-end'")
      ->type_name("CONDITION");
  table.add_option("--columns", arguments.table.columns, "Columns, separated by commas")
      ->delimiter(',')
      ->type_name("LIST");
  table.add_flag("--timings", arguments.table.timings, "Print attempts, wall times, hashes and segments too");
}

/// Adds a verb that writes a page or a plot of a result.
CLI::App& add_picture(CLI::App& app, Arguments& arguments, const char* name, const char* text,
                      const char* file) {
  auto& verb = *app.add_subcommand(name, text);
  verb.add_option("RESULT", arguments.picture.result,
                  std::string_view(name) == "plot"
                      ? "The folder of a result or of a batch, an .h5 file, or a .csv "
                        "file of curves (geometry --curves)"
                      : "The folder of a result, or its .h5 file")
      ->required();
  verb.add_option("-o,--output", arguments.folder,
                  fmt::format("File to write (default {} beside the result){}", file,
                              std::string_view(name) == "plot" ? ": .svg, .png or .pdf" : ""))
      ->type_name("FILE");
  add_plugins(verb);
  add_force(verb, arguments.picture.force);
  return verb;
}

CLI::Option& add_columns(CLI::App& verb, Arguments& arguments, const char* text) {
  return *verb.add_option("--columns", arguments.picture.columns, text)->delimiter(',')->type_name("LIST");
}

void add_pictures(CLI::App& app, Arguments& arguments) {
  auto& view = add_picture(app, arguments, "view", "Write an HTML page that replays a result", "replay.html");
  add_columns(view, arguments, "Columns to draw besides drift and residuals; * stands for any text");
  auto& plot =
      add_picture(app, arguments, "plot",
                  "Plot columns of a result or of the table of a batch as SVG, PNG or PDF", "plot.svg");
  add_columns(plot, arguments, "Columns, separated by commas; * stands for any text (not for a batch)")
      .required();
  auto* over =
      plot.add_option(
              "--over", arguments.picture.view.over,
              "Column of the horizontal axis (default: the time; a batch has no default). With body.*.x, "
              "body.top.y is drawn over body.top.x")
          ->type_name("COLUMN");
  plot.add_option("--by", arguments.picture.by, "For a batch: one line for each value of this column")
      ->type_name("COLUMN")
      ->needs(over);
  plot.add_flag("--log-over", arguments.picture.logarithmic_over,
                "For a batch: a logarithmic horizontal axis")
      ->needs(over);
  plot.add_option("--title", arguments.picture.view.title, "Title above the diagrams")->type_name("TEXT");
  plot.add_option(
          "--size", arguments.size,
          "Width and height of each diagram, in pixels of 1/96 inch (default 720x300); a PNG has twice "
          "as many pixels in each direction")
      ->type_name("WxH");
  plot.add_option("--from", arguments.picture.view.from,
                  "First time to show, s; for a batch the first value of the --over column")
      ->check(finite_number(Least::any))
      ->type_name("T");
  plot.add_option("--to", arguments.picture.view.to,
                  "Last time to show, s; for a batch the last value of the --over column")
      ->check(finite_number(Least::any))
      ->type_name("T");
  plot.add_flag("--log", arguments.picture.view.logarithmic, "Show magnitudes on a logarithmic axis");
  add_picture(app, arguments, "report", "Write an HTML page that summarises a result", "report.html");
}

void add_compare(CLI::App& app, Arguments& arguments) {
  CompareArguments& compare = arguments.compare;
  auto& verb = *app.add_subcommand("compare", "Run a scene with several methods and compare error and work");
  verb.add_option("SCENE", compare.scene, "A scene file, or the name of a shipped scene; not with --gallery");
  add_plugins(verb);
  const auto list = [&](const char* name, auto& values, const char* text) {
    return verb.add_option(name, values, text)->delimiter(',')->type_name("LIST");
  };
  auto* methods = list("--methods", compare.options.methods, "Methods (default: that of the scene)");
  auto* groups = list("--groups", compare.options.groups, "direct, semidirect (default: that of the scene)");
  auto* formulations =
      list("--formulations", compare.options.formulations, "tree, absolute (default: that of the scene)");
  list("--connections", compare.options.connections,
       "Connections (default: that of the scene); without --methods, a connection that the scene's method "
       "does not follow selects the first method that follows it");
  list("--constraints", compare.options.constraints,
       "Treatments of constraints (default: that of the scene, or else that of each method)");
  auto* steps = list("--steps", compare.options.steps, "Step sizes, s (default: five that suit the scene)");
  steps->check(finite_number(Least::above_zero));
  list("--tolerances", compare.options.tolerances, "Tolerances instead of step sizes")
      ->check(finite_number(Least::above_zero))
      ->excludes(steps);
  verb.add_option(
          "--reference", compare.options.reference,
          "Result against which errors are measured, or self (default): a run of much higher accuracy")
      ->type_name("FILE");
  verb.add_option("-o,--output", arguments.folder, "Folder to write to (default results/compare-<scene>)")
      ->type_name("DIR");
  verb.add_option("-j,--threads", compare.options.threads,
                  "Threads, 1 to 4096 (default: as many as the machine has)")
      ->check(unnamed(CLI::Range(1, 4096)))
      ->type_name("N");
  add_force(verb, compare.force);
  verb.add_flag("--gallery", compare.gallery, "Compare on the shipped scenes and write docs/gallery")
      ->excludes(methods)
      ->excludes(groups)
      ->excludes(formulations);
  verb.add_flag("--quiet", compare.quiet, "Print errors only");
}

void add_helpers(CLI::App& app, Arguments& arguments) {
  app.add_subcommand("scenes", "List the scenes and studies that can be run by name");
  auto& help = *app.add_subcommand("help", "Explain a command");
  auto* verb = help.add_option("COMMAND", arguments.help, "A command (default: a list of all commands)");
  help.add_flag("--man", arguments.man_page, "Print the whole manual as a man page")->excludes(verb);
}

}  // namespace

void add_verbs(CLI::App& app, Arguments& arguments) {
  const int width = terminal_width(STDOUT_FILENO);
  app.formatter(std::make_shared<HelpFormatter>(static_cast<std::size_t>(width)));  // of all verbs, too
  add_run(app, arguments);
  add_pictures(app, arguments);
  add_compare(app, arguments);
  auto& check = *app.add_subcommand(
      "check", "Validate a scene; print its bodies, joints, degrees of freedom and start");
  add_scene_options(check, arguments.check.scene, arguments.overrides);
  check.add_flag("--all", arguments.check.all,
                 "Print every row of tables of more than 40 rows, not only the first 20");
  add_geometry(app, arguments);
  auto& methods = *app.add_subcommand("methods", "List the integration methods");
  methods.add_flag("--json", arguments.methods_json, "Print JSON");
  auto& schema = *app.add_subcommand("schema", "Print the JSON Schema of scene files");
  schema.add_flag("--study", arguments.study_schema, "Print the schema of study files instead");
  add_batch(app, arguments);
  add_batch_readers(app, arguments);
  add_helpers(app, arguments);
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", version_line());
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  for (CLI::App* verb : app.get_subcommands({}))
    verb->group("Commands")->set_version_flag("-V,--version", version_line());
}

}  // namespace torsor::cli
