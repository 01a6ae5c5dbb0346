/* A Maxwell element, a spring and a damper in series, between the mass centres of two bodies. The extension z of the
 * damper is a state:
 *
 *   F = k (|x_b - x_a| - L - z),   z' = F / c.
 *
 * The spring stores V = F^2 / (2 k), and the damper takes the power F^2 / c. */
#include <math.h>
#include <stdio.h>

#include "torsor/plugin.h"

enum { stiffness, viscosity, rest_length };

static const torsor_parameter parameters[] = {
    {"stiffness", "N/m", 1, 0}, {"viscosity", "N*s/m", 1, 0}, {"rest_length", "m", 0, 0}};
static const torsor_state states[] = {{"extension", "m", 0}};

/* The tension F, and the direction from the first body to the second one. */
static double tension(const torsor_input* in, double direction[3]) {
  double length = 0;
  for (int i = 0; i < 3; ++i) {
    direction[i] = in->bodies[1].position[i] - in->bodies[0].position[i];
    length += direction[i] * direction[i];
  }
  length = sqrt(length);
  for (int i = 0; i < 3; ++i) direction[i] /= length;
  return in->parameters[stiffness] * (length - in->parameters[rest_length] - in->states[0]);
}

static int create(int body_count, const double* values, void** instance, char* message) {
  (void)body_count;
  (void)instance;
  if (values[stiffness] > 0 && values[viscosity] > 0) return 0;
  snprintf(message, TORSOR_MESSAGE_SIZE, "stiffness and viscosity must be positive");
  return 1;
}

static int force(void* instance, const torsor_input* in, torsor_wrench* wrenches, double* state_rates,
                 char* message) {
  double direction[3];
  const double F = tension(in, direction);
  (void)instance;
  (void)message;
  for (int i = 0; i < 3; ++i) {
    wrenches[0].force[i] = F * direction[i];
    wrenches[1].force[i] = -F * direction[i];
  }
  state_rates[0] = F / in->parameters[viscosity];
  return 0;
}

/* For a stiffness that does not depend on time. */
static int energy(void* instance, const torsor_input* in, double* potential, double* power, char* message) {
  double direction[3];
  const double F = tension(in, direction);
  (void)instance;
  (void)message;
  *potential = F * F / (2 * in->parameters[stiffness]);
  *power = -F * F / in->parameters[viscosity] - F * in->parameter_rates[rest_length];
  return 0;
}

const torsor_plugin torsor_plugin_descriptor = {
    .version = TORSOR_PLUGIN_VERSION,
    .kind = TORSOR_FORCE,
    .body_count = 2,
    .parameter_count = 3,
    .parameters = parameters,
    .state_count = 1,
    .states = states,
    .create = create,
    .force = force,
    .energy = energy,
};
