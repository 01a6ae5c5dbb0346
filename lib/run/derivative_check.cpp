#include "derivative_check.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <new>

#include "integrators/row_name.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// Relative difference between a given derivative and a quotient of differences that is accepted.
constexpr double accepted_difference = 0.1;
/// Quotients of differences whose relative changes from one interval to the next are below this limit have
/// converged.
constexpr double converged = 1e-3;
constexpr double eps = std::numeric_limits<double>::epsilon(), above_rounding = 1e4 * eps;

/// The derivatives of all rows by differences over three intervals, in descending order.
using Quotients = std::array<Vec, 3>;

class DerivativeCheck {
 public:
  DerivativeCheck(const ConstrainedSystem& system, double t, const State& x)
      : system_(system), t_(t), x_(x), psi_(system.rows()), gamma_(system.rows()), q_(system.nq()) {
    Vec at_rest = x.v;
    at_rest.head(system.nv() - system.additions()).setZero();
    Vec a0(system.rows());
    system.velocity_residual(t, x.q, at_rest, a0);
    system.velocity_residual(t, x.q, x.v, psi_);
    system.constraint_bias(t, x.q, x.v, gamma_);
    speed_ = a0.cwiseAbs() + (psi_ - a0).cwiseAbs();
    for (Vec* one : {&ahead_, &behind_}) one->resize(system.rows());
  }

  /// Looks with differences over h, h/4 and h/16. Returns whether the search is over: all derivatives are
  /// accepted, or `why` says which is wrong.
  bool decide(double h, std::string& why, Part& part) {
    Quotients of_phi, of_psi;
    differentiate(h, of_phi[0], of_psi[0]);
    if (accepts_all(h, of_phi[0], of_psi[0])) return true;
    for (std::size_t k = 1; k < of_phi.size(); ++k)
      differentiate(h / (k == 1 ? 4 : 16), of_phi[k], of_psi[k]);
    for (int i = 0; i < system_.rows() && why.empty(); ++i) {
      if (is_holonomic(i) && contradicts(of_phi, i, psi_[i], least_of_phi(i, h / 16)))
        why = "its position changes by " + brief(of_phi.back()[i]) +
              " a second along the velocity of the start, and its velocity residual is " + brief(psi_[i]);
      else if (contradicts(of_psi, i, gamma_[i], least_of_psi(i, h / 16)))
        why = "its velocity residual changes by " + brief(of_psi.back()[i]) +
              " a second along the velocity of the start, and its terms without accelerations are " +
              brief(gamma_[i]);
      if (why.empty()) continue;
      part = system_.part_of_row(i);
      why = "constraint " + quoted_row_name(system_, i) +
            " gives derivatives that are not those of its values: " + why;
    }
    return !why.empty();
  }

 private:
  bool is_holonomic(int i) const { return system_.holonomic()[static_cast<std::size_t>(i)] != 0; }

  void evaluate(double s, Vec& phi, Vec& psi) {
    system_.retract(x_.q, s * x_.v, q_);
    system_.position_residual(t_ + s, q_, phi);
    system_.velocity_residual(t_ + s, q_, x_.v, psi);
  }
  /// d/ds of phi and psi by central differences over 2 h.
  void differentiate(double h, Vec& of_phi, Vec& of_psi) {
    of_phi.resize(system_.rows()), of_psi.resize(system_.rows());
    evaluate(h, of_phi, of_psi);
    evaluate(-h, ahead_, behind_);
    of_phi = (of_phi - ahead_) / (2 * h);
    of_psi = (of_psi - behind_) / (2 * h);
  }

  /// The least differences from the given derivatives that count: well above the rounding of the quotients. The
  /// terms of phi are at most of the size of the coordinates or about 1.
  double least_of_phi(int i, double h) const {
    return above_rounding * (1 + x_.q.lpNorm<Eigen::Infinity>()) / h + converged * speed_[i];
  }
  /// Terms of gamma may cancel; they are at most about 1 + v^2.
  double least_of_psi(int i, double h) const {
    return above_rounding * (speed_[i] / h + 1 + x_.v.squaredNorm());
  }

  static bool accepts(double given, double found, double least) {
    const double size = std::max(std::abs(given), std::abs(found));
    return std::abs(found - given) <= accepted_difference * size + least;
  }
  bool accepts_all(double h, const Vec& of_phi, const Vec& of_psi) const {
    for (int i = 0; i < system_.rows(); ++i) {
      if (is_holonomic(i) && !accepts(psi_[i], of_phi[i], least_of_phi(i, h))) return false;
      if (!accepts(gamma_[i], of_psi[i], least_of_psi(i, h))) return false;
    }
    return true;
  }
  static bool contradicts(const Quotients& q, int i, double given, double least) {
    const double size = std::max(std::abs(q[2][i]), std::abs(given));
    const double change = std::max(std::abs(q[0][i] - q[1][i]), std::abs(q[1][i] - q[2][i]));
    return change <= converged * size && !accepts(given, q[2][i], least);
  }

  const ConstrainedSystem& system_;
  double t_;
  const State& x_;
  Vec psi_, gamma_;  ///< what the system gives at the start
  Vec speed_;        ///< |a0| + |A v|
  Vec q_, ahead_, behind_;
};

}  // namespace

bool has_wrong_derivative(const ConstrainedSystem& system, double t, const State& x, double span,
                          std::string& why, Part& part) try {
  if (system.rows() == 0 || system.own_states()) return false;
  DerivativeCheck check(system, t, x);
  // Functions that vary fast need short intervals. The shortest ones are near the resolution of time.
  for (double h = 1e-3 * span; h > 1e6 * eps * (std::abs(t) + span); h /= 64)
    if (check.decide(h, why, part)) break;
  Vec gamma(system.rows());
  system.constraint_bias(t, x.q, x.v, gamma);  // the run begins at this state, whose values a system may keep
  return !why.empty();
} catch (const std::bad_alloc&) {
  throw;
} catch (...) {  // the rows need not have values around the start
  return false;
}

}  // namespace torsor::mechanics
