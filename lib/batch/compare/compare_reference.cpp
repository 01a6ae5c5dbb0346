#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "compare_parts.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::batch {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Places places_of(const Trajectory& trajectory) {
  Places all;
  for (const BodyMotion& body : trajectory.samples.back().bodies)
    all.insert(all.end(), {body.x.x(), body.x.y(), body.x.z()});
  return all;
}
Places places_of(const ChartTrajectory& trajectory) {
  const Vec& q = trajectory.samples.back().x.q;
  return {q.begin(), q.end()};
}

Places start_of(const Trajectory& trajectory) {
  Places all;
  for (const BodyMotion& body : trajectory.samples.front().bodies)
    all.insert(all.end(), {body.x.x(), body.x.y(), body.x.z()});
  return all;
}
Places start_of(const ChartTrajectory& trajectory) {
  const Vec& q = trajectory.samples.front().x.q;
  return {q.begin(), q.end()};
}
double energy_of(const Invariants& start, const Invariants& end) {
  return std::max({start.kinetic, end.kinetic, std::abs(end.potential - start.potential)});
}
double energy_of(const Trajectory& trajectory) {
  return energy_of(trajectory.samples.front().invariants, trajectory.samples.back().invariants);
}
double energy_of(const ChartTrajectory& trajectory) {
  const ChartSample &start = trajectory.samples.front(), &end = trajectory.samples.back();
  return std::max({start.kinetic, end.kinetic, std::abs(end.potential - start.potential)});
}

double size_of(const Places& start, const Places& end, int components) {
  return std::max({distance(start, end, components), distance(end, Places(end.size()), components), 1e-300});
}

template <class Integrate>
Finish measured(const Integrate& integrate) {
  const double begun = thread_seconds();
  const auto trajectory = integrate();
  const double cpu_s = thread_seconds() - begun;
  const RunSummary& run = trajectory.summary;
  return {std::string(to_string(run.status)),
          run.message,
          start_of(trajectory),
          places_of(trajectory),
          energy_of(trajectory),
          static_cast<double>(run.evaluations),
          static_cast<double>(run.accepted),
          cpu_s,
          run.t};
}

}  // namespace

Finish run_to_end(const SceneSource& source, const Overrides& overrides, double wall_limit,
                  const std::function<bool()>& cancelled, const std::function<void(double)>& progress) {
  Scene scene = source.scene(overrides);
  scene.run.output_step = scene.run.t_end - scene.run.t_begin;
  scene.run.output_times.clear();
  scene.run.wall_limit = std::min(scene.run.wall_limit, wall_limit);
  scene.run.cancelled = cancelled;
  if (progress)
    scene.run.progress = [&progress, begin = scene.run.t_begin, span = scene.run.t_end - scene.run.t_begin](
                             double t) { progress((t - begin) / span); };
  if (scene.chart) {
    const auto chart = make_chart(scene);
    return measured([&] { return run(*chart, scene.chart->start, scene.run, scene.chart->events); });
  }
  const ReadyScene ready = make_model(scene);
  return measured([&] { return run(ready.model, ready.start, scene.run, {}, scene.events); });
}

double distance(const Places& a, const Places& b, int components) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? 0 : std::sqrt(squares * components / static_cast<double>(a.size()));
}

ReferencePlaces make_reference(const SceneSource& source, const CompareOptions& options) {
  const int components = source.scene().chart ? 1 : 3;
  std::optional<ReferencePlaces> first;
  std::string first_method, why;
  for (const char* tolerance : {"1e-13", "1e-12", "1e-11", "1e-10", "1e-9"})
    for (const char* method : {"rkmk-dop853", "rkmk-dopri8", "rkmk-fehlberg78"}) {
      if (method == first_method) continue;
      try {
        const auto progress = [&](double share) {
          if (options.progress)
            options.progress(fmt::format("reference by {}, tolerance {}", method, tolerance), share);
        };
        const Finish end =
            run_to_end(source, {{"integrator.method", method}, {"integrator.tolerance", tolerance}}, 60,
                       options.cancelled, progress);
        if (end.status != "reached-end" && end.status != "event") {
          why = fmt::format("{}: {}", end.status, end.message);
          continue;
        }
        if (!first) {
          first.emplace();
          first->reference.how = fmt::format("{}, tolerance {}", method, tolerance);
          first->reference.status = end.status;
          first->reference.size = size_of(end.start, end.places, components);
          first->places = end.places;
          first->energy = end.energy;
          first_method = method;
          continue;
        }
        first->reference.own_error = distance(first->places, end.places, components);
        first->reference.estimated = true;
        first->reference.how +=
            fmt::format("; its error is its distance from {}, tolerance {}", method, tolerance);
        return *first;
      } catch (const std::invalid_argument& error) {
        why = error.what();
      } catch (const SceneError& error) {
        why = error.diagnostics.front().message;
      }
      if (options.cancelled && options.cancelled()) throw std::invalid_argument("the comparison was stopped");
    }
  if (first) return *first;
  throw std::invalid_argument(
      fmt::format("there is no reference: no run of high accuracy reaches its end ({})", why));
}

ReferencePlaces read_reference(const Scene& scene, const std::string& path) {
  const StoredResult result = read_result(path);
  const auto refuse = [&](const std::string& why) -> ReferencePlaces {
    throw ResultError(fmt::format("{} is not a reference for this scene: {}", result.file.string(), why));
  };
  if (result.scene.chart.has_value() != scene.chart.has_value())
    return refuse("one is in coordinates, the other is not");
  std::vector<std::string> own, theirs;
  for (const Body& body : scene.mechanism.bodies) own.push_back(body.name);
  for (const Body& body : result.scene.mechanism.bodies) theirs.push_back(body.name);
  if (scene.chart) own = scene.chart->coordinates, theirs = result.scene.chart->coordinates;
  if (own != theirs) return refuse("it has other bodies or coordinates");
  const double end = sample_times(result).back();
  const std::string status = result.text("status");
  if (status != "event" && std::abs(end - scene.run.t_end) > 1e-12 * std::max(1., std::abs(end)))
    return refuse(fmt::format("it ends at t = {} s, not at {} s", end, scene.run.t_end));
  ReferencePlaces all;
  all.reference.status = status;
  all.reference.how = fmt::format("{}: {}, {}", result.file.string(), result.text("method"),
                                  result.fact("tolerance") ? "tolerance " + result.text("tolerance")
                                                           : "step " + result.text("step") + " s");
  std::visit(
      [&](const auto& trajectory) {
        all.places = places_of(trajectory);
        all.energy = energy_of(trajectory);
        all.reference.size = size_of(start_of(trajectory), all.places, scene.chart ? 1 : 3);
      },
      result.trajectory);
  return all;
}

std::vector<double> chosen_steps(const SceneSource& source, const Scene& scene,
                                 const CompareOptions& options) {
  double span = scene.run.t_end - scene.run.t_begin, count = 100;
  try {
    const Finish rough =
        run_to_end(source, {{"integrator.method", "rkmk-dopri5"}, {"integrator.tolerance", "1e-5"}}, 20,
                   options.cancelled);
    if (rough.status == "reached-end" || rough.status == "event")
      count = std::max(8., rough.steps), span = rough.t - scene.run.t_begin;
  } catch (const std::invalid_argument&) {
  } catch (const SceneError&) {
  }
  count = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::ceil(count))));
  std::vector<double> steps(5, span / count);
  for (int halves = 0; halves < 5; ++halves) steps[halves] /= std::exp2(halves);
  return steps;
}

}  // namespace torsor::batch
