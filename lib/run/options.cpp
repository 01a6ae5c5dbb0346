#include <algorithm>
#include <cmath>
#include <utility>

#include "compensated_time.hpp"
#include "did_you_mean.hpp"
#include "system/text.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor {
namespace {

using mechanics::text;

std::string unknown_method(const std::string& name) {
  std::vector<std::string_view> known;
  for (const MethodInfo& method : methods()) known.push_back(method.name);
  return std::string("unknown method \"").append(name).append("\"").append(did_you_mean(name, known));
}

using Complaint = std::optional<std::string>;

Complaint why_control_invalid(const SimulationOptions& o) {
  const MethodInfo* method = find_method(o.method);
  if (method == nullptr) return unknown_method(o.method);
  if (o.connection && !method->follows(*o.connection))
    return "the steps of " + o.method + " do not follow the autoparallels of the connection " +
           to_string(*o.connection);
  if (o.spectral_radius && o.method != "generalized-alpha")
    return "spectral_radius has no meaning for " + o.method;
  if (o.spectral_radius && !(*o.spectral_radius >= 0 && *o.spectral_radius <= 1))
    return "spectral_radius must be between 0 and 1, got " + text(*o.spectral_radius);
  if (o.step && o.tolerance) return "both step and tolerance are given; give one of them";
  if (!o.step && !o.tolerance && method->fixed_step_only)
    return o.method + " takes a fixed step; give a step";
  if (o.step && !(*o.step > 0 && std::isfinite(*o.step)))
    return "step must be positive and finite, got " + text(*o.step);
  if (o.tolerance && !(*o.tolerance > 0 && *o.tolerance <= 1))
    return "tolerance must be above 0 and at most 1, got " + text(*o.tolerance);
  if (o.tolerance && method->fixed_step_only)
    return o.method + " takes a fixed step only; give a step, not a tolerance";
  return std::nullopt;
}

Complaint why_reduction_invalid(const SimulationOptions& o) {
  const auto order = o.treatment.reduced_order;
  if (!order) return std::nullopt;
  if (*order < 0 || *order > 3)
    return "the order of the reduced motion must be 0 to 3, got " + std::to_string(*order);
  if (o.constraints != Treatment::viscous)
    return "the reduced motion requires the treatment viscous, not " +
           std::string(o.constraints ? to_string(*o.constraints) : "the default");
  if (!find_method(o.method)->takes(Treatment::index_1))
    return "the reduced motion needs a method that takes index-1, which " + o.method + " does not";
  return std::nullopt;
}

Complaint why_treatment_invalid(const SimulationOptions& o) {
  const TreatmentParameters& p = o.treatment;
  for (const auto& [name, value] : {std::pair("rate", p.rate), std::pair("damping_ratio", p.damping_ratio),
                                    std::pair("mu", p.mu), std::pair("eps", p.eps)})
    if (!(value > 0 && std::isfinite(value)))
      return std::string(name) + " of the treatment of constraints must be positive and finite, got " +
             text(value);
  return std::nullopt;
}

Complaint why_limits_invalid(const SimulationOptions& o) {
  if (o.first_step && !(*o.first_step > 0 && std::isfinite(*o.first_step)))
    return "first_step must be positive and finite, got " + text(*o.first_step);
  if (o.first_step && o.step) return "first_step is valid only with a tolerance, not with a fixed step";
  if (!(o.min_step >= 0)) return "min_step must not be negative, got " + text(o.min_step);
  if (!(o.max_step > 0)) return "max_step must be positive, got " + text(o.max_step);
  if (o.min_step > o.max_step)
    return "min_step " + text(o.min_step) + " is greater than max_step " + text(o.max_step);
  if (o.step && *o.step > o.max_step)
    return "step " + text(*o.step) + " is greater than max_step " + text(o.max_step);
  if (o.step && *o.step < o.min_step)
    return "step " + text(*o.step) + " is less than min_step " + text(o.min_step);
  if (o.max_steps < 1) return "max_steps must be positive, got " + std::to_string(o.max_steps);
  if (!(o.wall_limit > 0)) return "wall_limit must be positive, got " + text(o.wall_limit);
  return std::nullopt;
}

Complaint why_times_invalid(const SimulationOptions& o) {
  if (!std::isfinite(o.t_begin) || !std::isfinite(o.t_end))
    return "begin and end must be finite, got " + text(o.t_begin) + " and " + text(o.t_end);
  if (o.t_end < o.t_begin) return "end " + text(o.t_end) + " is before begin " + text(o.t_begin);
  if (!(o.output_step >= 0)) return "output step must not be negative, got " + text(o.output_step);
  const double floor = mechanics::step_floor(std::max(std::abs(o.t_begin), std::abs(o.t_end)));
  if (o.output_step > 0 && o.output_step < floor)
    return "output step " + text(o.output_step) + " is below the resolution of time, " + text(floor);
  if (!std::is_sorted(o.output_times.begin(), o.output_times.end()))
    return "output times must be in ascending order";
  for (const double t : o.output_times)
    if (!(t >= o.t_begin && t <= o.t_end))
      return "output time " + text(t) + " is outside the run, " + text(o.t_begin) + " to " + text(o.t_end);
  return std::nullopt;
}

Complaint why_events_invalid(const SimulationOptions& o) {
  for (const Event& event : o.events) {
    if (!event.function) return "event \"" + event.name + "\" has no function";
    if (event.direction < -1 || event.direction > 1)
      return "event \"" + event.name + "\": direction must be -1, 0 or 1, got " +
             std::to_string(event.direction);
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> SimulationOptions::tolerance_in_force() const {
  constexpr double of_scenes = 1e-9;
  if (tolerance || step) return tolerance;
  return of_scenes;
}

std::optional<std::string> SimulationOptions::why_invalid() const {
  for (const auto& why : {why_control_invalid, why_reduction_invalid, why_treatment_invalid,
                          why_limits_invalid, why_times_invalid, why_events_invalid})
    if (Complaint reason = why(*this)) return reason;
  return std::nullopt;
}

}  // namespace torsor
