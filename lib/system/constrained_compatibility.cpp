#include "torsor/system/detail/constrained_compatibility.hpp"

#include <cmath>

#include "allowed_directions.hpp"
#include "dense.hpp"
#include "greatest.hpp"
#include "model/body_space.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using Mat = Eigen::MatrixXd;
using Square = Matrix<double, 6>;

/// Affinities on the group of one body, their difference from those of the Christoffel connection, and the
/// inertia.
struct BodyConnection {
  geometry::Tensor3<double, 6> L, D;
  Square G, root;  ///< G = root root^T
};

template <LieGroup Group>
BodyConnection body_connection(const Body& body, geometry::Canonical member) {
  // A particle has no angular velocity. Its J only has to be positive definite.
  const Mat3 J = body.particle ? Mat3(Mat3::Identity()) : body.inertia;
  const Square G = geometry::rigid_body_inertia<double>(body.mass, Vec3::Zero(), J);
  const auto at = Group::identity();
  const auto connection = geometry::canonical_connection<Group>(member);
  const auto L = connection.affinities(at);
  return {L, L - geometry::christoffel(connection.frame, geometry::Constant<Square>{G}).affinities(at), G,
          linear::cholesky(G)};
}

/// Maps velocities of the tree to those of all bodies in their groups, 6 for each link.
Mat in_groups(const MechanismSystem& system, const Vec& q, const Mat& velocities) {
  const Model& model = system.model();
  Workspace<double> work(model);
  forward_kinematics(model, q, Vec::Zero(model.nv()), work);
  Mat all(6 * model.size(), velocities.cols());
  Vec V(6 * model.size());
  for (Eigen::Index k = 0; k < velocities.cols(); ++k) {
    bodies_from_joints(model, work, Vec(velocities.col(k)), V);
    for (int i = 0; i < model.size(); ++i) {
      const auto R_T = work.R_WB[i].transpose();
      const bool direct = model.mechanism().bodies[model.body[i]].group == GroupProduct::direct;
      if (!direct) V.segment<3>(6 * i) = (R_T * V.segment<3>(6 * i)).eval();
      V.segment<3>(6 * i + 3) = (R_T * V.segment<3>(6 * i + 3)).eval();
    }
    all.col(k) = V;
  }
  return all;
}

/// The allowed directions X and, if rows depend on time, the unit vector along nu: the velocities of event
/// curves are nu + X.
Mat event_velocities(const MechanismSystem& system, double t, const Vec& q, const Mat& allowed) {
  const Eigen::Index m = allowed.cols();
  Vec a0(system.rows()), nu(system.nv()), y(system.rows());
  system.power()->row_offsets(t, q, a0);
  a0 = -a0;
  system.solve(t, q, Vec::Zero(system.nv()), a0, nu, y);
  const double length = std::sqrt(max_or_nan(0., mechanics::metric_product(system, t, q, nu, nu)));
  Mat velocities(system.nv(), length != 0 ? m + 1 : m);
  velocities.leftCols(m) = allowed;
  if (length != 0) velocities.col(m) = nu / length;
  return velocities;
}

}  // namespace

ConstrainedCompatibility constrained_compatibility(const MechanismSystem& system, double t, const Vec& q,
                                                   geometry::Canonical member) {
  constexpr int most_velocities = 60;
  const Model& model = system.model();
  ConstrainedCompatibility found;
  found.sampled = system.nv() > most_velocities;
  const Mat allowed = mechanics::allowed_directions(system, t, q, found.sampled);
  const Eigen::Index m = allowed.cols();
  found.directions = static_cast<int>(m);

  const Mat velocities = event_velocities(system, t, q, allowed);
  const Mat X = in_groups(system, q, velocities);

  std::vector<BodyConnection> bodies;
  for (int i = 0; i < model.size(); ++i) {
    const Body& body = model.mechanism().bodies[model.body[i]];
    bodies.push_back(body.group == GroupProduct::direct
                         ? body_connection<geometry::RigidBodyDirect<>>(body, member)
                         : body_connection<SE3<>>(body, member));
  }
  std::vector<Mat> D;  // D[i](j, a) = G(D(X_i, X_a), X_j)
  double scale = 0, weak = 0, strong = 0;
  Mat GDX(X.rows(), m);
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    for (int b = 0; b < model.size(); ++b) {
      const BodyConnection& body = bodies[b];
      const Vector<double, 6> along = X.col(i).segment<6>(6 * b);
      if (m > 0) GDX.middleRows<6>(6 * b) = body.G * body.D.along(along) * X.block(6 * b, 0, 6, m);
      const auto measure = [&](const Square& map) {  // in an orthonormal basis of the body's metric
        const Square lowered = body.root.transpose() * map;
        const Square same = linear::divide_by_lower(body.root, lowered.transpose());
        scale = max_or_nan(scale, linear::greatest(same));
      };
      measure(body.L.along(along)), measure(body.L.along(along) - body.D.along(along));
    }
    D.push_back(X.transpose() * GDX);
    strong = max_or_nan(strong, linear::greatest(D.back()));
  }
  for (Eigen::Index i = 0; i < X.cols(); ++i)
    for (Eigen::Index j = i; j < X.cols(); ++j)
      for (Eigen::Index a = 0; a < m; ++a) weak = max_or_nan(weak, std::abs(D[i](j, a) + D[j](i, a)));
  if (scale != 0) found.weak = weak / scale, found.strong = strong / scale;  // NaN if a number is NaN
  return found;
}

}  // namespace torsor
