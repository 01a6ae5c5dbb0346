#include "motion.hpp"

#include <filesystem>
#include <utility>

#include "io/pages/facts.hpp"
#include "io/result.hpp"
#include "io/text_file.hpp"
#include "torsor/io/pages.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::python {

Motion::Motion(io::StoredResult result) : result_(std::move(result)) {}

const io::StoredResult& Motion::stated() {
  if (result_.facts.empty()) result_.facts = io::facts(result_.scene, result_.trajectory);
  return result_;
}

const std::vector<double>& Motion::table() {
  if (!table_.empty()) return table_;
  std::vector<double> row;
  for (std::size_t i = 0; i < samples(); ++i) {
    io::column_values(result_.scene, result_.trajectory.samples[i], row);
    table_.resize(samples() * row.size());
    for (std::size_t j = 0; j < row.size(); ++j) table_[j * samples() + i] = row[j];
  }
  return table_;
}

io::StoredResult stored(const scene::Scene& scene, Trajectory trajectory) {
  io::StoredResult result{
      .file = {}, .scene = scene, .trajectory = std::move(trajectory), .events = {}, .facts = {}};
  for (const EventRecord& record : result.trajectory.summary.events)
    result.events.push_back({io::event_name(scene, record), record.t});
  return result;
}

py::tuple layout(const scene::Scene& scene, const Sample& first) {
  py::list columns;
  for (const io::Column& column : io::columns_of(scene, first))
    columns.append(py::make_tuple(column.name, column.unit));
  py::dict sizes;
  for (const Joint& joint : scene.mechanism.joints)
    sizes[py::str("joint." + joint.name)] =
        py::make_tuple(coordinate_count(joint.kind), freedom_count(joint.kind));
  for (std::size_t i = 0; i < first.constraints.size(); ++i)
    sizes[py::str("constraint." + scene.mechanism.constraints[i].name)] =
        py::make_tuple(first.constraints[i].multipliers.size(), 0);
  return py::make_tuple(columns, sizes);
}

namespace {

/// The table as a read-only array (samples, columns). The array keeps its motion alive.
py::array_t<double> table_of(const py::object& self) {
  auto& motion = self.cast<Motion&>();
  const auto rows = static_cast<py::ssize_t>(motion.samples()),
             size = static_cast<py::ssize_t>(sizeof(double));
  const std::vector<double>& values = motion.table();
  py::array_t<double> table({rows, static_cast<py::ssize_t>(values.size()) / rows}, {size, size * rows},
                            values.data(), self);
  table.attr("setflags")(py::arg("write") = false);
  return table;
}

py::list events_of(const Motion& motion) {
  py::list all;
  for (const auto& event : motion.result().events) all.append(py::make_tuple(event.name, event.t));
  return all;
}

void save(const Motion& motion, const std::string& path, const std::string& format, bool force) {
  const io::StoredResult& result = motion.result();
  (format == "h5" ? io::write_hdf5 : io::write_csv)(path, result.scene, result.trajectory,
                                                    {.mark = {}, .force = force, .inputs = {}});
}

/// Never replaces a file of the result.
void save_replay(Motion& motion, const std::string& path, const std::vector<std::string>& columns,
                 bool force) {
  const std::filesystem::path file = motion.result().file;
  io::Overwrite overwrite{io::replay_mark, force, {}};
  if (!file.empty()) overwrite.inputs = {file, std::filesystem::path(file).replace_extension(".csv")};
  io::write_text(path, io::replay_page(motion.stated(), {columns}).html, overwrite);
}

}  // namespace

void add_motions(py::module_& module) {
  module.def("file_label", &io::file_label);
  const auto run = [](const Motion& motion) -> const RunSummary& {
    return motion.result().trajectory.summary;
  };
  py::class_<Motion>(module, "Motion")
      .def(py::init([](const std::string& path) { return Motion(io::read_result(path)); }), "Reads a result.")
      .def_property_readonly("table", &table_of)
      .def_property_readonly("layout",
                             [](const Motion& motion) {
                               return layout(motion.result().scene,
                                             motion.result().trajectory.samples.front());
                             })
      .def_property_readonly("events", &events_of)
      .def_property_readonly("samples", &Motion::samples)
      .def_property_readonly("scene", [](const Motion& motion) { return motion.result().scene.resolved; })
      .def_property_readonly("name", [](const Motion& motion) { return motion.result().scene.name; })
      .def_property_readonly("notes", [](const Motion& motion) { return motion.result().scene.notes; })
      .def_property_readonly(
          "status", [run](const Motion& motion) { return std::string(to_string(run(motion).status)); })
      .def_property_readonly("message", [run](const Motion& motion) { return run(motion).message; })
      .def_property_readonly("note", [run](const Motion& motion) { return run(motion).note; })
      .def_property_readonly("counts",
                             [run](const Motion& motion) {
                               return py::make_tuple(run(motion).accepted, run(motion).rejected,
                                                     run(motion).evaluations);
                             })
      .def(
          "json",
          [](const Motion& motion) { return io::to_json(motion.result().scene, motion.result().trajectory); })
      .def("save", &save)
      .def("replay",
           [](Motion& motion, const std::vector<std::string>& columns) {
             return io::replay_page(motion.stated(), {columns}).html;
           })
      .def("save_replay", &save_replay)
      .def("report", [](Motion& motion) { return io::report_page(motion.stated()); })
      .def("warnings", [](Motion& motion) { return io::warnings_of(motion.stated()); });
}

}  // namespace torsor::python
