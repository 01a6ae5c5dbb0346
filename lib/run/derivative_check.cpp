#include "derivative_check.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "integrators/row_name.hpp"
#include "system/text.hpp"

namespace torsor::mechanics {
namespace {

/// Relative difference between a given derivative and a quotient of differences that is accepted.
constexpr double accepted_difference = 0.1;
/// Quotients of differences whose relative changes from one interval to the next are below this limit have
/// converged.
constexpr double converged = 1e-3;
constexpr double above_rounding = 1e4 * std::numeric_limits<double>::epsilon();

/// phi and psi, or their derivatives.
struct TwoLevels {
  Vec phi, psi;
  const Vec& operator[](bool of_phi) const { return of_phi ? phi : psi; }
};
/// Derivatives by differences ahead of the start and behind it.
struct Quotients {
  double h;
  TwoLevels ahead, behind;
  double mean(bool of_phi, int i) const { return (ahead[of_phi][i] + behind[of_phi][i]) / 2; }
};

class DerivativeCheck {
 public:
  DerivativeCheck(const ConstrainedSystem& system, double t, const State& x)
      : system_(system), t_(t), x_(x), here_(values(0)), given_{here_.psi, Vec(system.rows())} {
    Vec at_rest = x.v;
    at_rest.head(system.nv() - system.additions()).setZero();
    Vec a0(system.rows());
    system.velocity_residual(t, x.q, at_rest, a0);
    speed_ = a0.cwiseAbs() + (here_.psi - a0).cwiseAbs();
    system.constraint_bias(t, x.q, x.v, given_.psi);
    for (int i = 0; i < system.rows(); ++i) {
      if (system.holonomic()[static_cast<std::size_t>(i)]) open_.push_back({i, true, {}});
      open_.push_back({i, false, {}});
    }
  }

  /// Looks at the derivatives that have not been accepted, with differences over h, h/4 and h/16. Returns
  /// whether all have been accepted.
  bool accepts_all(double h) {
    std::array<Quotients, 3> three{quotients(h), {}, {}};
    std::erase_if(open_, [&](const Open& one) { return accepts(one, three[0]); });
    if (open_.empty()) return true;
    for (std::size_t k = 1; k < three.size(); ++k) three[k] = quotients(three[k - 1].h / 4);
    std::erase_if(open_, [&](const Open& one) { return accepts(one, three[1]) || accepts(one, three[2]); });
    // Long intervals may show the mean of a fast function, so the shortest ones decide.
    for (Open& one : open_) one.why = have_converged(one, three) ? what_is_wrong(one, three[2]) : "";
    return open_.empty();
  }
  /// The reason and the part of a derivative that no interval accepts and that is certainly wrong. False if
  /// there is none.
  bool found_wrong(std::string& why, Part& part) const {
    for (const Open& one : open_) {
      if (one.why.empty()) continue;
      why = "constraint " + quoted_row_name(system_, one.row) +
            " gives derivatives that are not those of its values: " + one.why;
      part = system_.part_of_row(one.row);
      return true;
    }
    return false;
  }

 private:
  struct Open {
    int row;
    bool of_phi;
    std::string why;
  };

  TwoLevels values(double s) const {
    TwoLevels at{Vec(system_.rows()), Vec(system_.rows())};
    Vec q(system_.nq());
    system_.retract(x_.q, s * x_.v, q);
    system_.position_residual(t_ + s, q, at.phi);
    system_.velocity_residual(t_ + s, q, x_.v, at.psi);
    return at;
  }
  Quotients quotients(double h) const {
    const TwoLevels ahead = values(h), behind = values(-h);
    return {h,
            {(ahead.phi - here_.phi) / h, (ahead.psi - here_.psi) / h},
            {(here_.phi - behind.phi) / h, (here_.psi - behind.psi) / h}};
  }

  /// A limit well above the rounding of a quotient. The terms of phi are at most of the size of the
  /// coordinates or about 1; those of gamma are at most about 1 + v^2, and may cancel.
  double rounding(const Open& one, double h) const {
    if (one.of_phi) return above_rounding * (1 + x_.q.lpNorm<Eigen::Infinity>()) / h;
    return above_rounding * (speed_[one.row] / h + 1 + x_.v.squaredNorm());
  }
  /// The terms of psi may cancel too.
  bool accepts(const Open& one, const Quotients& at) const {
    const double given = given_[one.of_phi][one.row], found = at.mean(one.of_phi, one.row);
    const double size = std::max(std::abs(given), std::abs(found)), terms = one.of_phi ? speed_[one.row] : 0;
    return std::abs(found - given) <= accepted_difference * size + converged * terms + rounding(one, at.h);
  }
  /// Whether the quotients have converged, ahead and behind to the same value.
  bool have_converged(const Open& one, const std::array<Quotients, 3>& three) const {
    const auto mean = [&](std::size_t k) { return three[k].mean(one.of_phi, one.row); };
    const double change = std::max(std::abs(mean(0) - mean(1)), std::abs(mean(1) - mean(2)));
    const double bend = std::abs(three[2].ahead[one.of_phi][one.row] - three[2].behind[one.of_phi][one.row]);
    const double size = std::abs(mean(2)), least = rounding(one, three[2].h);
    return change <= converged * size + least && bend <= accepted_difference * size + least;
  }
  std::string what_is_wrong(const Open& one, const Quotients& at) const {
    return std::string(one.of_phi ? "its position changes by " : "its velocity residual changes by ") +
           brief(at.mean(one.of_phi, one.row)) + " a second along the velocity of the start, and its " +
           (one.of_phi ? "velocity residual is " : "terms without accelerations are ") +
           brief(given_[one.of_phi][one.row]);
  }

  const ConstrainedSystem& system_;
  double t_;
  const State& x_;
  TwoLevels here_, given_;  ///< given derivatives: psi and gamma
  Vec speed_;               ///< |a0| + |A v|
  std::vector<Open> open_;
};

}  // namespace

bool has_wrong_derivative(const ConstrainedSystem& system, double t, const State& x, double span,
                          std::string& why, Part& part) try {
  if (system.rows() == 0 || system.additions() > system.quadratures()) return false;
  DerivativeCheck check(system, t, x);
  // Functions that vary fast need short intervals. In the shortest ones, rounding of t and of the rows is
  // about a thousandth.
  const double shortest_h = 1e3 * std::max(above_rounding * (1 + x.q.lpNorm<Eigen::Infinity>()),
                                           above_rounding / 1e4 * std::abs(t));
  double h = 1e-3 * span;
  while (h > shortest_h && !check.accepts_all(h)) h /= 64;
  Vec gamma(system.rows());
  system.constraint_bias(t, x.q, x.v, gamma);  // the run begins at this state, whose values a system may keep
  return check.found_wrong(why, part);
} catch (const std::bad_alloc&) {
  throw;
} catch (...) {  // the rows need not have values around the start
  return false;
}

}  // namespace torsor::mechanics
