#include "torsor/scene/scene.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <deque>
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
  std::timed_mutex running;
  std::atomic<std::thread::id> runner = std::thread::id();  ///< the thread of the run, if there is one
};

/// An exception of a Python function, and its message in C++.
struct FunctionFailure {
  std::string message;
  std::exception_ptr exception;
};

/// The last exceptions of Python functions in the run of this thread, and whether the last one is an
/// interruption such as KeyboardInterrupt. After an interruption, the run calls no function of Python.
thread_local std::deque<FunctionFailure> failures_of_functions;
thread_local bool function_interrupted = false;

/// The greatest number of exceptions that a run keeps.
constexpr std::size_t most_failures = 1000;

/// Whether this thread runs a scene.
thread_local bool running_scene = false;

/// The Python function that the run of this thread calls now; empty: none, or the observer.
thread_local std::string_view called_function;

/// The state of an outer run, whose observer or function runs another scene. It is set aside until the inner
/// run has ended. Exceptions from before an outermost run are forgotten.
class OuterRun {
 public:
  OuterRun() = default;
  OuterRun(const OuterRun&) = delete;
  OuterRun& operator=(const OuterRun&) = delete;
  ~OuterRun() {
    called_function = called_;
    running_scene = inside_;
    if (!inside_) return;
    failures_of_functions = std::move(failures_);
    function_interrupted = interrupted_;
  }

 private:
  std::deque<FunctionFailure> failures_ = std::exchange(failures_of_functions, {});
  bool interrupted_ = std::exchange(function_interrupted, false);
  bool inside_ = std::exchange(running_scene, true);
  std::string_view called_ = std::exchange(called_function, {});
};

/// The number that a Python function returned.
double number_of(const std::string& function, const py::object& returned) {
  const double number = PyFloat_AsDouble(returned.ptr());
  if (number != -1 || !PyErr_Occurred()) return number;
  const py::error_already_set refused;
  if (!refused.matches(PyExc_TypeError)) throw refused;
  const py::str text = py::repr(returned);
  const bool is_short = py::len(text) <= 60;
  throw py::type_error(
      "the function \"" + function + "\" must return a number; it returned " +
      (is_short ? std::string(text) : "a " + std::string(py::str(py::type::of(returned).attr("__name__")))));
}

/// A reference to a Python function. The scene in Python keeps the function. A strong reference here would keep a
/// scene for ever whose function refers to it, because Python's garbage collector does not see it; functions of
/// kinds that have no weak references get one nevertheless.
py::object reference_to(const py::function& function) {
  PyObject* const weak = PyWeakref_NewRef(function.ptr(), nullptr);
  if (weak) return py::reinterpret_steal<py::object>(weak);
  PyErr_Clear();
  return function;
}

py::object referenced(const py::object& reference) {
  if (!PyWeakref_Check(reference.ptr())) return reference;
  auto function = py::reinterpret_borrow<py::object>(PyWeakref_GetObject(reference.ptr()));
  if (function.is_none()) throw std::runtime_error("the scene with this function no longer exists");
  return function;
}

/// A Python function in formulas. Its exception ends the run, and `with_functions` throws it again.
scene::SceneFunction function_of(const std::string& name, std::vector<std::string> inputs,
                                 const py::function& function) {
  const std::shared_ptr<py::object> shared(new py::object(reference_to(function)), [](py::object* it) {
    const py::gil_scoped_acquire gil;
    delete it;
  });
  const std::size_t count = inputs.size();
  return {name, std::move(inputs), [name, shared, count](const double* values) {
            if (function_interrupted) throw std::runtime_error("function \"" + name + "\": interrupted");
            const py::gil_scoped_acquire gil;
            const std::unique_ptr<std::string_view, void (*)(std::string_view*)> after_the_call(
                &(called_function = name), [](std::string_view* it) { *it = {}; });
            try {
              py::tuple arguments(count);
              for (std::size_t i = 0; i < count; ++i) arguments[i] = values[i];
              return number_of(name, referenced(*shared)(*arguments));
            } catch (const std::exception& error) {
              const std::string message = "function \"" + name + "\": " + error.what();
              failures_of_functions.push_back({message, std::current_exception()});
              if (failures_of_functions.size() > most_failures) failures_of_functions.pop_front();
              const auto* const raised = dynamic_cast<const py::error_already_set*>(&error);
              if (raised && !raised->matches(PyExc_Exception)) function_interrupted = true;
              throw std::runtime_error(message);
            }
          }};
}

/// Calls f. If a Python function raised an exception meanwhile, throws this exception again.
template <class F>
auto with_functions(const F& f) {
  const OuterRun outer;
  const auto rethrow = [] {
    const std::deque<FunctionFailure> failures = std::exchange(failures_of_functions, {});
    if (!failures.empty()) std::rethrow_exception(failures.back().exception);
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

/// Waits until no other run uses the scene. A signal such as Ctrl-C ends the wait by its exception.
std::unique_lock<std::timed_mutex> wait_for_turn(Ready& ready) {
  std::unique_lock turn(ready.running, std::defer_lock);
  while (!turn.try_lock_for(std::chrono::milliseconds(100))) {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return turn;
}

/// Calls f while other threads of Python run, and while no other run uses the scene. Exceptions of functions
/// of Python pass through.
template <class F>
auto alone(Ready& ready, const F& f) {
  if (ready.runner == std::this_thread::get_id()) {
    if (called_function.empty())
      throw std::invalid_argument("an observer cannot use the scene whose run calls it; take scene.copy()");
    throw std::invalid_argument(
        fmt::format("the function \"{}\" cannot use the scene whose run calls it; it can use scenes without "
                    "this function",
                    called_function));
  }
  return with_functions([&] {
    const py::gil_scoped_release others_may_run;
    const auto turn = wait_for_turn(ready);
    ready.runner = std::this_thread::get_id();
    const std::unique_ptr<Ready, void (*)(Ready*)> at_the_end(
        &ready, [](Ready* it) { it->runner = std::thread::id(); });
    return f();
  });
}

/// Runs a scene. The search for events evaluates functions also at states beside the motion, where they may
/// raise an exception. A run that does not need the value goes on, and the exception is forgotten. After the
/// exception that ended the run, whose message the run reports, the last output may call functions again.
Trajectory run_with_functions(Ready& ready, SimulationOptions options, const SampleSink& sink) {
  options.cancelled = [cancelled = std::move(options.cancelled)] {
    return function_interrupted || cancelled();
  };
  return alone(ready, [&] {
    Trajectory trajectory = run(ready.scene, ready.ready, options, sink);
    const py::gil_scoped_acquire gil;
    if (!function_interrupted)
      std::erase_if(failures_of_functions,
                    [&message = trajectory.summary.message](const FunctionFailure& one) {
                      return message.find(one.message) == std::string::npos;
                    });
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
  const scene::StartRows rows = alone(ready, [&] {
    return std::visit([&](const auto& one) { return start_rows(ready.scene, one); }, ready.ready);
  });
  py::dict found;
  found["freedoms"] = rows.freedoms();
  found["rows"] = rows.rows;
  found["redundant"] = rows.redundant_names;
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
