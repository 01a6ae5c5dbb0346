#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "torsor/io/results.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// One fact in a result about how the result was made.
struct Fact {
  std::string name;
  std::variant<std::string, double, long> value;
};

/// The file is not a result, or it is damaged. The message names the file and the fault.
class ResultError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A result read from a file. Its samples and its summary are those of the run, without the data that files
/// do not hold: for bodies Sample::x and Sample::a, and in the summary the states, the part that failed and
/// the events that the scene does not have. A reaction that is not unique in one sample is marked in all. The
/// notes of the scene are one text, which also has the note of the run.
struct StoredResult {
  std::filesystem::path file;
  scene::Scene scene;  ///< as run, with overrides applied
  Trajectory trajectory;
  struct EventTime {
    std::string name;
    double t = 0;
  };
  std::vector<EventTime> events;
  std::vector<Fact> facts;  ///< in any order

  /// The fact of this name; null if the file does not have it.
  const Fact* fact(std::string_view name) const;
  /// The text of this fact, or its number in digits; empty if the file does not have it.
  std::string text(std::string_view name) const;
};

/// Reads a file that write_hdf5 made, or the one such file in a folder. The returned result is consistent
/// whatever the file contains. Throws ResultError, also for the result of a scene without text, and IoError.
StoredResult read_result(const std::filesystem::path& path);

/// Values over time by the name of their column.
struct Series {
  std::string name;
  std::string unit;  ///< empty if it is not known
  std::vector<double> values;
};
/// The columns of a table of curves; the first is the time. `read_curves` reads them from a file and throws
/// ResultError.
std::vector<Series> columns_of(const scene::Scene& scene, const CoordinateCurves& curves);
std::vector<Series> read_curves(const std::filesystem::path& path);

/// All columns of a table that match these names, by the rules of the next function.
std::vector<Series> curves(const std::vector<Series>& table, const std::vector<std::string>& names);
/// All columns of a result that match these names (docs/results.md), in the order of the names, and
/// "drift": energy minus energy at the start minus work. "*" matches any text. Throws ResultError, with the
/// nearest name, if a name matches no column, and std::invalid_argument for a result without samples.
std::vector<Series> curves(const StoredResult& result, const std::vector<std::string>& names);
/// The times of the samples, s.
std::vector<double> sample_times(const StoredResult& result);

}  // namespace torsor::io
