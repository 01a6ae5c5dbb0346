#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "model/kkt.hpp"
#include "torsor/lie/types.hpp"

namespace torsor::test {

/// The input of the solver for a mechanism at one instant: bodies with mass centres and inertias, and
/// joints between them as rows on (v, w) in world axes.
class Linkage {
 public:
  KktGraph graph;
  std::vector<double> G, A;

  int bodies() const { return static_cast<int>(graph.parent.size()); }
  int rows() const { return rows_; }

  /// Parents must be added first; add_joint ties a body to its parent.
  int add_body(int parent, const Vec3& centre, double mass, const Vec3& moments, const Mat3& R) {
    graph.parent.push_back(parent);
    centre_.push_back(centre);
    has_joint_.push_back(0);
    Eigen::Matrix<double, 6, 6> block = Eigen::Matrix<double, 6, 6>::Zero();
    block.topLeftCorner<3, 3>().diagonal().setConstant(mass);
    block.bottomRightCorner<3, 3>() = R * moments.asDiagonal() * R.transpose();
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) G.push_back(block(i, j));
    return bodies() - 1;
  }

  /// Rows on the relative motion of body a and body b (b = -1: the ground) at a point: translation along the
  /// columns of `forces`, rotation about the columns of `torques`.
  void add_joint(int a, int b, const Vec3& point, const Eigen::Matrix3Xd& forces,
                 const Eigen::Matrix3Xd& torques) {
    KktGraph::Constraint constraint;
    constraint.rows = static_cast<int>(forces.cols() + torques.cols());
    rows_ += constraint.rows;
    for (int side = 0; side < 2; ++side) {
      const int body = side ? b : a;
      if (body < 0) continue;
      constraint.bodies.push_back(body);
      Eigen::Matrix<double, Eigen::Dynamic, 6> block(constraint.rows, 6);
      block.setZero();
      block.topLeftCorner(forces.cols(), 3) = forces.transpose();
      block.topRightCorner(forces.cols(), 3) =
          forces.transpose() * velocity_of_turning(point - centre_[body]);
      block.bottomRightCorner(torques.cols(), 3) = torques.transpose();
      for (int i = 0; i < block.rows(); ++i)
        for (int j = 0; j < 6; ++j) A.push_back(side ? -block(i, j) : block(i, j));
    }
    if (b == graph.parent[a] && !has_joint_[a]) constraint.joint_of = a, has_joint_[a] = 1;
    graph.constraints.push_back(constraint);
  }
  /// A constraint on any bodies. `blocks` lists its rows x 6 block of each body, row-major.
  void add_constraint(const std::vector<int>& bodies, int rows, const Vec& blocks) {
    graph.constraints.push_back({rows, bodies});
    rows_ += rows;
    A.insert(A.end(), blocks.begin(), blocks.end());
  }
  void add_spherical(int a, int b, const Vec3& point) {
    add_joint(a, b, point, Mat3::Identity(), Eigen::Matrix3Xd(3, 0));
  }
  void add_revolute(int a, int b, const Vec3& point, const Vec3& axis) {
    Eigen::Matrix3Xd across(3, 2);
    across.col(0) = axis.unitOrthogonal();
    across.col(1) = axis.normalized().cross(across.col(0));
    add_joint(a, b, point, Mat3::Identity(), across);
  }

  const Vec3& centre(int body) const { return centre_[body]; }

  using Long = Eigen::Matrix<long double, -1, -1>;
  using LongVec = Eigen::Matrix<long double, -1, 1>;

  /// G x, A x and A^T y.
  LongVec metric_times(const LongVec& x) const {
    LongVec out = LongVec::Zero(x.size());
    for (int k = 0; k < static_cast<int>(G.size()); ++k)
      out[k / 36 * 6 + k % 36 / 6] += G[k] * x[k / 36 * 6 + k % 6];
    return out;
  }
  LongVec rows_times(const LongVec& x) const {
    LongVec out = LongVec::Zero(rows_);
    for_numbers([&](int row, int column, double number) { out[row] += number * x[column]; });
    return out;
  }
  LongVec reaction(const LongVec& y) const {
    LongVec out = LongVec::Zero(6 * bodies());
    for_numbers([&](int row, int column, double number) { out[column] += number * y[row]; });
    return out;
  }
  /// The whole matrix [ G  -A^T ; A  0 ].
  Long dense() const {
    const int n = 6 * bodies();
    Long out = Long::Zero(n + rows_, n + rows_);
    for (int k = 0; k < static_cast<int>(G.size()); ++k)
      out(k / 36 * 6 + k % 36 / 6, k / 36 * 6 + k % 6) = G[k];
    for_numbers([&](int row, int column, double number) {
      out(n + row, column) += number;
      out(column, n + row) -= number;
    });
    return out;
  }
  /// Calls use(row, column, number) for each number of A.
  template <class Use>
  void for_numbers(Use use) const {
    int row = 0;
    std::size_t at = 0;
    for (const auto& constraint : graph.constraints) {
      for (int body : constraint.bodies)
        for (int i = 0; i < constraint.rows; ++i)
          for (int j = 0; j < 6; ++j) use(row + i, 6 * body + j, A[at++]);
      row += constraint.rows;
    }
  }

  static LongVec stacked(const Vec& r, const Vec& s) {
    LongVec out(r.size() + s.size());
    out << r.cast<long double>(), s.cast<long double>();
    return out;
  }

 private:
  /// The columns are the velocities at `arm` from the centre when the body turns about each axis.
  static Mat3 velocity_of_turning(const Vec3& arm) {
    Mat3 out;
    for (int i = 0; i < 3; ++i) out.col(i) = Vec3::Unit(i).cross(arm);
    return out;
  }

  std::vector<Vec3> centre_;
  std::vector<char> has_joint_;  // over bodies: a joint connects the body to its parent
  int rows_ = 0;
};

/// Random numbers for linkages, the same in every run.
class Sampler {
 public:
  explicit Sampler(unsigned seed) : engine_(seed) {}
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  Vec3 vector() {
    const double x = uniform(-1, 1), y = uniform(-1, 1);
    return {x, y, uniform(-1, 1)};
  }
  Mat3 rotation() {
    const Vec3 axis = vector(), other = vector();
    Mat3 R;
    R.col(0) = axis.normalized();
    R.col(1) = axis.cross(other).normalized();
    R.col(2) = R.col(0).cross(R.col(1));
    return R;
  }
  Vec numbers(int n) {
    Vec out(n);
    for (double& value : out) value = uniform(-1, 1);
    return out;
  }
  /// A body with a mass from 10^-decades to 10^decades (kg).
  int add_body(Linkage& linkage, int parent, const Vec3& centre, double decades) {
    const double mass = std::pow(10., uniform(-decades, decades));
    // Compilers evaluate the arguments of a call in different orders.
    const double z = uniform(0.1, 0.2), y = uniform(0.1, 0.2);
    const Vec3 moments = mass * Vec3(uniform(0.1, 0.2), y, z);
    return linkage.add_body(parent, centre, mass, moments, rotation());
  }

 private:
  std::mt19937 engine_;
};

/// A row of parallel bars that are hinged to the ground, with bars that couple their tops: `loops` four-bars
/// in a plane, each with three redundant rows. The spanning tree either starts from the ground at each
/// parallel bar or runs through all bars.
inline Linkage n_fourbar(int loops, bool from_ground) {
  Linkage out;
  const Vec3 z(0, 0, 1), moments(0.1, 0.1, 0.1);
  const auto foot = [](int k) { return Vec3(k, 0, 0); };
  const auto top = [](int k) { return Vec3(k + 0.3, 1, 0); };
  int coupler = -1;
  for (int k = 0; k <= loops; ++k) {
    const bool hung = k > 0 && !from_ground;
    const int bar = out.add_body(hung ? coupler : -1, (foot(k) + top(k)) / 2, 1, moments, Mat3::Identity());
    out.add_revolute(bar, -1, foot(k), z);
    if (k > 0) out.add_revolute(bar, coupler, top(k), z);
    if (k == loops) break;
    coupler = out.add_body(bar, (top(k) + top(k + 1)) / 2, 1, moments, Mat3::Identity());
    out.add_revolute(coupler, bar, top(k), z);
  }
  return out;
}

/// Two chains from the ground, with a rung between each pair of links. The spanning tree follows both chains,
/// or one chain and the rungs.
inline Linkage two_rails(int loops, bool both) {
  Linkage out;
  const Vec3 z(0, 0, 1), moments(0.1, 0.1, 0.1);
  const auto body = [&](int parent, const Vec3& centre) {
    return out.add_body(parent, centre, 1, moments, Mat3::Identity());
  };
  int low = -1, high = -1;
  for (int k = 0; k < loops; ++k) {
    const int low_before = low, high_before = high;
    low = body(low_before, Vec3(k + 0.5, 0, 0));
    out.add_revolute(low, low_before, Vec3(k, 0, 0), z);
    const int rung = body(low, Vec3(k + 1, 0.5, 0));
    out.add_revolute(rung, low, Vec3(k + 1, 0, 0), z);
    high = body(both ? high_before : rung, Vec3(k + 0.5, 1, 0));
    out.add_revolute(high, high_before, Vec3(k, 1, 0), z);
    out.add_revolute(high, rung, Vec3(k + 1, 1, 0), z);
  }
  return out;
}

}  // namespace torsor::test
