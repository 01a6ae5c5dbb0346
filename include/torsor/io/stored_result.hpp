#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/io/io_error.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// One thing that a result says about its making.
struct Fact {
  std::string name;
  std::variant<std::string, double, long> value;
};

/// The file is not a result or is damaged; the message names it and says what is wrong.
class ResultError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A result read back. Samples are those of the run but for what files do not hold: states, and whether
/// reactions are unique.
struct StoredResult {
  std::filesystem::path file;
  Scene scene;  ///< as run, overrides carried out
  std::variant<Trajectory, ChartTrajectory> trajectory;
  struct EventTime {
    std::string name;
    double t = 0;
  };
  std::vector<EventTime> events;
  std::vector<Fact> facts;  ///< by name

  /// A fact by its name, nothing where the file does not have it.
  const Fact* fact(std::string_view name) const;
  /// Its text, or its number in digits; empty where it is missing.
  std::string text(std::string_view name) const;
};

/// Reads a file that write_hdf5 made, or the one such file in a folder. Whatever stands in the file, what
/// comes back is consistent; throws ResultError and IoError.
StoredResult read_result(const std::filesystem::path& path);

/// Values over time by the name of their column.
struct Series {
  std::string name;
  std::string unit;  ///< empty where nothing is known of it
  std::vector<double> values;
};
/// All columns of a result that have these names (docs/results.md), in this order; besides them "drift",
/// energy less that of the start less work. "*" stands for any text, and must stand for some. Throws
/// ResultError with the nearest name.
std::vector<Series> curves(const StoredResult& result, const std::vector<std::string>& names);
/// The times of the samples, s.
std::vector<double> sample_times(const StoredResult& result);

}  // namespace torsor
