#pragma once

#include <string>
#include <vector>

#include "torsor/batch/compare.hpp"

namespace torsor::batch {

/// What a combination and a control set in the scene.
Overrides overrides_of(const Combination& combination);

/// The places by which runs are compared at the end: mass centres of all bodies, or coordinates.
using Places = std::vector<double>;
struct Finish {
  std::string status, message;
  Places start, places;
  double energy = 0;  ///< greatest kinetic energy, or change of the potential one, from the start to the end
  double evaluations = 0, steps = 0, cpu_s = 0;
  double t = 0;  ///< where it ended, s
};

/// Runs the scene once in this thread with no output but its end, and measures the processor time of the
/// integration alone.
Finish run_to_end(const SceneSource& source, const Overrides& overrides, double wall_limit,
                  const std::function<bool()>& cancelled,
                  const std::function<void(double share)>& progress = {});

/// Root mean square of the distances between places (three numbers each, or one of a chart).
double distance(const Places& a, const Places& b, int components);

struct ReferencePlaces {
  Reference reference;
  Places places;
  double energy = 0;  ///< as Finish::energy
};
/// The most accurate run that comes to its end, and how far another method of like accuracy ends from it.
ReferencePlaces make_reference(const SceneSource& source, const CompareOptions& options);
/// That of a result file, which must be of the same bodies and end at the same time.
ReferencePlaces read_reference(const Scene& scene, const std::string& path);

/// Steps that show orders: half by half from about what a tolerance of 1e-5 takes, each a part of the whole
/// time.
std::vector<double> chosen_steps(const SceneSource& source, const Scene& scene,
                                 const CompareOptions& options);

}  // namespace torsor::batch
