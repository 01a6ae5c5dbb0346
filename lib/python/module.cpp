#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of the package torsor.";
  torsor::python::add_errors(module);
  torsor::python::add_groups(module);
  torsor::python::add_group_fields(module);
  torsor::python::add_motions(module);
  torsor::python::add_scenes(module);
  torsor::python::add_batches(module);
}
