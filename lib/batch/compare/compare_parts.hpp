#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "torsor/batch/compare.hpp"

namespace torsor::batch {

/// The values of the scene that a combination sets.
scene::Overrides overrides_of(const Combination& combination);

/// Throws std::invalid_argument if the folder of the cases holds a batch that is not from a comparison.
void refuse_other_batch(const std::filesystem::path& cases);
/// Removes the batch of an earlier comparison from `folder`/cases, or renames its ledger if damaged. Leaves
/// all other files, and throws as refuse_other_batch. Returns the folder of the cases.
std::filesystem::path fresh_cases(const std::filesystem::path& folder);

/// The positions by which runs are compared at the end: mass centres of all bodies, or coordinates.
using Places = std::vector<double>;
struct Finish {
  std::string status, message, note;
  Places start, places;
  Places attitudes;   ///< at the end, as io::MotionKind::attitudes
  double energy = 0;  ///< greatest of: kinetic energy at start, at end, change of potential energy; J
  double evaluations = 0, steps = 0, cpu_s = 0;
  double t = 0;  ///< time at which the run ended, s
};

/// Runs the scene once in this thread, with outputs only at the start and the end, and measures the CPU
/// time of the integration alone. `wall_limit`: s.
Finish run_to_end(const scene::SceneSource& source, const scene::Overrides& overrides, double wall_limit,
                  const std::function<bool()>& cancelled,
                  const std::function<void(double share)>& progress = {});

/// Root mean square of the distances between points, which have `components` numbers each: 3 for mass
/// centres, 1 for a system in coordinates.
double distance(const Places& a, const Places& b, int components);

/// Root mean square of the angles between attitudes, which are quaternions, rad; 0 if there are none.
double angle(const Places& a, const Places& b);

struct ReferencePlaces {
  Reference reference;
  Places places, attitudes;
  double energy = 0, t = 0;                       ///< as in Finish
  double attitude_error = 0, end_time_error = 0;  ///< as Reference::own_error, in rad and in s
};
/// The most accurate run that reaches its end, and its distance from the next most accurate run of another
/// method.
ReferencePlaces make_reference(const scene::SceneSource& source, const CompareOptions& options);
/// The reference from a result file, which must have the same bodies and end at the same time or by an event.
ReferencePlaces read_reference(const scene::Scene& scene, const std::string& path);

/// Five step sizes that show the order of a method, each half of the one before. Each divides the time of
/// the run into 2^n equal steps. The first is the greatest that is not above the mean step size of
/// rkmk-dopri5 at tolerance 1e-5 and not above 1/8 of the time, or 1/128 of the time if rkmk-dopri5 fails.
std::vector<double> chosen_steps(const scene::SceneSource& source, const scene::Scene& scene,
                                 const CompareOptions& options);

/// Why the runs of another group than that of the scene would be other motions; empty if they are the same.
std::string why_other_motion(const scene::SceneSource& source, const std::string& group);

}  // namespace torsor::batch
