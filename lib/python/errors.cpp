#include <ctime>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "torsor/io/stored_result.hpp"
#include "torsor/lie/status.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::python {
namespace {

/// Phrases in messages of the library that only make sense for the command, and the phrases that replace them
/// in Python.
constexpr std::pair<std::string_view, std::string_view> words_in_python[] = {
    {"; --force replaces it", "; force=True replaces it"},
    {"; --force resumes it", "; force=True resumes it"},
    {"; --resume continues it", "; resume=True continues it"},
    {"; torsor batch --resume computes", "; torsor.batch with resume=True computes"},
    {"by --plugins or TORSOR_PLUGINS=1", "by the environment variable TORSOR_PLUGINS=1"},
    {"; `torsor table` and `torsor plot --over` read it", "; torsor.Batch reads it"},
    {"scene; `torsor scenes` lists the names", "scene; torsor.scenes lists the names"},
    {"study; `torsor scenes` lists the names", "study"},
    {"; `torsor batch` runs it", "; torsor.batch runs it"},
    {"; `torsor run` runs it", "; torsor.load loads it"},
    {"; run the scene by `torsor run` first", "; torsor.load loads a scene, and its run gives a motion"}};

std::string in_python(std::string message) {
  for (const auto& [command, python] : words_in_python)
    if (const std::size_t place = message.find(command); place != std::string::npos)
      message.replace(place, command.size(), python);
  return message;
}

/// Raises the exception of this class of torsor.errors.
template <class... Arguments>
void raise(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("torsor.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(arguments...).ptr());
}

py::list listed(const scene::SceneError& error) {
  py::list all;
  for (const scene::Diagnostic& one : error.diagnostics)
    all.append(py::make_tuple(one.file, one.line, one.column, in_python(one.message), in_python(one.text())));
  return all;
}

long now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

bool Interruption::pending() {
  constexpr long interval_ms = 100;
  long next = next_ms_.load(std::memory_order_relaxed);
  const long now = now_ms();
  if (now >= next && next_ms_.compare_exchange_strong(next, now + interval_ms) && next > 0) {  // not at first
    const py::gil_scoped_acquire gil;
    if (!stopped_ && PyErr_CheckSignals() != 0) stop_with(std::make_exception_ptr(py::error_already_set()));
  }
  return stopped_.load(std::memory_order_relaxed);
}

void Interruption::stop_with(std::exception_ptr failure) {
  failure_ = std::move(failure);
  stopped_ = true;
}

void Interruption::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

void add_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const scene::SceneError& error) {
      raise("SceneError", listed(error));
    } catch (const io::ResultError& error) {
      raise("ResultError", in_python(error.what()));
    } catch (const io::IoError& error) {
      raise("FileError", in_python(error.what()));
    } catch (const EvaluationError& error) {
      raise("RunError", std::string(to_string(error.status)), error.what());
    } catch (const std::invalid_argument& error) {
      PyErr_SetString(PyExc_ValueError, in_python(error.what()).c_str());
    }
  });
}

}  // namespace torsor::python
