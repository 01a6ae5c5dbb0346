#include "torsor/batch/batch.hpp"

#include <chrono>

#include "batch/table.hpp"
#include "bindings.hpp"
#include "io/provenance.hpp"
#include "io/text_file.hpp"
#include "scene/scene_files.hpp"
#include "torsor/batch/compare.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::python {
namespace {

using Names = std::vector<std::string>;

batch::Comparison compare_methods(const scene::SceneSource& source, const std::string& folder, Names methods,
                                  Names groups, Names formulations, Names connections, Names constraints,
                                  std::vector<double> steps, std::vector<double> tolerances,
                                  std::string reference, int threads, double case_wall_limit) {
  Interruption interruption;
  batch::CompareOptions options{.methods = std::move(methods),
                                .groups = std::move(groups),
                                .formulations = std::move(formulations),
                                .connections = std::move(connections),
                                .constraints = std::move(constraints),
                                .steps = std::move(steps),
                                .tolerances = std::move(tolerances),
                                .reference = std::move(reference),
                                .folder = folder,
                                .threads = threads,
                                .case_wall_limit = case_wall_limit};
  options.cancelled = [&] { return interruption.pending(); };
  batch::Comparison all;
  try {
    const py::gil_scoped_release others_may_run;
    all = compare(source, options);
  } catch (const std::invalid_argument&) {
    interruption.rethrow();  // a comparison that was interrupted has no reference
    throw;
  }
  interruption.rethrow();
  return all;
}

py::list combinations(const batch::Comparison& all) {
  py::list list;
  for (std::size_t i = 0; i < all.combinations.size(); ++i) {
    const batch::Combination& one = all.combinations[i];
    py::dict entry;
    entry["label"] = one.label;
    entry["method"] = one.method;
    entry["group"] = one.group;
    entry["formulation"] = one.formulation;
    entry["connection"] = one.connection;
    entry["constraints"] = one.constraints;
    entry["refused"] = one.refused;
    entry["order"] = one.order;
    entry["observed_order"] = all.observed_order(i);
    list.append(entry);
  }
  return list;
}

py::list runs(const batch::Comparison& all) {
  py::list list;
  for (const batch::ComparedRun& one : all.runs) {
    py::dict entry;
    entry["label"] = all.combinations[one.combination].label;
    entry[all.by_step ? "step" : "tolerance"] = one.control;
    entry["status"] = one.status;
    entry["message"] = one.message;
    entry["error"] = one.error;
    entry["cpu_s"] = one.cpu_s;
    entry["evaluations"] = one.evaluations;
    entry["steps"] = one.steps;
    entry["drift"] = one.drift;
    entry["position_residual"] = one.position_residual;
    entry["velocity_residual"] = one.velocity_residual;
    list.append(entry);
  }
  return list;
}

void save_comparison(const batch::Comparison& all, const std::string& file, const std::string& format,
                     bool force) {
  if (format == "csv")
    io::write_text(file, comparison_csv(all), {batch::comparison_mark, force, {}});
  else if (format == "svg")
    io::write_text(file, comparison_svg(all), {io::svg_mark, force, {}});
  else
    io::write_text(file, comparison_page(all), {io::page_mark, force, {}});
}

py::dict dict_of(const batch::BatchState& state) {
  py::dict all;
  all["cases"] = state.cases;
  all["done"] = state.done;
  all["failed"] = state.failed;
  all["noted"] = state.noted;
  all["left"] = state.left();
  all["rate"] = state.rate;
  all["left_s"] = state.left_s();
  return all;
}

/// Calls a Python function with the state of the batch, at most ten times a second. Its exception stops the
/// batch.
std::function<void(const batch::BatchState&)> progress_call(const py::object& function,
                                                            Interruption& interruption) {
  using Clock = std::chrono::steady_clock;
  return [&, next = Clock::time_point()](const batch::BatchState& state) mutable {
    if (Clock::now() < next || interruption.pending()) return;
    next = Clock::now() + std::chrono::milliseconds(100);
    const py::gil_scoped_acquire gil;
    try {
      function(dict_of(state));
    } catch (...) {
      interruption.stop_with(std::current_exception());
    }
  };
}

py::dict run_study(const scene::SceneFolders& folders, const std::string& study, const std::string& folder,
                   int threads, bool lanes, bool resume, bool force, const py::object& progress) {
  Interruption interruption;
  batch::BatchOptions options{
      .folder = folder, .threads = threads, .lanes = lanes, .resume = resume, .force = force};
  options.cancelled = [&] { return interruption.pending(); };
  if (!progress.is_none()) options.progress = progress_call(progress, interruption);
  batch::BatchSummary summary;
  {
    const py::gil_scoped_release others_may_run;
    summary =
        run_batch(batch::load_study(folders.find_study(study),
                                    [&](const std::string& scene) { return folders.find_scene(scene); }),
                  options);
  }
  interruption.rethrow();
  py::dict state = dict_of(summary.state);
  if (!progress.is_none()) progress(state);
  state["complete"] = summary.complete;
  return state;
}

std::string table_text(const std::string& folder, const std::string& where, const Names& columns,
                       bool timings) {
  std::string text;
  batch::read_table(folder, {where, columns, timings}, [&](std::string_view part) { text += part; });
  return text;
}

py::list list_of_methods() {
  py::list all;
  for (const MethodInfo& method : methods()) {
    Names treatments;
    for (const Treatment treatment : method.treatments) treatments.emplace_back(to_string(treatment));
    py::dict entry;
    entry["name"] = method.name;
    entry["order"] = method.order;
    entry["embedded_order"] = method.embedded_order;
    entry["fixed_step_only"] = method.fixed_step_only;
    entry["keeps"] = method.keeps;
    entry["reference"] = method.reference;
    entry["treatments"] = treatments;
    entry["connection"] = method.connection;
    all.append(entry);
  }
  return all;
}

}  // namespace

void add_batches(py::module_& module) {
  py::class_<batch::Comparison>(module, "Comparison")
      .def(py::init(&compare_methods))
      .def_readonly("scene", &batch::Comparison::scene)
      .def_readonly("unit", &batch::Comparison::unit)
      .def_property_readonly("reference", &batch::Comparison::about_reference)
      .def_property_readonly("errors", &batch::Comparison::about_errors)
      .def_property_readonly("floor", &batch::Comparison::floor)
      .def_property_readonly("combinations", &combinations)
      .def_property_readonly("runs", &runs)
      .def("svg", &batch::comparison_svg)
      .def("save", &save_comparison);
  module.def("run_study", &run_study);
  module.def("table_text", &table_text);
  module.def("methods", &list_of_methods);
  module.def("provenance", [] { return io::provenance().entries(); });
}

}  // namespace torsor::python
