#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "dense.hpp"
#include "model/body_space.hpp"
#include "model/forces/feedback.hpp"
#include "model/velocity_units.hpp"
#include "torsor/model/constraints.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using Mat = Eigen::MatrixXd;

constexpr double rank_tolerance = 1e-7;   // for forms of unit length
constexpr double zero_row = 1e-12;        // relative to the longest row
constexpr double curve_tolerance = 1e-6;  // of d theta, relative to the terms that cancel in it
/// Per metre or radian. The derivative of a form by differences has an error of curve_tolerance * blur times
/// the form.
constexpr double blur = 1e-3;
/// Rounding errors of a row, relative to its length. The row of a joint is a sum over the joints that move its
/// bodies, and some terms cancel. In 800 chains of three joints, the errors were below 4 eps.
constexpr double row_rounding = 6 * std::numeric_limits<double>::epsilon();
constexpr double largest_step = 3e-3;  // of differences; m, rad or s
constexpr double other_step = 0.618;   // a second step as a fraction of the first

Mat pfaffian_rows(const PfaffianSystem& system, const SamplePoint& point) {
  Mat A(system.exact.size(), system.velocities);
  Vec a0(A.rows());
  system.rows(point.t, point.q, A, a0);
  Mat out(A.rows(), A.cols() + 1);
  out << A, a0;
  return out;
}

/// The point that is reached by the displacement xi, at a time that is later by `later`, s.
SamplePoint point_after(const PfaffianSystem& system, const SamplePoint& point, const Vec& xi, double later) {
  SamplePoint out{point.t + later, point.q};
  system.retract(point.q, xi, out.q);
  return out;
}

/// The bracket of two velocities, by the structure of the group.
Vec bracket_of(const PfaffianSystem& system, const Vec& u, const Vec& w) {
  const Vec minus_u = -u;
  Vec plus(u.size()), minus(u.size());
  system.dexp_inv(u, w, plus);
  system.dexp_inv(minus_u, w, minus);
  return plus - minus;
}

/// Some rows, and the velocities on which these rows and their coefficients depend. Brackets of these
/// velocities do not leave the part.
struct PartOfRows {
  std::vector<int> rows, velocities;
};

/// The parts of a system that do not depend on each other. The flag of the system is the sum of their flags.
std::vector<PartOfRows> independent_parts(const PfaffianSystem& system, const SamplePoint& point,
                                          double step) {
  const int n = system.velocities;
  std::vector<int> part(n);                         // of each velocity
  std::vector<int> first(system.exact.size(), -1);  // for each row, the first velocity on which it depends
  std::iota(part.begin(), part.end(), 0);
  const auto join = [&part](int i, int j) {
    if (part[i] != part[j]) std::replace(part.begin(), part.end(), part[j], int(part[i]));
  };
  const Mat here = pfaffian_rows(system, point);
  for (int j = 0; j < n; ++j) {
    const Vec xi = step * Vec::Unit(n, j), back = -xi;
    const Mat after = pfaffian_rows(system, point_after(system, point, xi, 0)),
              before = pfaffian_rows(system, point_after(system, point, back, 0));
    for (std::size_t i = 0; i < first.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      if (here(row, j) == 0 && after.row(row) == here.row(row) && before.row(row) == here.row(row)) continue;
      if (first[i] < 0) first[i] = j;
      join(first[i], j);
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const Vec both = bracket_of(system, Vec::Unit(n, i), Vec::Unit(n, j));
      for (int k = 0; k < n; ++k)
        if (both[k] != 0) join(i, j), join(i, k);
    }
  std::vector<PartOfRows> all(n);
  for (int j = 0; j < n; ++j) all[part[j]].velocities.push_back(j);
  for (std::size_t i = 0; i < first.size(); ++i)
    if (first[i] >= 0) all[part[first[i]]].rows.push_back(static_cast<int>(i));
  std::erase_if(all, [](const PartOfRows& each) { return each.rows.empty(); });
  return all;
}

/// The terms of the derived flag of a part around one point. Forms are row vectors of velocities + 1
/// components, time last. A term is stored as combinations of rows that are not exact; the exact rows lie in
/// every term. Rows that depend on others are left out: otherwise combinations that vanish would lie in every
/// term and be differentiated in each.
class DerivedFlag {
 public:
  DerivedFlag(const PfaffianSystem& system, const PartOfRows& part, const SamplePoint& point, double step)
      : system_(system),
        part_(part),
        point_(point),
        step_(step),
        n_(static_cast<int>(part.velocities.size()) + 1) {
    for (std::size_t i = 0; i < part.rows.size(); ++i)
      (system.exact[part.rows[i]] ? exact_ : open_).push_back(static_cast<int>(i));
    const Vec norms = all_rows(point).rowwise().norm();
    const double least = zero_row * (norms.size() > 0 ? norms.maxCoeff() : 0);
    scale_ = norms.unaryExpr([least](double x) { return x > least ? 1 / x : 0; });
    open_ = independent(open_);
  }

  /// Over the rows of the part: whether the row lies in the last term.
  std::vector<char> last_term() {
    int left = static_cast<int>(open_.size());
    while (left > 0) {
      const Mat kept = closed_combinations(forms(point_, depth()), kernel(point_, depth()), point_, depth());
      if (kept.rows() == left) break;
      left = static_cast<int>(kept.rows());
      combinations_.push_back(kept);
    }
    const Mat K = kernel(point_, depth()), outside = linear::product(rows_at(point_), K);
    std::vector<char> out(part_.rows.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = outside.row(i).norm() < curve_tolerance;
    return out;
  }

 private:
  int depth() const { return static_cast<int>(combinations_.size()); }

  /// The rows of a list that are independent of each other and of the exact rows.
  std::vector<int> independent(const std::vector<int>& list) const {
    const Mat rows = rows_at(point_), exact = rows(exact_, Eigen::all);
    const Mat K = exact.rows() == 0 ? Mat::Identity(n_, n_)
                                    : linear::orthogonal_complement(exact.transpose(), rank_tolerance);
    if (list.empty() || K.cols() == 0) return {};
    const Mat outside = linear::product(rows(list, Eigen::all), K).transpose();
    Eigen::ColPivHouseholderQR<Mat> qr(outside);
    std::vector<int> all;
    for (Eigen::Index i = 0; i < qr.nonzeroPivots() && std::abs(qr.matrixQR()(i, i)) > rank_tolerance; ++i)
      all.push_back(list[static_cast<std::size_t>(qr.colsPermutation().indices()[i])]);
    std::sort(all.begin(), all.end());
    return all;
  }

  Mat all_rows(const SamplePoint& point) const {
    std::vector<int> columns = part_.velocities;
    columns.push_back(system_.velocities);
    return pfaffian_rows(system_, point)(part_.rows, columns);
  }
  Mat rows_at(const SamplePoint& point) const { return scale_.asDiagonal() * all_rows(point); }

  /// A basis of the term at `point` that varies smoothly around point_: the combinations found at point_,
  /// projected on the closed combinations at `point`.
  Mat forms(const SamplePoint& point, int term) const {
    if (term == 0) return rows_at(point)(open_, Eigen::all);
    const Mat before = forms(point, term - 1);
    const Mat& reference = combinations_[term - 1];
    if (point.t == point_.t && point.q == point_.q) return linear::product(reference, before);
    const Mat here = closed_combinations(before, kernel(point, term - 1), point, term - 1,
                                         static_cast<int>(reference.rows()));
    return linear::product(linear::product(reference, here.transpose()), linear::product(here, before));
  }

  /// Orthonormal basis, in columns, of the directions on which the exact rows and the term's forms vanish.
  Mat kernel(const SamplePoint& point, int term) const {
    const Mat exact = rows_at(point)(exact_, Eigen::all), own = forms(point, term);
    Mat forms_as_columns(n_, exact.rows() + own.rows());
    forms_as_columns << exact.transpose(), own.transpose();
    if (forms_as_columns.cols() == 0) return Mat::Identity(n_, n_);
    return linear::orthogonal_complement(forms_as_columns, rank_tolerance);
  }

  /// Orthonormal combinations of the term's forms whose exterior derivative vanishes on the kernel K: `count`
  /// of them, or all where count < 0.
  Mat closed_combinations(const Mat& forms_here, const Mat& K, const SamplePoint& point, int term,
                          int count = -1) const {
    const int d = static_cast<int>(K.cols()), r = static_cast<int>(forms_here.rows());
    std::vector<Mat> rate;
    rate.reserve(d);
    for (int i = 0; i < d; ++i) rate.push_back(derivative(point, K.col(i), term));
    const Mat size = forms_here.cwiseAbs(), size_K = K.cwiseAbs();
    Mat curve = Mat::Zero(r, std::max(1, d * (d - 1) / 2));
    // Over forms: the greatest sum of the absolute values of terms that cancel, or the rounding of
    // differences with a large step: small steps must not hide a small curvature.
    const double step = std::max(step_, other_step * largest_step);
    const double rounding = row_rounding / (step * curve_tolerance);
    Vec terms = rounding * forms_here.rowwise().norm();
    for (int i = 0, pair = 0; i < d; ++i)
      for (int j = 0; j < i; ++j, ++pair) {
        const Vec both = bracket(K.col(i), K.col(j));
        curve.col(pair) = rate[i] * K.col(j) - rate[j] * K.col(i) - forms_here * both;
        terms = terms.cwiseMax(rate[i].cwiseAbs() * size_K.col(j) + rate[j].cwiseAbs() * size_K.col(i) +
                               size * (both.cwiseAbs() + blur * (size_K.col(i) + size_K.col(j))));
      }
    for (int i = 0; i < r; ++i)
      if (terms[i] > 0) curve.row(i) /= terms[i];
    const Eigen::JacobiSVD<Mat> svd(curve, Eigen::ComputeFullU);
    if (count < 0) count = r - static_cast<int>((svd.singularValues().array() > curve_tolerance).count());
    if (count == 0) return Mat(0, r);
    Mat closed = svd.matrixU().rightCols(count);
    for (int i = 0; i < r; ++i)
      if (terms[i] > 0) closed.row(i) /= terms[i];
    return (Eigen::HouseholderQR<Mat>(closed).householderQ() * Mat::Identity(r, count)).transpose();
  }

  /// A direction as velocities of the whole system, without its component along time.
  Vec whole(const Vec& direction) const {
    Vec v = Vec::Zero(system_.velocities);
    v(part_.velocities) = direction.head(n_ - 1);
    return v;
  }

  Mat derivative(const SamplePoint& point, const Vec& direction, int term) const {
    const Vec along = step_ * whole(direction);
    const auto at = [&](int k) {
      return forms(point_after(system_, point, k * along, k * step_ * direction[n_ - 1]), term);
    };
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step_);
  }

  Vec bracket(const Vec& u, const Vec& w) const {
    Vec out = Vec::Zero(n_);
    out.head(n_ - 1) = bracket_of(system_, whole(u), whole(w))(part_.velocities);
    return out;
  }

  const PfaffianSystem& system_;
  const PartOfRows& part_;
  const SamplePoint& point_;
  double step_;
  int n_;
  std::vector<int> exact_, open_;
  Vec scale_;
  std::vector<Mat> combinations_;  ///< term k + 1 in terms of the basis of term k, at the point
};

/// Fills A and a0 from the blocks: row i of A has the joint forces that a unit multiplier of row i causes.
void dense_rows(const Model& model, const Constraints& constraints, const Workspace<double>& work,
                const ConstraintValues& values, Mat& A, Vec& a0) {
  Vec wrench = Vec::Zero(6 * model.size()), tau(model.nv());
  A.setZero();
  for (const Constraints::Item& item : constraints.items())
    for (int row = 0; row < item.rows && !item.tree; ++row) {  // the rows of tree joints are zero
      wrench.setZero();
      for (std::size_t k = 0; k < item.links.size(); ++k) {
        const int at = constraints.block_offset()[item.block_begin + k] + 6 * row;
        wrench.segment<6>(6 * item.links[k]) = Eigen::Map<const Vector<double, 6>>(&values.blocks[at]);
      }
      joint_forces(model, work, wrench, tau);
      A.row(item.row_begin + row) = tau;
    }
  a0 = Eigen::Map<const Vec>(values.a0.data(), constraints.size());
}

/// Over rows, 1 where the row lies in the last term of the flag at all points, by differences with `step`.
std::vector<char> rows_in_last_term(const PfaffianSystem& system, const std::vector<SamplePoint>& points,
                                    double step) {
  std::vector<char> out(system.exact.size(), true);
  for (const SamplePoint& point : points) {
    for (const PartOfRows& part : independent_parts(system, point, largest_step)) {
      const std::vector<char> here = DerivedFlag(system, part, point, step).last_term();
      for (std::size_t i = 0; i < here.size(); ++i) out[part.rows[i]] = out[part.rows[i]] && here[i];
    }
  }
  return out;
}

}  // namespace

PfaffianSystem pfaffian_system(const Model& model, const Constraints& constraints, double unit) {
  PfaffianSystem system;
  const Vec units = mechanics::velocity_units(model, unit);
  system.velocities = model.nv();
  for (const Constraints::Row& row : constraints.rows()) system.exact.push_back(row.holonomic);
  const auto work = std::make_shared<Workspace<double>>(model);
  const auto values = std::make_shared<ConstraintValues>();
  const auto feedback = std::make_shared<const Feedback>(model);
  values->feedback = feedback.get();
  system.rows = [&model, &constraints, units, work, values, feedback](double t, const Vec& q, Mat& A,
                                                                      Vec& a0) {
    const Vec still = Vec::Zero(model.nv());
    forward_kinematics(model, q, still, *work);
    constraints.evaluate(t, q, still, *work, *values);
    dense_rows(model, constraints, *work, *values, A, a0);
    A = A * units.asDiagonal();
  };
  system.retract = [&model, units](const Vec& q, const Vec& xi, Vec& q_next) {
    const Vec by = units.cwiseProduct(xi);
    retract(model, q.data(), by.data(), q_next.data());
  };
  system.dexp_inv = [&model, units](const Vec& xi, const Vec& w, Vec& out) {
    const Vec by = units.cwiseProduct(xi), velocity = units.cwiseProduct(w);
    dexp_inv(model, by.data(), velocity.data(), out.data());
    out.array() /= units.array();
  };
  return system;
}

std::vector<Integrable> integrable_rows(const PfaffianSystem& system,
                                        const std::vector<SamplePoint>& points) {
  std::vector<Integrable> out(system.exact.size(), Integrable::no);
  const auto left = [&](std::size_t i) { return !system.exact[i] && out[i] != Integrable::yes; };
  for (std::size_t i = 0; i < out.size(); ++i)
    if (system.exact[i]) out[i] = Integrable::yes;
  for (const double step : {largest_step, 1e-4, 3e-6}) {
    if (std::all_of(out.begin(), out.end(), [](Integrable one) { return one == Integrable::yes; })) break;
    const std::vector<char> found = rows_in_last_term(system, points, step);
    bool any = false;
    for (std::size_t i = 0; i < out.size(); ++i) any = any || (left(i) && found[i]);
    if (!any) continue;
    const std::vector<char> again = rows_in_last_term(system, points, other_step * step);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (left(i) && found[i]) out[i] = again[i] ? Integrable::yes : Integrable::in_doubt;
  }
  return out;
}

}  // namespace torsor
