#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor {

/// The JSON Schema (draft-07) of study files, `torsor/study/1`.
std::string_view study_schema();

/// Numbers from first to last at equal differences, or equal ratios.
struct Range {
  double first = 0, last = 1;
  long count = 1;
  bool logarithmic = false;
};
/// A cell of a table. A number that is not one is an empty cell.
using Cell = std::variant<double, std::string>;

/// What a key is set to: as TOML, and as a table shows it.
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
/// Uniform on SO(3), as a quaternion scalar first.
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
  int axis = -1;       ///< of the grid that it goes along; -1: random, drawn for every case
  bool latin = false;  ///< random: stratified over all cases

  /// Names of the cells of its values.
  std::vector<std::string> columns() const;
};

/// What is kept of each case.
struct Keep {
  bool final = true, invariants = true, events = false, trajectories = false, statistics = true;
  std::vector<std::string> columns;
  std::vector<double> times;  ///< s; empty: at the end
};

/// A plan of many runs, checked: case k, from 0 to cases() - 1, is a function of the study alone and costs
/// the same for any k; no list of cases exists.
///
/// k = (point of the grid) draws + (draw); the last axis of the grid varies fastest. Random values are Philox
/// (J. Salmon et al., SC11, doi 10.1145/2063384.2063405) keyed by the seed and counted by the case and the
/// parameter's key, then the inverse distribution; a latin parameter takes its stratum from a keyed bijection
/// of the case numbers.
struct Study {
  std::string name;  ///< of the file, without its ending
  std::string title, text;
  SceneSource scene;
  std::uint64_t seed = 0;
  long draws = 1;
  std::vector<long> axes;  ///< values along each axis of the grid
  std::vector<Parameter> parameters;
  Keep keep;

  std::int64_t cases() const;
  /// The values of case k, in the order of the parameters.
  std::vector<Value> values(std::int64_t k) const;
  /// The scene is set to these.
  Overrides overrides(const std::vector<Value>& values) const;
};

/// Greatest number of cases of a study.
constexpr std::int64_t most_cases = 10'000'000;

/// Where a study's `scene` is to be found; throws SceneError where it is not.
using SceneFinder = std::function<std::string(const std::string& name)>;

/// Reads and checks a study: by itself, each value against the scene, and its first case as a whole. Throws
/// SceneError with everything that is wrong in it. Without a `finder` for shipped ones, scenes are files.
Study load_study(const std::string& path, const SceneFinder& finder = {});

}  // namespace torsor
