#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

class Hdf5File;
class Hdf5Reader;
class Hdf5Samples;
class JsonWriter;
class Row;

/// Columns of one figure of a report, with its label and its caption.
struct ReportFigure {
  std::vector<std::string> columns;
  const char *label, *caption;
  bool logarithmic = false;
};

/// What results of bodies and results in coordinates give in different forms. All else that results contain
/// is the same for both.
struct MotionKind {
  bool in_coordinates;  ///< for files and texts that name the kind

  /// The form of the equations of motion, as names and values. Bodies have a formulation and a group; a
  /// system in coordinates has its equations.
  std::vector<std::pair<std::string_view, std::string_view>> (*form)(const Scene& scene);

  void (*write_row)(Row& row, const Scene& scene, const Sample& sample);
  /// The parts of the motion, its energy and its constraints at the end of a run.
  void (*write_end)(JsonWriter& json, const Scene& scene, const Trajectory& trajectory);
  /// Makes the groups, names and datasets of a result, from its first sample.
  void (*declare)(Hdf5File& file, Hdf5Samples& sets, const Scene& scene, const Sample& first);
  /// Reads the values of samples, whose times are set, as far as a file holds them.
  void (*read)(const Hdf5Reader& file, const Scene& scene, std::vector<Sample>& samples);

  /// The positions by which motions are compared: the mass centres of bodies, or coordinates.
  std::vector<std::string> (*position_columns)(const Scene& scene);
  std::vector<double> (*positions)(const Sample& sample);
  int position_components;         ///< number of columns of one position
  std::string_view position_unit;  ///< empty if the formulas of the scene decide it

  /// The bodies that a replay shows, and their motions: in coordinates, the particles.
  std::vector<Body> (*drawn_bodies)(const Scene& scene);
  std::vector<BodyMotion> (*drawn_motions)(const Scene& scene, const Sample& sample);
  std::string_view drawn_columns;  ///< columns that a replay always plots; empty: none

  /// The numbers of bodies, joints, forces and constraints, as rows of a table of the report.
  std::vector<std::vector<std::string>> (*contents)(const Scene& scene);
  std::vector<ReportFigure> (*figures)();
  /// The last sample as a table of the report.
  std::string (*html_end)(const Scene& scene, const Sample& last);
};

/// The kind of motion that a scene describes.
const MotionKind& motion_kind(const Scene& scene);

namespace of_bodies {
void write_row(Row& row, const Scene& scene, const Sample& sample);
void write_end(JsonWriter& json, const Scene& scene, const Trajectory& trajectory);
void declare(Hdf5File& file, Hdf5Samples& sets, const Scene& scene, const Sample& first);
void read(const Hdf5Reader& file, const Scene& scene, std::vector<Sample>& samples);
std::vector<Body> drawn_bodies(const Scene& scene);
std::vector<BodyMotion> drawn_motions(const Scene& scene, const Sample& sample);
std::vector<std::vector<std::string>> contents(const Scene& scene);
std::vector<ReportFigure> figures();
std::string html_end(const Scene& scene, const Sample& last);
}  // namespace of_bodies

namespace in_coordinates {
void write_row(Row& row, const Scene& scene, const Sample& sample);
void write_end(JsonWriter& json, const Scene& scene, const Trajectory& trajectory);
void declare(Hdf5File& file, Hdf5Samples& sets, const Scene& scene, const Sample& first);
void read(const Hdf5Reader& file, const Scene& scene, std::vector<Sample>& samples);
std::vector<Body> drawn_bodies(const Scene& scene);
std::vector<BodyMotion> drawn_motions(const Scene& scene, const Sample& sample);
std::vector<std::vector<std::string>> contents(const Scene& scene);
std::vector<ReportFigure> figures();
std::string html_end(const Scene& scene, const Sample& last);
}  // namespace in_coordinates

}  // namespace torsor
