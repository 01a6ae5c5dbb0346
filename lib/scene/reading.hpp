#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "table_reader.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// Names of one family of tables and the place of each in its list.
class Names {
 public:
  /// False when the name is taken.
  bool add(const std::string& name);
  /// Place of a name, -1 for an unknown one.
  int find(const std::string& name) const;
  std::string hint(const std::string& name) const;
  int size() const { return static_cast<int>(names_.size()); }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, int> places_;
};

/// The [table] of a document, empty where it is missing.
TableReader section(const Node& document, const Rule& rule, const std::string& key, double begin,
                    Diagnostics& diagnostics, const Definitions& definitions = no_definitions());
/// The tables [[key]] of a document, each described by its name.
std::vector<TableReader> tables(const Node& document, const Rule& rule, const std::string& key, double begin,
                                Diagnostics& diagnostics, const Definitions& definitions = no_definitions());

/// What a name of `Reading::bodies` stands for: a body, or a node of one.
struct BodyPlace {
  int body = world, node = -1;
};

/// What the readers of the parts share.
struct Reading {
  const Node& document;
  Diagnostics& diagnostics;
  const Definitions& definitions;
  Scene scene = {};
  Names bodies = {}, joints = {}, constraints = {}, points = {}, forces = {}, events = {};
  double begin = 0;
  std::vector<BodyPlace> body_places = {};  ///< over the names of bodies; after read_bodies

  TableReader section(const std::string& key) const {
    return scene::section(document, scene_rule(), key, begin, diagnostics, definitions);
  }
  std::vector<TableReader> tables(const std::string& key) const {
    return scene::tables(document, scene_rule(), key, begin, diagnostics, definitions);
  }
  /// Index of the body that `key` names, `world` for "ground"; an unknown one is reported, and `world`.
  int body(const TableReader& table, std::string_view key) const;
  /// The same where a node may be named too, and the `position` from there.
  BodyPoint point(const TableReader& table) const;
  /// Index of the joint or point that `key` names; an unknown one is reported, and -1.
  int known(const TableReader& table, std::string_view key, const Names& names, std::string_view what) const;
};

/// Gives every named table its place and reports names that are taken or not allowed.
void read_names(Reading& reading);
void read_run(Reading& reading);
void read_bodies(Reading& reading);
/// Particles, alone or in rigid systems; by read_bodies.
void read_particles(Reading& reading);
void read_joints(Reading& reading);
/// Which joints are cut; after read_joints.
void read_cut(Reading& reading);
void read_forces(Reading& reading);
void read_constraints(Reading& reading);
void read_points(Reading& reading);
void read_events(Reading& reading);
/// A scene in coordinates, its events included; after read_run, in place of all others.
void read_chart(Reading& reading);

/// Frames X_PF and X_CM of a joint or a constraint like one.
void read_frames(const TableReader& table, Joint& joint, std::vector<std::string>& notes);

/// A coordinate of a joint as a table names it by two of its keys.
struct NamedCoordinate {
  int joint = 0, coordinate = 0;
  std::string_view unit = "m";  ///< of the coordinate
};
/// Whether coordinates or rates are asked for. What the joint has not is reported, and absent.
std::optional<NamedCoordinate> read_coordinate(const Reading& reading, const TableReader& table,
                                               std::string_view joint_key, std::string_view coordinate_key,
                                               bool rate);

/// "m" or "rad" for each velocity component of a joint.
std::vector<std::string_view> coordinate_units(JointKind kind);

}  // namespace torsor::scene
