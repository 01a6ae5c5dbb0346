#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "torsor/batch/study.hpp"

namespace torsor::batch {

struct Comparison;

/// A comparison runs every combination of the lists, each with all step sizes or all tolerances.
struct CompareOptions {
  /// An empty list keeps the setting of the scene.
  /// `connections` are those of [integrator], or of [chart] for a scene in coordinates. If `methods` is
  /// empty, each connection of [integrator] runs with the method of the scene, or, if this method does not
  /// follow its autoparallels, with the first method that does.
  std::vector<std::string> methods = {}, groups = {}, formulations = {}, connections = {}, constraints = {};
  /// `steps` (s) or `tolerances` must be empty; if both are empty, step sizes are chosen.
  std::vector<double> steps = {}, tolerances = {};
  std::string reference = "self";  ///< a result file, or "self"
  std::filesystem::path folder = {};
  int threads = 0;              ///< number of threads; 0: as many as the machine has
  double case_wall_limit = 20;  ///< wall time of each run, s; a reference run may take 60 s
  /// True stops the comparison. While the reference is made, `compare` then throws std::invalid_argument.
  /// Later it returns a comparison that lacks runs or errors.
  std::function<bool()> cancelled = {};
  /// Called with the current activity and its completed share, from 0 to 1; the last call has 1.
  std::function<void(const std::string& what, double share)> progress = {};
  /// Called with the comparison at the end, while `folder` is still locked, to write files there.
  std::function<void(const Comparison&)> done = {};
};

/// One combination of integrator settings for a scene.
struct Combination {
  /// Empty: the setting of the scene, or no such setting.
  std::string method, group, formulation, connection, constraints;
  bool in_coordinates = false;  ///< `connection` is that of [chart], not of [integrator]
  std::string refused;          ///< why the combination cannot run; empty if it can
  /// The method, and the value of each other setting of which the comparison has several: "rkmk4, direct".
  std::string label;
  int order = 0;  ///< nominal order of the method
};

/// One run of a comparison. The numbers that it does not have are NaN.
struct ComparedRun {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::size_t combination = 0;
  double control = 0;  ///< step size, s, or tolerance
  std::string status, message;
  double error = none;  ///< of the quantity that is compared, at the end, against the reference
  double cpu_s = none;  ///< of the integration alone, in one thread; the least of up to three runs
  double evaluations = none, steps = none;
  double attitude_error = none, end_time_error = none;  ///< of attitudes at the end, rad; of the end time, s
  double drift = none;                                  ///< greatest drift of (energy - work), J
  double position_residual = none, velocity_residual = none;  ///< greatest at forty times of the run
  /// Whether the run reached the end, or the event that ends the run, as the reference did.
  bool good() const { return status == "reached-end" || status == "event"; }
  /// Whether the message has notes of the run.
  bool noted() const;
};

/// The result against which the errors of all runs are measured.
struct Reference {
  std::string how;       ///< method and tolerance, or the file
  std::string status;    ///< "reached-end", or "event" if an event ends the runs
  double own_error = 0;  ///< estimated: the distance from a second reference by another method
  /// Scale of the error: the greater of the distances (rms) of the final positions from the start and from
  /// the origin; for attitudes 1 rad, for the time of the end the duration, for the work the energy.
  double size = 1;
  bool estimated =
      false;  ///< whether own_error was estimated; false for a file, or if only one method has a result
};

/// The quantity whose errors are compared.
enum class Compared { positions, attitudes, end_time, work };

/// The results of a comparison. The error of a run is the root mean square over the bodies of the distance of
/// their mass centres from the reference at the end of the run (over the coordinates for a scene in
/// coordinates). If these errors are too small to be measured for every run, `compared` is another quantity,
/// if its errors can be measured: the work, if constraints and drivers leave no degree of freedom, with the
/// greatest drift of (energy - work) as the error, or else the attitudes (root mean square angle, rad), or
/// the time at which an event ends the runs (s).
struct Comparison {
  std::string scene, title, unit;  ///< unit of the error
  Compared compared = Compared::positions;
  bool by_step = true;          ///< false: by tolerance
  bool in_coordinates = false;  ///< residuals have the units of the scene's formulas
  double t_end = 0;
  Reference reference;
  std::vector<Combination> combinations;
  std::vector<ComparedRun> runs;  ///< ordered by combination, then by control as given

  /// The observed order of a combination: the slope of log error over log mean step size by least squares,
  /// over the three finest runs whose error is below a twentieth of Reference::size and above 30 times
  /// floor(). The mean step size follows from the number of steps: samples and events shorten steps. Empty if
  /// there are fewer than two such runs with different steps, if the comparison is by tolerance, or if the
  /// error of the reference is not known.
  std::optional<double> observed_order(std::size_t combination) const;
  /// Sentences that say which errors are compared, and why; empty for positions.
  std::string about_errors() const;
  /// Sentences that name the reference, and its own error with its unit, or say that this error is not known.
  std::string about_reference() const;
  /// Whether the error of the reference is estimated. The error of the work needs no reference.
  bool error_known() const { return reference.estimated || compared == Compared::work; }
  /// The greater of the reference's own error and of rounding; smaller errors cannot be measured.
  double floor() const;
};

/// Runs a comparison as a batch in `folder`/cases, which replaces that of an earlier comparison. `folder` is
/// locked after the reference run, so that only one comparison writes there at a time. A combination that the
/// scene or the method does not allow is listed with the reason and not run. Throws the errors of run_batch,
/// SceneError for the scene, std::invalid_argument if no combination can run, if no reference can be computed
/// or if `folder`/cases holds a batch that no comparison made, and ResultError for a reference file of
/// another scene or end time.
Comparison compare(const scene::SceneSource& source, const CompareOptions& options);

/// The beginning of the first line of every comparison table.
constexpr const char* comparison_mark = "method,group,formulation,";

/// A comparison as a table (CSV), as diagrams (error over CPU time, over evaluations and over the step size
/// or tolerance) and as a page, which has diagrams of drift and residuals too.
std::string comparison_csv(const Comparison& comparison);
std::string comparison_svg(const Comparison& comparison);
std::string comparison_page(const Comparison& comparison);

}  // namespace torsor::batch
