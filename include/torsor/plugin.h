/* The interface of plugins: forces and constraints of scenes in compiled libraries. For C99 and C++; needs no
 * other header of Torsor. docs/extending.md explains it with an example.
 *
 * A library defines one force or one constraint: the constant `torsor_plugin_descriptor`. A scene names the
 * library in a [[force]] or [[constraint]] of kind "plugin". Each such table of each run has an instance of
 * its own. Torsor calls one instance from one thread at a time. Functions of different instances may run at
 * the same time in several threads.
 *
 * The results of a function depend on its input alone: a step may be repeated, and time may go back. SI
 * units, radians. A body is described at its mass centre; world axes, unless stated otherwise. */
#ifndef TORSOR_PLUGIN_H
#define TORSOR_PLUGIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. Torsor refuses a library of another version. */
#define TORSOR_PLUGIN_VERSION 1

/* Size of the buffer for a message, with the NUL at its end. */
#define TORSOR_MESSAGE_SIZE 256

/* The two kinds of plugin. */
#define TORSOR_FORCE 1
#define TORSOR_CONSTRAINT 2

/* A parameter, which a scene sets under `parameters`. It is a constant or a smooth function of time. */
typedef struct torsor_parameter {
  const char* name; /* at most 64 letters, digits and _, beginning with a letter */
  const char* unit; /* SI unit as in scenes, such as "N/m"; "" for a plain number */
  int required;     /* 0: the value is `fallback` if the scene does not set it */
  double fallback;
} torsor_parameter;

/* A state z of a force besides the motion. Torsor integrates it with the motion, and results list it as
 * state.FORCE.NAME. */
typedef struct torsor_state {
  const char* name; /* as for a parameter */
  const char* unit; /* for results */
  double start;     /* z at the beginning of the run */
} torsor_state;

/* The motion of a body. A particle has no attitude: its rotation is the unit matrix. */
typedef struct torsor_body {
  double position[3];         /* of the mass centre, m */
  double rotation[9];         /* R_WB by rows: takes components in body axes to world axes */
  double velocity[3];         /* of the mass centre, m/s */
  double angular_velocity[3]; /* world axes, rad/s */
} torsor_body;

/* The input of all functions. */
typedef struct torsor_input {
  double t; /* s */
  int body_count;
  const torsor_body* bodies;             /* in the order of the scene's `bodies` */
  const double* states;                  /* z, in the order of the descriptor; forces only */
  const double* parameters;              /* at t, in the order of the descriptor */
  const double* parameter_rates;         /* d/dt */
  const double* parameter_accelerations; /* d^2/dt^2 */
} torsor_input;

/* A force and a torque on a body at its mass centre, world axes, N and N m. */
typedef struct torsor_wrench {
  double force[3];
  double torque[3]; /* 0 for a particle */
} torsor_wrench;

/* The rows of a constraint. Row i states, with the velocity v of the mass centre and the angular velocity w
 * of each body k (world axes),
 *
 *   sum_k (c . v_k + d . w_k) + offset[i] = 0,   c, d: six numbers at coefficients[6 * (i * body_count + k)].
 *
 * All numbers are 0 before the call. */
typedef struct torsor_rows {
  double* coefficients;
  double* offset; /* the part of the row without velocities: depends on time and positions only */
  double* rate;   /* the time derivative of the row along the motion, without the terms in accelerations */
  double* phi;    /* of a holonomic constraint: d phi/dt is the row */
} torsor_rows;

/* Functions return 0, or another number if they fail. Then they may write the reason to `message`, as a text
 * of at most TORSOR_MESSAGE_SIZE bytes with its NUL. */
typedef struct torsor_plugin {
  int version;    /* TORSOR_PLUGIN_VERSION */
  int kind;       /* TORSOR_FORCE or TORSOR_CONSTRAINT */
  int body_count; /* how many bodies it acts on; 0: any number, at least one */
  int parameter_count;
  const torsor_parameter* parameters;
  int state_count; /* 0 for a constraint */
  const torsor_state* states;
  int row_count; /* of a constraint; 0 for a force */
  int holonomic; /* whether the rows of a constraint have the integral phi */

  /* Makes an instance for this number of bodies and the parameters at the beginning of the run. Fails if they
   * are not valid. May be null: `instance` is then null in all calls. */
  int (*create)(int body_count, const double* parameters, void** instance, char* message);
  /* Frees an instance. May be null. */
  void (*destroy)(void* instance);

  /* A force writes the wrench on each body, and the rate dz/dt of each state. All are 0 before the call. */
  int (*force)(void* instance, const torsor_input* in, torsor_wrench* wrenches, double* state_rates,
               char* message);
  /* A force that stores energy gives its potential energy V (J) and a power P (W). P is the sum of the power
   * of its forces that do not derive from V and of the rate at which V changes with time, parameters and
   * states alone. If no other force acts, the kinetic energy T of the bodies obeys d/dt (T + V) = P. May be
   * null: then V = 0, and P is the power of the wrenches. */
  int (*energy)(void* instance, const torsor_input* in, double* potential, double* power, char* message);

  /* A constraint writes its rows. */
  int (*constraint)(void* instance, const torsor_input* in, torsor_rows* rows, char* message);
} torsor_plugin;

/* The symbol that the library defines. */
#if defined(__GNUC__)
extern __attribute__((visibility("default"))) const torsor_plugin torsor_plugin_descriptor;
#else
extern const torsor_plugin torsor_plugin_descriptor;
#endif

#ifdef __cplusplus
}
#endif

#endif
