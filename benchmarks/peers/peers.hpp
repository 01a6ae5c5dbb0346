#pragma once

#include <array>
#include <memory>

/// The benchmark mechanisms in other multibody codes, behind one small interface. C++17, since Simbody's
/// headers do not compile as C++20.
namespace peers {

/// One mechanism in another code, with that code's own integrator.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Back to the start.
  virtual void reset() = 0;
  /// Integrates from where it is to t_end (s), with the accuracy or step that it was made with.
  virtual void run(double t_end) = 0;
  /// One evaluation of all accelerations at the present state, nothing reused from the last one.
  virtual void evaluate() = 0;
  /// Mass centre of a body (from 0, from the ground outward) in world axes, m.
  virtual std::array<double, 3> centre(int body) = 0;
  /// Kinetic and potential, J.
  virtual double energy() = 0;
};

/// Heavy top of Bruls and Cardona: mass, principal inertia about the mass centre, the mass centre from the
/// fixed point, angular velocity in body axes at the start, where body and world axes agree.
struct Top {
  double mass = 15;
  std::array<double, 3> inertia{0.234375, 0.46875, 0.234375};
  std::array<double, 3> centre{0, 1, 0};
  std::array<double, 3> Omega{0, 150, -4.61538};
};

/// N rods in a row along x from the origin, spherical joints, the line turning about the vertical at 1/N
/// rad/s.
struct Chain {
  int rods = 10;
  double length = 1, mass = 1, radius = 0.01;
};

/// Four-bars in a row, all rods 1 m and 1 kg (see four_bars.hpp); falls along -y. Bodies: the upright rods,
/// then the couplers.
struct FourBars {
  int windows = 40;
};

/// Top and chain fall along -z.
inline constexpr double gravity = 9.81;

/// Simbody with its Runge-Kutta-Merson integrator, by accuracy. nullptr where Simbody is not built in.
std::unique_ptr<Peer> simbody(const Top& top, double accuracy);
std::unique_ptr<Peer> simbody(const Chain& chain, double accuracy);

std::unique_ptr<Peer> simbody(const FourBars& bars, double accuracy);

/// MuJoCo with its Runge-Kutta integrator, by step (s). nullptr where MuJoCo is not built in, or where the
/// chain is longer than its reader of models can nest.
std::unique_ptr<Peer> mujoco(const Top& top, double step);
std::unique_ptr<Peer> mujoco(const Chain& chain, double step);
std::unique_ptr<Peer> mujoco(const FourBars& bars, double step);

/// IDA of SUNDIALS (variable-order BDF) on the top as a differential-algebraic equation of index 2,
/// stabilised after Gear, Gupta and Leimkuhler, by tolerance. nullptr where SUNDIALS is not built in.
std::unique_ptr<Peer> ida(const Top& top, double tolerance);

}  // namespace peers
