// Plugins for tests. PLUGIN selects one: a sound one, or one with a fault.
#include "torsor/plugin.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace {

enum Plugin {
  spring,             // a spring and a damper between the first body and the origin
  integral,           // a force -gain z along x, z' = x
  lag,                // z' = (x - z) / time, without a force
  rod,                // a constraint: the first body keeps its distance from the origin
  no_symbol,          // without the symbol of the interface
  other_version,      // has another version of the interface
  other_kind,         // is neither a force nor a constraint
  null_force,         // has no function "force"
  null_constraint,    // has no function "constraint"
  null_parameters,    // has three parameters and no pointer to them
  negative_count,     // has -1 parameters
  equal_parameters,   // has two parameters of one name
  no_name,            // has a parameter with an invalid name
  state_not_finite,   // has a state that starts at infinity
  states_of_rod,      // is a constraint with a state
  no_rows,            // is a constraint without rows
  destroys_only,      // has the function "destroy" and not "create"
  refuses,            // refuses its parameters
  fails,              // fails with a message, after 0.5 s
  fails_silently,     // fails with an error code and no message
  overruns,           // fills the message without a NUL
  not_finite,         // returns a wrench with NaN
  rate_not_finite,    // returns a rate of its state with NaN
  energy_not_finite,  // returns an infinite potential energy
  wrong_energy,       // returns the power of the damper with the wrong sign
  row_not_finite,     // returns a row with NaN
  throws,             // throws an exception
  throws_number,      // throws an int
  recurses,           // calls itself after 0.5 s, until the stack overflows
  twists              // returns a torque on each body
};

constexpr Plugin which = PLUGIN;

const torsor_parameter spring_parameters[] = {
    {"stiffness", "N/m", 1, 0}, {"damping", "N*s/m", 0, 0}, {"rest_length", "m", 0, 0.5}};
const torsor_parameter equal[] = {{"gain", "N", 0, 1}, {"gain", "N", 0, 1}};
const torsor_parameter unnamed[] = {{"2 gains", "N", 0, 1}};
const torsor_parameter gain[] = {{"gain", "N", 0, 1}};
const torsor_parameter time_constant[] = {{"time", "s", 0, 0.25}};
const torsor_state state[] = {
    {"z", "m s", which == state_not_finite ? std::numeric_limits<double>::infinity() : 0.1}};

struct Stretch {
  double direction[3], length, rate;
};

Stretch stretch_of(const torsor_body& body) {
  Stretch s{};
  for (const double x : body.position) s.length += x * x;
  s.length = std::sqrt(s.length);
  for (int i = 0; i < 3; ++i) {
    s.direction[i] = body.position[i] / s.length;
    s.rate += s.direction[i] * body.velocity[i];
  }
  return s;
}

int spring_force(const torsor_input& in, torsor_wrench* wrenches) {
  const Stretch s = stretch_of(in.bodies[0]);
  const double* p = in.parameters;
  for (int i = 0; i < 3; ++i)
    wrenches[0].force[i] = -(p[0] * (s.length - p[2]) + p[1] * s.rate) * s.direction[i];
  return 0;
}

int recursion(volatile int* calls) {
  volatile int own = *calls + 1;
  return own < 0 ? 0 : recursion(&own) + own;
}

int force(void*, const torsor_input* in, torsor_wrench* wrenches, double* rates, char* message) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  switch (which) {
    case integral:
      wrenches[0].force[0] = -in->parameters[0] * in->states[0];
      rates[0] = in->bodies[0].position[0];
      return 0;
    case lag:
      rates[0] = (in->bodies[0].position[0] - in->states[0]) / in->parameters[0];
      return 0;
    case fails:
      std::snprintf(message, TORSOR_MESSAGE_SIZE, "no data after 0.5 s");
      return in->t > 0.5 ? 1 : 0;
    case fails_silently:
      return 7;
    case overruns:
      for (int i = 0; i < TORSOR_MESSAGE_SIZE; ++i) message[i] = 'x';
      return 1;
    case not_finite:
      wrenches[0].torque[2] = nan;
      return 0;
    case rate_not_finite:
      rates[0] = in->t > 0 ? nan : 0;
      return 0;
    case throws:
      throw std::runtime_error("thrown");
    case throws_number:
      throw 1;
    case recurses: {
      volatile int calls = 0;
      return in->t > 0.5 ? recursion(&calls) : 0;
    }
    case twists:
      for (int k = 0; k < in->body_count; ++k) wrenches[k].torque[1] = 3;
      return 0;
    default:
      return spring_force(*in, wrenches);
  }
}

int energy(void*, const torsor_input* in, double* potential, double* power, char*) {
  const Stretch s = stretch_of(in->bodies[0]);
  const double *p = in->parameters, *rate = in->parameter_rates;
  const double x = s.length - p[2];
  *potential = which == energy_not_finite ? std::numeric_limits<double>::infinity() : p[0] * x * x / 2;
  *power =
      rate[0] * x * x / 2 - p[0] * x * rate[2] - p[1] * s.rate * s.rate * (which == wrong_energy ? -1 : 1);
  return 0;
}

// Row x . v - L L' = 0 with the integral (x . x - L L) / 2.
int constraint(void*, const torsor_input* in, torsor_rows* rows, char*) {
  const torsor_body& body = in->bodies[0];
  const double L = in->parameters[0], rate = in->parameter_rates[0], second = in->parameter_accelerations[0];
  rows->offset[0] = -L * rate;
  rows->phi[0] = -L * L / 2;
  rows->rate[0] = -rate * rate - L * second;
  for (int i = 0; i < 3; ++i) {
    rows->coefficients[i] = body.position[i];
    rows->phi[0] += body.position[i] * body.position[i] / 2;
    rows->rate[0] += body.velocity[i] * body.velocity[i];
  }
  if (which == row_not_finite) rows->coefficients[5] = std::numeric_limits<double>::quiet_NaN();
  return 0;
}

int create(int, const double* parameters, void** instance, char* message) {
  if (which == refuses) {
    std::snprintf(message, TORSOR_MESSAGE_SIZE, "a stiffness of %g N/m is too great", parameters[0]);
    return 1;
  }
  *instance = std::malloc(1);
  return 0;
}

void destroy(void* instance) { std::free(instance); }

const torsor_parameter length[] = {{"length", "m", 1, 0}};

torsor_plugin rod_plugin() {
  torsor_plugin plugin{};
  plugin.version = TORSOR_PLUGIN_VERSION;
  plugin.kind = TORSOR_CONSTRAINT;
  plugin.body_count = 1;
  plugin.parameter_count = 1, plugin.parameters = length;
  plugin.row_count = 1, plugin.holonomic = 1;
  plugin.constraint = constraint;
  if (which == null_constraint) plugin.constraint = nullptr;
  if (which == states_of_rod) plugin.state_count = 1, plugin.states = state;
  if (which == no_rows) plugin.row_count = 0;
  return plugin;
}

torsor_plugin force_plugin() {
  torsor_plugin plugin{};
  plugin.version = which == other_version ? 7 : TORSOR_PLUGIN_VERSION;
  plugin.kind = which == other_kind ? 5 : TORSOR_FORCE;
  plugin.body_count = which == twists ? 0 : 1;
  plugin.parameter_count = 3, plugin.parameters = spring_parameters;
  plugin.create = create, plugin.destroy = destroy, plugin.force = force;
  if (which == spring || which == energy_not_finite || which == wrong_energy) plugin.energy = energy;
  if (which == null_force) plugin.force = nullptr;
  if (which == null_parameters) plugin.parameters = nullptr;
  if (which == negative_count) plugin.parameter_count = -1;
  if (which == equal_parameters) plugin.parameter_count = 2, plugin.parameters = equal;
  if (which == no_name) plugin.parameter_count = 1, plugin.parameters = unnamed;
  if (which == destroys_only) plugin.create = nullptr;
  if (which == integral || which == state_not_finite || which == rate_not_finite)
    plugin.parameter_count = 1, plugin.parameters = gain, plugin.state_count = 1, plugin.states = state;
  if (which == lag)
    plugin.parameter_count = 1, plugin.parameters = time_constant, plugin.state_count = 1,
    plugin.states = state;
  if (which == fails || which == fails_silently || which == overruns || which == not_finite ||
      which == throws || which == throws_number || which == recurses || which == twists)
    plugin.parameter_count = 0;
  return plugin;
}

constexpr bool is_rod = which == rod || which == null_constraint || which == states_of_rod ||
                        which == no_rows || which == row_not_finite;

}  // namespace

#ifdef NO_SYMBOL
#define torsor_plugin_descriptor another_symbol
extern const torsor_plugin torsor_plugin_descriptor;
#endif
const torsor_plugin torsor_plugin_descriptor = is_rod ? rod_plugin() : force_plugin();
