#pragma once

#include <array>
#include <memory>

/// The benchmark mechanisms in other multibody codes, behind one small interface. C++17, because Simbody's
/// headers do not compile as C++20.
namespace peers {

/// One mechanism in another code, with that code's own integrator.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Returns to the start.
  virtual void reset() = 0;
  /// Integrates from the present state to t_end (s), with the accuracy or step size given at construction.
  virtual void run(double t_end) = 0;
  /// Evaluates all accelerations once at the present state, without reuse of the last evaluation.
  virtual void evaluate() = 0;
  /// Mass centre of a body in world axes, m. Bodies are numbered from 0; a chain from the ground outward.
  virtual std::array<double, 3> centre(int body) = 0;
  /// Kinetic plus potential energy, J.
  virtual double energy() = 0;
};

/// Heavy top of Bruls and Cardona: mass, principal inertia about the mass centre, vector from the fixed
/// point to the mass centre, and initial angular velocity in body axes. At the start the body axes are the
/// world axes. Units: kg, m, rad/s.
struct Top {
  double mass = 15;
  std::array<double, 3> inertia{0.234375, 0.46875, 0.234375};
  std::array<double, 3> centre{0, 1, 0};
  std::array<double, 3> Omega{0, 150, -4.61538};
};

/// N rods in a row along x from the origin with spherical joints. The chain turns about the vertical at 1/N
/// rad/s. Units: m, kg.
struct Chain {
  int rods = 10;
  double length = 1, mass = 1, radius = 0.01;
};

/// Four-bars in a row; all rods are 1 m and 1 kg (four_bars.hpp). Gravity along -y. Order of the bodies:
/// the upright rods, then the couplers.
struct FourBars {
  int windows = 40;
};

/// Gravity, m/s^2; along -z for top and chain.
inline constexpr double gravity = 9.81;

/// Simbody with its Runge-Kutta-Merson integrator at the given accuracy. nullptr if Simbody is not built in.
std::unique_ptr<Peer> simbody(const Top& top, double accuracy);
std::unique_ptr<Peer> simbody(const Chain& chain, double accuracy);
std::unique_ptr<Peer> simbody(const FourBars& bars, double accuracy);

/// MuJoCo with its Runge-Kutta integrator and about the given step size (s): a whole number of steps ends at
/// t_end. nullptr if MuJoCo is not built in, or if the chain is longer than MuJoCo's model reader can nest.
std::unique_ptr<Peer> mujoco(const Top& top, double step);
std::unique_ptr<Peer> mujoco(const Chain& chain, double step);
std::unique_ptr<Peer> mujoco(const FourBars& bars, double step);

/// IDA of SUNDIALS (variable-order BDF) at the given tolerance. The top is a differential-algebraic
/// equation of index 2, stabilised after Gear, Gupta and Leimkuhler. nullptr if SUNDIALS is not built in.
std::unique_ptr<Peer> ida(const Top& top, double tolerance);

}  // namespace peers
