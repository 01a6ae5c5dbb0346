#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor::batch {

/// The JSON Schema (draft-07) of study files, `torsor/study/1`.
std::string_view study_schema();

/// Numbers from first to last with equal differences or equal ratios.
struct Range {
  double first = 0, last = 1;
  long count = 1;
  bool logarithmic = false;
};
/// A cell of a table. NaN is an empty cell.
using Cell = std::variant<double, std::string>;

/// The value of a key, as TOML and as cells of a table.
struct Value {
  std::string toml;
  std::vector<Cell> cells;
};
struct ValueList {
  std::vector<Value> values;
};
struct Uniform {
  double from = 0, to = 1;
};
struct Normal {
  double mean = 0, deviation = 1;
};
/// A rotation, uniform on SO(3), as a quaternion w x y z.
struct RandomRotation {};
/// Uniform on the sphere of this radius.
struct RandomDirection {
  double length = 1;
};

/// One value of the scene that varies.
struct Parameter {
  std::string key;   ///< as after --set: body.top.mass
  std::string unit;  ///< of numbers; empty: SI
  std::variant<ValueList, Range, Uniform, Normal, RandomRotation, RandomDirection> law;
  int axis = -1;  ///< number of the axis of the grid along which the value varies; -1: drawn for every case
  bool latin = false;  ///< whether a random value is stratified over all cases

  /// Names of its columns in a table.
  std::vector<std::string> columns() const;
};

/// The values that are kept of each case.
struct Keep {
  bool final = true, invariants = true, events = false, trajectories = false, statistics = true;
  std::vector<std::string> columns;
  std::vector<double> times;  ///< s, at which `columns` are kept; empty: at the end
  /// Settings of the reference run. The `error` of a case is its distance from the end of that run.
  scene::Overrides reference;
};

/// A checked plan of many runs. Case k, from 0 to cases() - 1, is a function of the study alone and costs the
/// same to find for any k; there is no list of cases.
///
/// k = (point of the grid) * draws + (draw); the last axis of the grid varies fastest. Random values come
/// from Philox numbers (J. Salmon et al., SC11, doi 10.1145/2063384.2063405). The key is the seed; the
/// counter is the case number and a hash of the parameter's key. Uniform and normal values are the inverse
/// distribution function of these numbers. A latin parameter takes its stratum from a keyed bijection of the
/// case numbers.
struct Study {
  std::string name;  ///< name of the file without its extension
  std::string title, text;
  scene::SceneSource scene;
  std::uint64_t seed = 0;
  long draws = 1;
  std::vector<long> axes;  ///< values along each axis of the grid
  std::vector<Parameter> parameters;
  Keep keep;

  std::int64_t cases() const;
  /// The values of case k, in the order of the parameters.
  std::vector<Value> values(std::int64_t k) const;
  /// The settings of the scene for these values.
  scene::Overrides overrides(const std::vector<Value>& values) const;
};

/// Greatest number of cases of a study.
constexpr std::int64_t most_cases = 10'000'000;

/// Finds the file of a study's `scene`. Throws SceneError if there is none.
using SceneFinder = std::function<std::string(const std::string& name)>;

/// Reads a study and checks its keys, its listed values and the ends of its ranges against the scene, and its
/// first case as a whole. Throws SceneError with all errors found. Without a `finder` for shipped scenes, the
/// scene must be a file.
Study load_study(const std::string& path, const SceneFinder& finder = {});

}  // namespace torsor::batch
