#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

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

/// The parts of results whose form differs between bodies and coordinates. All other parts are the same for
/// both.
struct MotionKind {
  using WriteRow = void(Row& row, const scene::Scene& scene, const Sample& sample);
  using WriteEnd = void(JsonWriter& json, const scene::Scene& scene, const Trajectory& trajectory);
  using Declare = void(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene, const Sample& first);
  using Read = void(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples);
  using DrawnBodies = std::vector<Body>(const scene::Scene& scene);
  using DrawnMotions = std::vector<BodyMotion>(const scene::Scene& scene, const Sample& sample);
  using Contents = std::vector<std::vector<std::string>>(const scene::Scene& scene);
  using Figures = std::vector<ReportFigure>(const scene::Scene& scene);
  using HtmlEnd = std::string(const scene::Scene& scene, const Sample& last);

  bool in_coordinates;  ///< for files and texts that name the kind

  /// The form of the equations of motion, as names and values. Bodies have a formulation and a group; a
  /// system in coordinates has its equations.
  std::vector<std::pair<std::string_view, std::string_view>> (*form)(const scene::Scene& scene);

  WriteRow* write_row;
  /// The parts of the motion, its energy and its constraints at the end of a run.
  WriteEnd* write_end;
  /// Makes the groups, names and datasets of a result, from its first sample.
  Declare* declare;
  /// Reads the values of samples, whose times are set, as far as a file holds them.
  Read* read;

  /// The positions by which motions are compared: the mass centres of bodies, or coordinates.
  std::vector<std::string> (*position_columns)(const scene::Scene& scene);
  std::vector<double> (*positions)(const Sample& sample);
  /// The attitudes of bodies that turn, as quaternions with the scalar first; none in coordinates.
  std::vector<std::string> (*attitude_columns)(const scene::Scene& scene);
  std::vector<double> (*attitudes)(const scene::Scene& scene, const Sample& sample);
  int position_components;         ///< number of columns of one position
  std::string_view position_unit;  ///< empty if the formulas of the scene decide it

  /// The bodies that a replay shows, and their motions: in coordinates, the particles.
  DrawnBodies* drawn_bodies;
  DrawnMotions* drawn_motions;
  std::string_view drawn_columns;  ///< columns that a replay always plots; empty: none

  /// The numbers of bodies, joints, forces and constraints, as rows of a table of the report.
  Contents* contents;
  Figures* figures;
  /// The last sample as a table of the report.
  HtmlEnd* html_end;
};

/// The kind of motion that a scene describes.
const MotionKind& motion_kind(const scene::Scene& scene);

/// Throws std::invalid_argument if the sample does not have the numbers of bodies, joints, ... of the scene.
void check_sample(const scene::Scene& scene, const Sample& sample);
/// Throws std::invalid_argument if the trajectory has no sample.
void check_not_empty(const Trajectory& trajectory);

// The functions of the two kinds.
MotionKind::WriteRow write_row_of_bodies, write_row_in_coordinates;
MotionKind::WriteEnd write_end_of_bodies, write_end_in_coordinates;
MotionKind::Declare declare_of_bodies, declare_in_coordinates;
MotionKind::Read read_of_bodies, read_in_coordinates;
MotionKind::DrawnBodies drawn_bodies_of_bodies, drawn_bodies_in_coordinates;
MotionKind::DrawnMotions drawn_motions_of_bodies, drawn_motions_in_coordinates;
MotionKind::Contents contents_of_bodies, contents_in_coordinates;
MotionKind::Figures figures_of_bodies, figures_in_coordinates;
MotionKind::HtmlEnd html_end_of_bodies, html_end_in_coordinates;

}  // namespace torsor::io
