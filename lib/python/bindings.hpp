#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <exception>

/// The module torsor._core: the parts of the library that the Python package (lib/python/torsor) needs. The
/// package adds keyword arguments, documentation and types.
namespace torsor::python {
namespace py = pybind11;

/// C++ exceptions become exceptions of torsor.errors.
void add_errors(py::module_& module);
void add_scenes(py::module_& module);
void add_motions(py::module_& module);
void add_batches(py::module_& module);
void add_groups(py::module_& module);
void add_group_fields(py::module_& module);

/// While a computation has released the GIL, `pending` asks Python, at most every 100 ms, whether a signal
/// came, such as that of Ctrl-C. If the handler of the signal raised an exception, `pending` returns true,
/// and `rethrow` throws the exception. Any thread may call `pending` at any rate; Python handles signals in
/// its main thread. A call that asks Python first waits for the GIL, usually at most 5 ms.
class Interruption {
 public:
  bool pending();
  void stop_with(std::exception_ptr failure);
  void rethrow() const;

 private:
  std::atomic<long> next_ms_ = 0;
  std::atomic<bool> stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace torsor::python
