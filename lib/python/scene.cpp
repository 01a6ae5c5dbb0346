#include "torsor/scene/scene.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "bindings.hpp"
#include "motion.hpp"
#include "scene/geometry_at.hpp"
#include "scene/scene_files.hpp"
#include "scene/start_check.hpp"
#include "scene/start_rows.hpp"
#include "scene/title.hpp"

namespace torsor::python {
namespace {

/// A scene that is ready to run. One run at a time uses it, since its system has scratch memory.
struct Ready {
  Ready(const scene::SceneSource& source, const scene::Overrides& overrides)
      : scene(source.scene(overrides)), ready(prepare(scene)) {
    scene.notes = notes_before_run(scene, ready);
  }

  scene::Scene scene;
  scene::ReadyScene ready;
  std::mutex running;
  std::atomic<std::thread::id> runner = std::thread::id();  ///< the thread of the run, if there is one
};

/// The last exception of a Python function in the run of this thread, its message in C++, and whether it is an
/// interruption such as KeyboardInterrupt. An interruption stays until the run ends, though the run may call functions
/// again before.
thread_local std::exception_ptr failure_of_function;
thread_local std::string message_of_failure;
thread_local bool function_interrupted = false;

/// A Python function in formulas. Its exception ends the run, and `with_functions` throws it again.
scene::SceneFunction function_of(const std::string& name, std::vector<std::string> inputs,
                                 const py::function& function) {
  const std::shared_ptr<py::function> shared(new py::function(function), [](py::function* it) {
    const py::gil_scoped_acquire gil;
    delete it;
  });
  const std::size_t count = inputs.size();
  return {name, std::move(inputs), [name, shared, count](const double* values) {
            const py::gil_scoped_acquire gil;
            try {
              py::tuple arguments(count);
              for (std::size_t i = 0; i < count; ++i) arguments[i] = values[i];
              return py::float_((*shared)(*arguments)).cast<double>();
            } catch (const std::exception& error) {
              const std::string message = "function \"" + name + "\": " + error.what();
              if (!function_interrupted)
                failure_of_function = std::current_exception(), message_of_failure = message;
              const auto* const raised = dynamic_cast<const py::error_already_set*>(&error);
              if (raised && !raised->matches(PyExc_Exception)) function_interrupted = true;
              throw std::runtime_error(message);
            }
          }};
}

/// Calls f. If a Python function raised an exception meanwhile, throws this exception again.
template <class F>
auto with_functions(const F& f) {
  failure_of_function = nullptr;
  function_interrupted = false;
  const auto rethrow = [] {
    if (const std::exception_ptr failure = std::exchange(failure_of_function, nullptr))
      std::rethrow_exception(failure);
  };
  try {
    auto result = f();
    rethrow();
    return result;
  } catch (...) {
    rethrow();
    throw;
  }
}

/// Calls f while other threads of Python run, and while no other run uses the scene. Exceptions of functions of
/// Python pass through.
template <class F>
auto alone(Ready& ready, const F& f) {
  if (ready.runner == std::this_thread::get_id())
    throw std::invalid_argument("an observer cannot use the scene whose run calls it; take scene.copy()");
  return with_functions([&] {
    const py::gil_scoped_release others_may_run;
    const std::lock_guard one_run(ready.running);
    ready.runner = std::this_thread::get_id();
    const std::unique_ptr<Ready, void (*)(Ready*)> at_the_end(
        &ready, [](Ready* it) { it->runner = std::thread::id(); });
    return f();
  });
}

/// Runs a scene. The search for events evaluates functions also at states beside the motion, where they may raise an
/// exception. A run that does not need the value goes on, and the exception is forgotten.
Trajectory run_with_functions(Ready& ready, SimulationOptions options, const SampleSink& sink) {
  options.cancelled = [cancelled = std::move(options.cancelled)] {
    return function_interrupted || cancelled();
  };
  return alone(ready, [&] {
    Trajectory trajectory = run(ready.scene, ready.ready, options, sink);
    const py::gil_scoped_acquire gil;
    const bool failed = trajectory.summary.message.find(message_of_failure) != std::string::npos;
    if (!failed && !function_interrupted) failure_of_function = nullptr;
    return trajectory;
  });
}

/// Calls a Python function with the row of each output. If the function returns True, the run ends there.
class Outputs {
 public:
  Outputs(const Ready& ready, const py::object& observer, Interruption& interruption)
      : ready_(ready), observer_(observer), interruption_(interruption) {}

  bool wanted() const { return !observer_.is_none(); }
  bool stopped() const { return stopped_; }
  std::vector<Sample> samples;

  void add(const Sample& sample) {
    samples.push_back(sample);
    if (stopped_) return;
    io::column_values(ready_.scene, sample, row_);
    const py::gil_scoped_acquire gil;
    try {
      const py::array_t<double> row(static_cast<py::ssize_t>(row_.size()), row_.data());
      stopped_ = observer_(row).is(py::bool_(true));
    } catch (...) {
      stopped_ = true;
      interruption_.stop_with(std::current_exception());
    }
  }

 private:
  const Ready& ready_;
  const py::object& observer_;
  Interruption& interruption_;
  std::vector<double> row_;
  bool stopped_ = false;
};

Motion run_ready(Ready& ready, const py::object& observer) {
  Interruption interruption;
  Outputs outputs(ready, observer, interruption);
  SimulationOptions options = ready.scene.run;
  options.cancelled = [&] { return interruption.pending() || outputs.stopped(); };
  SampleSink sink;
  if (outputs.wanted()) sink = [&](const Sample& sample) { outputs.add(sample); };
  Trajectory trajectory = run_with_functions(ready, options, sink);
  interruption.rethrow();
  if (outputs.wanted()) trajectory.samples = std::move(outputs.samples);
  return Motion(stored(ready.scene, std::move(trajectory)));
}

std::string geometry(Ready& ready, std::optional<double> at) {
  const scene::Scene& scene = ready.scene;
  Interruption interruption;
  SimulationOptions options = options_to(scene, at.value_or(scene.run.t_begin));
  options.cancelled = [&] { return interruption.pending(); };
  const RunSummary end = run_with_functions(ready, options, [](const Sample&) {}).summary;
  interruption.rethrow();
  if (end.status != StepStatus::reached_end && end.status != StepStatus::event)
    throw EvaluationError(end.status, end.message);
  return alone(ready, [&] {
    return std::visit([&](const auto& report) { return io::to_json(scene, report); },
                      geometry_at(scene, ready.ready, end, options));
  });
}

/// Validates a scene as `torsor check` does. `start`: the JSON object of a run of duration zero.
py::dict check(Ready& ready) {
  const Trajectory at_once = alone(ready, [&] { return run_at_start(ready.scene, ready.ready); });
  require_finite(ready.scene, ready.ready, at_once);
  py::dict found;
  std::visit(
      [&](const auto& one) {
        const scene::StartRows rows = start_rows(ready.scene, one);
        found["freedoms"] = rows.freedoms();
        found["rows"] = rows.rows;
        found["redundant"] = rows.redundant_names;
      },
      ready.ready);
  found["notes"] = ready.scene.notes;
  found["start"] = io::to_json(ready.scene, at_once);
  return found;
}

py::tuple layout_of_ready(Ready& ready) {
  const Trajectory at_once = alone(ready, [&] { return run_at_start(ready.scene, ready.ready); });
  return layout(ready.scene, at_once.samples.front());
}

py::dict titles(const std::vector<std::filesystem::path>& files) {
  py::dict all;
  for (const auto& file : files) try {
      all[py::str(file.stem().string())] = scene::title_of(file.string());
    } catch (const scene::SceneError&) {
      // A file that cannot be read is not a scene to run.
    }
  return all;
}

}  // namespace

void add_scenes(py::module_& module) {
  py::class_<scene::SceneSource>(module, "SceneSource")
      .def(py::init<std::string, std::string, const std::string&, std::map<std::string, std::string>>(),
           py::arg("text"), py::arg("file"), py::arg("folder") = std::string(),
           py::arg("tables") = std::map<std::string, std::string>())
      .def(py::init<const std::string&>())
      .def("give",
           [](scene::SceneSource& source,
              const std::vector<std::tuple<std::string, std::vector<std::string>, py::function>>& functions) {
             std::vector<scene::SceneFunction> all;
             for (const auto& [name, inputs, function] : functions)
               all.push_back(function_of(name, inputs, function));
             source.give(std::move(all));
           })
      .def_property_readonly("text", &scene::SceneSource::text)
      .def_property_readonly("file", &scene::SceneSource::file)
      .def_property_readonly("folder", &scene::SceneSource::folder)
      .def_property_readonly("tables", &scene::SceneSource::tables);
  py::class_<Ready>(module, "Ready")
      .def(py::init<const scene::SceneSource&, const scene::Overrides&>())
      .def_property_readonly("resolved", [](const Ready& ready) { return ready.scene.resolved; })
      .def_property_readonly("layout", &layout_of_ready)
      .def("run", &run_ready)
      .def("check", &check)
      .def("geometry", &geometry);
  py::class_<scene::SceneFolders>(module, "SceneFolders")
      .def(py::init([](const std::string& installed) { return scene::SceneFolders(installed); }))
      .def("find_scene", &scene::SceneFolders::find_scene)
      .def("find_study", &scene::SceneFolders::find_study)
      .def("scenes", [](const scene::SceneFolders& folders) { return titles(folders.scenes()); })
      .def("studies", [](const scene::SceneFolders& folders) { return titles(folders.studies()); });
}

}  // namespace torsor::python
