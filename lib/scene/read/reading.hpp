#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "table_reader.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// The names of one family of tables, with the index of each in its list.
class Names {
 public:
  /// Returns false if the name is already used.
  bool add(const std::string& name);
  /// Index of a name, -1 for an unknown name.
  int find(const std::string& name) const;
  std::string hint(const std::string& name) const;
  int size() const { return static_cast<int>(names_.size()); }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, int> places_;
};

/// The table [key] of a document; a reader without a table if the document has none.
TableReader section(const Node& document, const Rule& rule, const std::string& key, double begin,
                    Diagnostics& diagnostics, const Definitions& definitions = no_definitions());
/// The tables [[key]] of a document. Messages refer to each table by its name.
std::vector<TableReader> tables(const Node& document, const Rule& rule, const std::string& key, double begin,
                                Diagnostics& diagnostics, const Definitions& definitions = no_definitions());

/// The meaning of a name in `Reading::bodies`: a body, or a node of a body.
struct BodyPlace {
  int body = world, node = -1;
};

/// The data that the readers of the parts of a scene share.
struct Reading {
  const Node& document;
  Diagnostics& diagnostics;
  const Definitions& definitions;
  Scene scene = {};
  Names bodies = {}, joints = {}, constraints = {}, points = {}, forces = {}, events = {}, states = {},
        sampled = {};
  const std::vector<SceneFunction>* given_functions = nullptr;  ///< given by the program that reads the scene
  double begin = 0;
  std::vector<BodyPlace> body_places = {};  ///< one for each name in `bodies`; set by read_bodies
  std::filesystem::path folder = {};        ///< of the scene file; libraries of plugins are in it or below it
  std::string why_no_plugins = {};  ///< end of the error message for a plugin; empty: they are allowed
  std::vector<OwnState> plugin_states = {};  ///< of forces; see add_plugin_states

  TableReader section(const std::string& key) const {
    return scene::section(document, scene_rule(), key, begin, diagnostics, definitions);
  }
  std::vector<TableReader> tables(const std::string& key) const {
    return scene::tables(document, scene_rule(), key, begin, diagnostics, definitions);
  }
  /// Index of the body that `key` names; `world` for "ground". Reports an unknown name and returns `world`.
  int body(const TableReader& table, std::string_view key) const;
  /// The bodies that the array under `key` names, without the ground. Reports each wrong name, and leaves it
  /// out.
  std::vector<int> several_bodies(const TableReader& table, std::string_view key) const;
  /// The point that the keys "body" and "position" give. If "body" names a node, "position" is measured from
  /// this node.
  BodyPoint point(const TableReader& table) const;
  /// Index in `names` of the name under `key`. Reports an unknown name and returns -1. `what`: "joint",
  /// "point" or "body", for the message.
  int known(const TableReader& table, std::string_view key, const Names& names, std::string_view what) const;
  std::string why_not_whole(int place, const std::string& name) const;
};

/// Collects the names of all tables, and reports names that are already used or not allowed.
void read_names(Reading& reading);
void read_run(Reading& reading);
void read_bodies(Reading& reading);
/// Reads particles, free or in rigid systems; called by read_bodies.
void read_particles(Reading& reading);
void read_joints(Reading& reading);
/// Reads which joints are cut; call after read_joints.
void read_cut(Reading& reading);
void read_forces(Reading& reading);
void read_constraints(Reading& reading);
/// Reads the points; call before the readers of formulas that may use them.
void read_points(Reading& reading);
/// Takes the functions that a program gives; call before the readers of formulas that may use them. Throws
/// SceneError if an input of a function does not exist.
void read_functions(Reading& reading);
/// Reads own states and sampled values.
void read_states(Reading& reading);
/// Moves the states of plugins behind all other own states; call after read_states.
void add_plugin_states(Reading& reading);
void read_events(Reading& reading);
/// Reads a scene in coordinates, including its events; call after read_run, instead of all other readers.
void read_coordinates(Reading& reading);

/// Reads the frames X_PF and X_CM of a joint, or of a constraint that has the same keys.
void read_frames(const TableReader& table, Joint& joint, std::vector<std::string>& notes);

/// Reads a [[force]] or [[constraint]] of kind "plugin".
ForceElement read_force_plugin(Reading& reading, const TableReader& table);
UserConstraint read_constraint_plugin(Reading& reading, const TableReader& table);

/// The group product that `group` names; `other` if the key is absent.
inline GroupProduct product_named(std::string_view group, GroupProduct other) {
  return group.empty() ? other : group == "semidirect" ? GroupProduct::semidirect : GroupProduct::direct;
}

/// For each velocity component of a joint, the unit of its coordinate: "m" or "rad".
std::vector<std::string_view> coordinate_units(JointKind kind);

}  // namespace torsor::scene
