#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "compare_parts.hpp"
#include "io/motion_kind.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::batch {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double energy_of(const Trajectory& trajectory) {
  const Invariants &start = trajectory.samples.front().invariants,
                   &end = trajectory.samples.back().invariants;
  return std::max({start.kinetic, end.kinetic, std::abs(end.potential - start.potential)});
}

/// Settings with which a method computes the motion of a scene. A method whose steps do not follow the
/// connection of the scene uses its own connection. A method that does not take the treatment of constraints
/// of the scene uses its own treatment. Neither changes the motion: the treatments that change the motion are
/// dynamic and viscous, and every explicit method takes these.
scene::Overrides settings_of(const scene::Scene& scene, const std::string& method,
                             const std::string& tolerance) {
  scene::Overrides all = {{"integrator.method", method}, {"integrator.tolerance", tolerance}};
  const MethodInfo& info = *find_method(method);
  if (scene.run.connection && !info.follows(*scene.run.connection))
    all.emplace_back("integrator.connection", info.connection);
  if (scene.run.constraints && !info.takes(*scene.run.constraints))
    all.emplace_back("integrator.constraints", to_string(info.treatments.front()));
  return all;
}

/// The resolved text of a scene without its title and without how it is run: [run] and [integrator].
std::string described(const scene::Scene& scene) {
  std::string text;
  bool kept = true;
  for (std::string_view rest = scene.resolved; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with('[')) kept = line != "[run]" && line != "[integrator]";
    if (kept && !line.starts_with("title = ")) text += std::string(line) + '\n';
  }
  return text;
}

double size_of(const Places& start, const Places& end, int components) {
  return std::max({distance(start, end, components), distance(end, Places(end.size()), components), 1e-300});
}

}  // namespace

Finish run_to_end(const scene::SceneSource& source, const scene::Overrides& overrides, double wall_limit,
                  const std::function<bool()>& cancelled, const std::function<void(double)>& progress) {
  scene::Scene scene = source.scene(overrides);
  scene.run.output_step = scene.run.t_end - scene.run.t_begin;
  scene.run.output_times.clear();
  scene.run.wall_limit = std::min(scene.run.wall_limit, wall_limit);
  scene.run.cancelled = cancelled;
  if (progress)
    scene.run.progress = [&progress, begin = scene.run.t_begin, span = scene.run.t_end - scene.run.t_begin](
                             double t) { progress((t - begin) / span); };
  const scene::ReadyScene ready = prepare(scene);
  const double begun = thread_seconds();
  const Trajectory trajectory = run(scene, ready, scene.run);
  const double cpu_s = thread_seconds() - begun;
  const io::MotionKind& kind = io::motion_kind(scene);
  const RunSummary& summary = trajectory.summary;
  return {std::string(to_string(summary.status)),
          summary.message,
          summary.note,
          kind.positions(trajectory.samples.front()),
          kind.positions(trajectory.samples.back()),
          kind.attitudes(scene, trajectory.samples.back()),
          energy_of(trajectory),
          static_cast<double>(summary.evaluations),
          static_cast<double>(summary.accepted),
          cpu_s,
          summary.t};
}

double distance(const Places& a, const Places& b, int components) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? 0 : std::sqrt(squares * components / static_cast<double>(a.size()));
}

double angle(const Places& a, const Places& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); i += 4) {
    const Eigen::Map<const Eigen::Vector4d> p(&a[i]), q(&b[i]);
    const auto [near, far] = std::minmax({(p - q).norm(), (p + q).norm()});  // q and -q are the same attitude
    const double one = 4 * std::atan2(near, far);
    squares += one * one;
  }
  return a.empty() ? 0 : std::sqrt(4 * squares / static_cast<double>(a.size()));
}

ReferencePlaces make_reference(const scene::SceneSource& source, const CompareOptions& options) {
  const scene::Scene scene = source.scene();
  const int components = io::motion_kind(scene).position_components;
  std::optional<ReferencePlaces> first;
  std::string first_method, why;
  const auto stop_if_cancelled = [&] {
    if (options.cancelled && options.cancelled()) throw std::invalid_argument("the comparison was stopped");
  };
  for (const char* tolerance : {"1e-13", "1e-12", "1e-11", "1e-10", "1e-9"})
    for (const char* method : {"rkmk-dop853", "rkmk-dopri8", "rkmk-fehlberg78"}) {
      if (method == first_method) continue;
      stop_if_cancelled();
      try {
        const auto progress = [&](double share) {
          if (options.progress)
            options.progress(fmt::format("reference by {}, tolerance {}", method, tolerance), share);
        };
        const Finish end =
            run_to_end(source, settings_of(scene, method, tolerance), 60, options.cancelled, progress);
        if (end.status != "reached-end" && end.status != "event") {
          why = fmt::format("{}: {}", end.status, end.message);
          continue;
        }
        if (!first) {
          first.emplace();
          first->reference.how = fmt::format("{}, tolerance {}{}", method, tolerance,
                                             end.note.empty() ? "" : ", with the note: " + end.note);
          first->reference.status = end.status;
          first->reference.size = size_of(end.start, end.places, components);
          first->places = end.places, first->attitudes = end.attitudes, first->t = end.t;
          first->energy = end.energy;
          first_method = method;
          continue;
        }
        if (end.status != first->reference.status) continue;  // only one of the runs ends at an event
        first->reference.own_error = distance(first->places, end.places, components);
        first->attitude_error = angle(first->attitudes, end.attitudes);
        first->end_time_error = std::abs(first->t - end.t);
        first->reference.estimated = true;
        first->reference.how +=
            fmt::format("; its error is estimated by its distance from {}, tolerance {}", method, tolerance);
        return *first;
      } catch (const std::invalid_argument& error) {
        why = error.what();
      } catch (const scene::SceneError& error) {
        why = error.diagnostics.front().text();
      }
    }
  stop_if_cancelled();
  if (first) return *first;
  throw std::invalid_argument(
      fmt::format("there is no reference: no run of high accuracy reaches its end ({})", why));
}

ReferencePlaces read_reference(const scene::Scene& scene, const std::string& path) {
  const io::StoredResult result = io::read_result(path);
  const auto refuse = [&](const std::string& why) -> ReferencePlaces {
    throw io::ResultError(fmt::format("{} is not a reference for this scene: {}", result.file.string(), why));
  };
  const io::MotionKind& kind = io::motion_kind(scene);
  if (&kind != &io::motion_kind(result.scene)) return refuse("one is in coordinates, the other is not");
  if (kind.position_columns(scene) != kind.position_columns(result.scene) ||
      kind.attitude_columns(scene) != kind.attitude_columns(result.scene))
    return refuse("it has other bodies or coordinates");
  const double end = sample_times(result).back();
  const std::string status = result.text("status");
  if (status != "event" && std::abs(end - scene.run.t_end) > 1e-12 * std::max(1., std::abs(end)))
    return refuse(fmt::format("it ends at t = {} s, not at {} s", end, scene.run.t_end));
  ReferencePlaces all;
  all.reference.status = status;
  all.reference.how = fmt::format("{}: {}, {}", result.file.string(), result.text("method"),
                                  result.fact("tolerance") ? "tolerance " + result.text("tolerance")
                                                           : "step " + result.text("step") + " s");
  if (described(result.scene) != described(scene))
    all.reference.how += "; its scene differs from this one in more than [run] and [integrator]";
  const std::vector<Sample>& samples = result.trajectory.samples;
  all.places = kind.positions(samples.back()), all.attitudes = kind.attitudes(result.scene, samples.back());
  all.t = end;
  all.energy = energy_of(result.trajectory);
  all.reference.size = size_of(kind.positions(samples.front()), all.places, kind.position_components);
  return all;
}

std::vector<double> chosen_steps(const scene::SceneSource& source, const scene::Scene& scene,
                                 const CompareOptions& options) {
  double span = scene.run.t_end - scene.run.t_begin, count = 100;
  try {
    const Finish rough = run_to_end(source, settings_of(scene, "rkmk-dopri5", "1e-5"), 20, options.cancelled);
    if ((rough.status == "reached-end" || rough.status == "event") && rough.t > scene.run.t_begin)
      count = std::max(8., rough.steps), span = rough.t - scene.run.t_begin;
  } catch (const std::invalid_argument&) {
  } catch (const scene::SceneError&) {
  }
  count = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::ceil(count))));
  std::vector<double> steps(5, span / count);
  for (int halves = 0; halves < 5; ++halves) steps[halves] /= std::exp2(halves);
  return steps;
}

}  // namespace torsor::batch
