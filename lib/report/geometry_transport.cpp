#include <Eigen/Eigenvalues>
#include <numbers>

#include "geometry_parts.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::mechanics {

Mat3 inertia_of_turns(const Eigen::MatrixXd& G) {
  if (G.rows() == 3) return G;
  const Mat3 slides = G.topLeftCorner<3, 3>(), mixed = G.topRightCorner<3, 3>();
  return G.bottomRightCorner<3, 3>() - mixed.transpose() * slides.inverse() * mixed;
}

/// The connection Gamma preserves the metric J, so J^(1/2) Gamma_n J^(-1/2) is the skew matrix of a vector w.
/// For u(t) = exp(-t Gamma_n) u(0), the vector J^(1/2) u(t) rotates about w by the angle -t |w|, and u =
/// J^(-1/2) w does not change.
std::optional<TransportReport> transport_report(const InvariantGroup& group, const BodyMotion& motion) {
  const bool turns = joint_type(group.kind).quaternion;
  const Vec3 n = group.R_MB * motion.Omega;
  if (!turns || n.isZero(0)) return std::nullopt;
  const Mat3 J = inertia_of_turns(group.inertia);
  const Eigen::SelfAdjointEigenSolver<Mat3> of_J(J);
  const Mat3 root = of_J.operatorSqrt(), inverse_root = of_J.operatorInverseSqrt();
  const auto Gamma =
      geometry::christoffel(geometry::LeftInvariantFrame<SO3<>>(), geometry::Constant{J}).affinities(SO3<>());
  const Vec3 w = SO3<>::vee(root * Gamma.along(n) * inverse_root), kept = inverse_root * w;
  TransportReport report;
  report.body = group.body;
  report.duration = 2 * std::numbers::pi / n.norm();
  report.christoffel = report.duration * w.norm();
  if (!kept.isZero(0)) report.kept = motion.R * Vec3(group.R_MB.transpose() * kept.normalized());
  return report;
}

}  // namespace torsor::mechanics
