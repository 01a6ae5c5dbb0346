#include "torsor/geometry/particles.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dense.hpp"

namespace torsor::geometry {

Vec3 singular_values(const PerParticle<double>& r) {
  if (!r.allFinite()) return Vec3::Constant(NAN);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(r);
  Vec3 values = Vec3::Zero();
  values.head(svd.singularValues().size()) = svd.singularValues();
  return values;
}

ParticleSpan particle_span(const PerParticle<double>& r, double reach, double tolerance) {
  const Vec3 values = singular_values(r);
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double least = std::max(tolerance * values[0], rounding * reach * std::sqrt(double(r.cols())));
  return static_cast<ParticleSpan>((values.array() > least).count());
}

PrincipalInertia principal_inertia(const Mat3& J) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(J);
  const auto upward = [](Vec3 axis) {  // the component of greatest magnitude is positive
    Eigen::Index greatest = 0;
    axis.cwiseAbs().maxCoeff(&greatest);
    return axis[greatest] < 0 ? Vec3(-axis) : axis;
  };
  PrincipalInertia found{InertiaClass::asymmetric, solver.eigenvalues(), {}};
  const Vec3 first = upward(solver.eigenvectors().col(0)), last = upward(solver.eigenvectors().col(2));
  found.axes << first, cross(last, first), last;
  const Vec3& I = found.moments;
  const double least = equal_moments * I[2];
  if (std::min(I[1] - I[0], I[2] - I[1]) <= least) found.kind = InertiaClass::symmetric;
  if (I[2] - I[0] <= least) found.kind = InertiaClass::spherical;
  return found;
}

ParticleSystem<double> particle_system(const ParticleWeights<double>& masses,
                                       const PerParticle<double>& positions) {
  const Vec3 p0 = positions * (masses / masses.sum());
  return particle_system(masses, positions,
                         particle_span(positions.colwise() - p0, positions.cwiseAbs().maxCoeff()));
}

}  // namespace torsor::geometry
