#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "reading.hpp"

namespace torsor::scene {
namespace {

constexpr double most_outputs = 1e8;  // a table of 10 GB and more

/// Reads the begin and the end of the run, and returns the time between them; absent if one of them is wrong.
/// `begin` is absent if the begin is wrong.
std::optional<double> read_span(const TableReader& run, SimulationOptions& options,
                                std::optional<double>& begin) {
  begin = run.number("begin");
  const auto end = run.number("end");
  options.t_begin = begin.value_or(0);
  if (!begin || !end) return std::nullopt;
  options.t_end = *end;
  if (*end > options.t_begin) return *end - options.t_begin;
  run.error("end", fmt::format("\"end\" of [run]: {} s is not after \"begin\", {} s", *end, options.t_begin));
  return std::nullopt;
}

void read_output(const TableReader& run, std::optional<double> span, std::optional<double> begin,
                 SimulationOptions& options) {
  options.output_step = run.number("output").value_or(0);
  if (span && options.output_step > 0 && *span / options.output_step > most_outputs)
    run.error("output", fmt::format("\"output\" of [run]: {} outputs are more than {}",
                                    *span / options.output_step, most_outputs));
  options.output_times = run.numbers("output_times").value_or(std::vector<double>());
  double last = begin.value_or(-std::numeric_limits<double>::infinity());
  for (double t : options.output_times) {
    if (t < last || (span && t > options.t_end))
      return run.error(
          "output_times",
          fmt::format(
              "\"output_times\" of [run] must be in ascending order, between begin and end; {} s is not", t));
    last = t;
  }
}

/// Reads the method, and checks that its steps follow the autoparallels of the requested connection. If the
/// scene names no method, and the default method does not follow the connection, chooses the first method
/// that does.
void read_method(const TableReader& integrator, SimulationOptions& options) {
  options.method = integrator.text("method");
  const std::string connection = integrator.text("connection");
  options.connection = find_step_connection(connection);
  const MethodInfo* method = find_method(options.method);
  if (!options.connection || !method || method->follows(*options.connection)) return;
  if (integrator.find("method"))
    return integrator.error(
        "connection", fmt::format("\"connection\" of [integrator] cannot be \"{}\" with {}, which takes {}",
                                  connection, method->name, method->connection));
  options.method = first_method_along(*options.connection).name;
}

void read_steps(const TableReader& integrator, std::optional<double> span, SimulationOptions& options) {
  choice(integrator, {"step", "tolerance"});
  options.step = integrator.number("step");
  options.tolerance = integrator.number("tolerance");
  options.first_step = integrator.number("first_step");
  options.min_step = integrator.number("min_step").value_or(0);
  if (const auto most = integrator.number("max_step")) options.max_step = *most;
  if (options.max_step < options.min_step)
    integrator.error("max_step", fmt::format("\"max_step\" of [integrator]: {} s is less than min_step, {} s",
                                             options.max_step, options.min_step));
  if (options.step)
    for (const char* key : {"first_step", "min_step", "max_step"})
      if (integrator.find(key))
        integrator.error(
            key,
            fmt::format("\"{}\" of [integrator] needs \"tolerance\"; a fixed \"step\" does not use it", key));
  if (options.step && span && *options.step > *span)
    integrator.error("step",
                     fmt::format("\"step\" of [integrator]: {} s is longer than the run", *options.step));
}

void read_treatment_parameters(const Reading& reading, TreatmentParameters& parameters) {
  const TableReader dynamic = reading.section("dynamic"), friction = reading.section("friction");
  parameters.rate = dynamic.number("rate").value_or(parameters.rate);
  parameters.damping_ratio = dynamic.number("damping_ratio").value_or(parameters.damping_ratio);
  parameters.floors = dynamic.flag("floors");
  if (!reading.document.find("chart")) parameters.mu = friction.number("mu").value_or(parameters.mu);
  parameters.eps = friction.number("eps").value_or(parameters.eps);
}

/// Reads the order of the dynamics on the slow manifold, and checks that the scene has the viscous friction
/// that makes a slow manifold.
void read_reduced(const Reading& reading, SimulationOptions& run) {
  const TableReader reduced = reading.section("reduced");
  if (!reduced.readable("order")) return;
  const long order = reduced.integer("order");
  run.treatment.reduced_order = static_cast<int>(order);
  if (run.constraints != Treatment::viscous)
    reduced.error({}, "[reduced] needs constraints = \"viscous\" in [integrator]");
  else if (!reading.document.find("friction"))
    reduced.error({}, "[reduced] needs [friction] with \"mu\" and \"eps\"");
  if (order > 2 && !reading.document.find("chart"))
    reduced.error(
        "order",
        fmt::format("\"order\" of [reduced]: {} needs a [chart]; for bodies the order is 0, 1 or 2", order));
  const MethodInfo* method = find_method(run.method);
  if (method && !method->takes(Treatment::index_1))
    reduced.error(
        {}, fmt::format("[reduced] needs a method that takes index-1, which {} does not", method->name));
}

/// Reads the treatment of constraints, and checks that the method can use it.
void read_treatment(Reading& reading, const TableReader& integrator) {
  SimulationOptions& run = reading.scene.run;
  run.constraints = find_treatment(integrator.text("constraints"));
  read_treatment_parameters(reading, run.treatment);
  read_reduced(reading, run);
  run.spectral_radius = integrator.number("spectral_radius");
  if (run.spectral_radius && run.method != "generalized-alpha")
    integrator.error("spectral_radius",
                     fmt::format("\"spectral_radius\" of [integrator] does not apply to {}", run.method));
  const MethodInfo* method = find_method(run.method);
  if (!run.constraints || !method) return;
  if (!method->takes(*run.constraints)) {
    std::vector<std::string_view> taken;
    for (const Treatment one : method->treatments) taken.push_back(to_string(one));
    if (taken.empty()) taken.push_back("no constraints");
    integrator.error("constraints",
                     fmt::format("\"constraints\" of [integrator] cannot be \"{}\" with {}, which takes {}",
                                 to_string(*run.constraints), run.method, fmt::join(taken, ", ")));
  }
}

}  // namespace

void read_run(Reading& reading) {
  SimulationOptions& options = reading.scene.run;
  const TableReader run = reading.section("run"), integrator = reading.section("integrator");
  std::optional<double> begin;
  const std::optional<double> span = read_span(run, options, begin);
  reading.begin = options.t_begin;
  read_output(run, span, begin, options);
  options.max_steps = run.integer("max_steps");
  if (const auto wall = run.number("wall_limit")) options.wall_limit = *wall;

  read_method(integrator, options);
  read_steps(integrator, span, options);
  if (integrator.text("formulation") == "absolute") reading.scene.formulation = Formulation::absolute;
  reading.scene.group = product_named(integrator.text("group"), GroupProduct::direct);
  if (integrator.text("consistent") == "project") reading.scene.consistent = Consistency::project;
  read_treatment(reading, integrator);

  const MethodInfo* method = find_method(options.method);
  const bool fixed = method && method->fixed_step_only;
  if (fixed && integrator.find("tolerance"))
    integrator.error("tolerance", fmt::format("\"tolerance\" of [integrator]: {} takes a fixed \"step\" only",
                                              options.method));
  if (integrator.find("step") || integrator.find("tolerance")) return;
  if (fixed)
    return integrator.error(integrator.find("method") ? "method" : "connection",
                            fmt::format("{} takes a fixed step; give \"step\"", options.method));
  options.tolerance = options.tolerance_in_force();
}

}  // namespace torsor::scene
