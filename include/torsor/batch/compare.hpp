#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "torsor/batch/study.hpp"

namespace torsor {

/// What a comparison runs: every combination of the lists, each over the steps or the tolerances.
struct CompareOptions {
  std::vector<std::string> methods = {}, groups = {}, formulations = {}, constraints = {};  ///< empty: scene
  std::vector<double> steps = {}, tolerances = {};  ///< at most one of them; neither: steps are chosen
  std::string reference = "self";                   ///< a result file, or "self"
  std::filesystem::path folder = {};
  int threads = 0;              ///< 0: as many as the machine has
  double case_wall_limit = 20;  ///< s, of each run
  std::function<bool()> cancelled = {};
  /// Told what is done now, and how far that is, from 0 to 1; at last, 1.
  std::function<void(const std::string& what, double share)> progress = {};
};

/// One way to run a scene.
struct Combination {
  std::string method, group, formulation, constraints;  ///< empty: that of the scene, or none
  std::string refused;                                  ///< why it cannot be run; empty where it can
  /// "rkmk4", and what else tells it from the others.
  std::string label;
  int order = 0;  ///< that the method promises
};

/// One run of a comparison.
struct ComparedRun {
  std::size_t combination = 0;
  double control = 0;  ///< the step, s, or the tolerance
  std::string status, message;
  double error = 0;  ///< at the end, against the reference
  double cpu_s = 0;  ///< of the integration alone, the least of several, one thread
  double evaluations = 0, steps = 0;
  double drift = 0;                                     ///< greatest of energy less work, J
  double position_residual = 0, velocity_residual = 0;  ///< greatest over the outputs
  /// It came to the end, or to the event that ends it; the reference ended so, too.
  bool good() const { return status == "reached-end" || status == "event"; }
};

/// What all runs are measured by.
struct Reference {
  std::string how;         ///< method and tolerance, or the file
  std::string status;      ///< "reached-end", or "event" where one ends the runs
  double own_error = 0;    ///< estimated: its distance from a second one of another method
  double size = 1;         ///< of what is compared: how far it is from the start, or from zero
  bool estimated = false;  ///< not for files
};

/// A comparison: error is the root mean square over the bodies of the distance of their mass centres from the
/// reference at the end of the run (over the coordinates of a scene in coordinates). Where constraints and
/// drivers leave nothing to integrate, so that places are right to rounding by any method, it is that of the
/// work: the greatest drift of energy less work.
struct Comparison {
  std::string scene, title, unit;  ///< unit of the error
  bool of_work = false;            ///< error is that of the work, J
  bool by_step = true;             ///< else by tolerance
  bool in_coordinates = false;     ///< residuals have the units of the scene's formulas
  double t_end = 0;
  Reference reference;
  std::vector<Combination> combinations;
  std::vector<ComparedRun> runs;  ///< combination by combination, controls as given

  /// The order that the errors of a combination show: slope of log error over log step by least squares, over
  /// the three finest runs whose error is below a twentieth of the size and above 30 times that of the
  /// reference and of rounding.
  /// Nothing where there are fewer than two.
  std::optional<double> observed_order(std::size_t combination) const;
  /// What the reference is, and its own error with its unit where that was estimated: whole sentences.
  std::string about_reference() const;
  /// Smallest error that is told apart from that of the reference.
  double floor() const;
};

/// Runs a comparison through a batch in `folder`/cases. Combinations that the scene or the method refuses are
/// told in it and left out. Throws what run_batch throws, SceneError where no combination is left, and
/// ResultError for a reference that is not of this scene and time.
Comparison compare(const SceneSource& source, const CompareOptions& options);

/// How every such table begins.
constexpr const char* comparison_mark = "method,group,formulation,constraints,";

/// The same as a table (CSV), as diagrams (error over CPU time, over evaluations, over the step) and as a
/// page.
std::string comparison_csv(const Comparison& comparison);
std::string comparison_svg(const Comparison& comparison);
std::string comparison_page(const Comparison& comparison);

}  // namespace torsor
