#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <cmath>
#include <stdexcept>

#include "peers.hpp"

namespace peers {
namespace {

using Vec3 = std::array<double, 3>;

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// v rotated by the quaternion p = (w x y z), or by its inverse if sign = -1. p need not be of unit length.
Vec3 turned(const double* p, const Vec3& v, double sign) {
  const Vec3 u{p[1], p[2], p[3]};
  const Vec3 t = cross(u, v), tt = cross(u, t);
  const double norm = p[0] * p[0] + u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  Vec3 out;
  for (int i = 0; i < 3; ++i) out[i] = v[i] + 2 * (sign * p[0] * t[i] + tt[i]) / norm;
  return out;
}

/// Index of the first entry of each part of y = (x, quaternion w x y z, v, Omega, lambda, mu).
enum { at_x = 0, at_p = 3, at_v = 7, at_Omega = 10, at_lambda = 13, at_mu = 16, size = 19 };

/// The residual of the equations below. c is the vector from the fixed point to the mass centre in body axes.
/// lambda is the force of the pivot on the top. The multipliers mu and the vector nu correct the rates of x
/// and p, so that position and velocity constraints both hold. lambda and mu are in world axes:
///
///   x' = v + mu,   p' = p (0, Omega + nu)/2,   J nu = c x (-R^T mu),
///   m v' = m g + lambda,   J Omega' + Omega x J Omega = c x (-R^T lambda),
///   x - R c = 0,   v - R (Omega x c) = 0.
int residual(double, N_Vector state, N_Vector rate, N_Vector out, void* user) {
  const Top& top = *static_cast<const Top*>(user);
  const double* y = N_VGetArrayPointer(state);
  const double* dy = N_VGetArrayPointer(rate);
  double* r = N_VGetArrayPointer(out);
  const auto part = [&](int at) { return Vec3{y[at], y[at + 1], y[at + 2]}; };
  const double* p = y + at_p;
  const Vec3 Omega = part(at_Omega), lambda = part(at_lambda), mu = part(at_mu);
  const Vec3 torque = cross(turned(p, lambda, -1), top.centre), push = cross(turned(p, mu, -1), top.centre);
  const Vec3& J = top.inertia;
  const Vec3 gyroscopic = cross(Omega, {J[0] * Omega[0], J[1] * Omega[1], J[2] * Omega[2]});
  const Vec3 arm = turned(p, top.centre, 1), speed = turned(p, cross(Omega, top.centre), 1);
  for (int i = 0; i < 3; ++i) {
    r[at_x + i] = dy[at_x + i] - y[at_v + i] - mu[i];
    r[at_v + i] = dy[at_v + i] - lambda[i] / top.mass + (i == 2 ? gravity : 0);
    r[at_Omega + i] = dy[at_Omega + i] - (torque[i] - gyroscopic[i]) / J[i];
    r[at_lambda + i] = y[at_x + i] - arm[i];
    r[at_mu + i] = y[at_v + i] - speed[i];
  }
  Vec3 w;
  for (int i = 0; i < 3; ++i) w[i] = Omega[i] + push[i] / J[i];
  r[at_p] = dy[at_p] + (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) / 2;
  r[at_p + 1] = dy[at_p + 1] - (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
  r[at_p + 2] = dy[at_p + 2] - (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
  r[at_p + 3] = dy[at_p + 3] - (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
  return 0;
}

void check(int flag) {
  if (flag < 0) throw std::runtime_error("IDA failed with code " + std::to_string(flag));
}

class IdaPeer final : public Peer {
 public:
  IdaPeer(const Top& top, double tolerance)
      : top_(top),
        state_(N_VNew_Serial(size, context_)),
        rate_(N_VClone(state_)),
        differential_(N_VClone(state_)),
        matrix_(SUNDenseMatrix(size, size, context_)),
        linear_(SUNLinSol_Dense(state_, matrix_, context_)),
        ida_(IDACreate(context_)) {
    start();
    check(IDAInit(ida_, residual, 0, state_, rate_));
    check(IDASStolerances(ida_, tolerance, tolerance));
    check(IDASetUserData(ida_, &top_));
    check(IDASetLinearSolver(ida_, linear_, matrix_));
    for (int i = 0; i < size; ++i) N_VGetArrayPointer(differential_)[i] = i < at_lambda;
    check(IDASetId(ida_, differential_));
    check(IDASetSuppressAlg(ida_, 1));
    check(IDASetMaxNumSteps(ida_, 10'000'000));
  }
  IdaPeer(const IdaPeer&) = delete;
  IdaPeer& operator=(const IdaPeer&) = delete;
  ~IdaPeer() override {
    IDAFree(&ida_);
    SUNLinSolFree(linear_);
    SUNMatDestroy(matrix_);
    for (N_Vector v : {state_, rate_, differential_}) N_VDestroy(v);
  }

  void reset() override {
    start();
    check(IDAReInit(ida_, 0, state_, rate_));
  }

  void run(double t_end) override {
    double reached = 0;
    check(IDASetStopTime(ida_, t_end));
    check(IDASolve(ida_, t_end, &reached, state_, rate_, IDA_NORMAL));
  }

  void evaluate() override { residual(0, state_, rate_, differential_, &top_); }

  std::array<double, 3> centre(int) override {
    const double* y = N_VGetArrayPointer(state_);
    return {y[0], y[1], y[2]};
  }

  double energy() override {
    const double* y = N_VGetArrayPointer(state_);
    double sum = 2 * top_.mass * gravity * y[at_x + 2];
    for (int i = 0; i < 3; ++i)
      sum += top_.mass * y[at_v + i] * y[at_v + i] + top_.inertia[i] * y[at_Omega + i] * y[at_Omega + i];
    return sum / 2;
  }

 private:
  /// Sets a consistent start, provided that the mass centre lies on a principal axis. The rates of the
  /// algebraic parts do not matter.
  void start() {
    N_VConst(0, state_);
    N_VConst(0, rate_);
    double* y = N_VGetArrayPointer(state_);
    double* dy = N_VGetArrayPointer(rate_);
    const Vec3 &c = top_.centre, &Omega = top_.Omega, v = cross(Omega, c), around = cross(Omega, v);
    const Vec3 weight = cross(c, {0, 0, -top_.mass * gravity});
    Vec3 J;  // about the fixed point
    for (int i = 0; i < 3; ++i)
      J[i] = top_.inertia[i] + top_.mass * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2] - c[i] * c[i]);
    const Vec3 gyroscopic = cross(Omega, {J[0] * Omega[0], J[1] * Omega[1], J[2] * Omega[2]});
    Vec3 Omega_rate;
    for (int i = 0; i < 3; ++i) Omega_rate[i] = (weight[i] - gyroscopic[i]) / J[i];
    const Vec3 along = cross(Omega_rate, c);
    y[at_p] = 1;
    for (int i = 0; i < 3; ++i) {
      y[at_x + i] = c[i];
      y[at_v + i] = dy[at_x + i] = v[i];
      y[at_Omega + i] = Omega[i];
      dy[at_p + 1 + i] = Omega[i] / 2;
      dy[at_v + i] = along[i] + around[i];
      dy[at_Omega + i] = Omega_rate[i];
      y[at_lambda + i] = top_.mass * (dy[at_v + i] + (i == 2 ? gravity : 0));
    }
  }

  struct Context {
    Context() { SUNContext_Create(nullptr, &value); }
    ~Context() { SUNContext_Free(&value); }
    operator SUNContext() const { return value; }
    SUNContext value = nullptr;
  };
  Top top_;
  Context context_;
  N_Vector state_, rate_, differential_;
  SUNMatrix matrix_;
  SUNLinearSolver linear_;
  void* ida_;
};

}  // namespace

std::unique_ptr<Peer> ida(const Top& top, double tolerance) {
  return std::make_unique<IdaPeer>(top, tolerance);
}

}  // namespace peers
