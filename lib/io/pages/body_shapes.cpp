#include "body_shapes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "model/law_drawing.hpp"

namespace torsor::io {

namespace {

scene::Shape rolling_shape(const Rolling& rolling) {
  scene::Shape shape;
  if (const auto* sphere = std::get_if<RollingSphere>(&rolling.shape)) {
    shape.size = Vec3::Constant(sphere->radius);
  } else if (const auto* ellipsoid = std::get_if<RollingEllipsoid>(&rolling.shape)) {
    shape.size = ellipsoid->semi_axes;
  } else {
    const auto& disk = std::get<RollingDisk>(rolling.shape);
    shape.kind = scene::Shape::Kind::cylinder;
    shape.size = {disk.radius + disk.edge, 0, std::max(2 * disk.edge, 0.06 * disk.radius)};
    shape.X_BS.R = frame_along(disk.axis);
  }
  shape.X_BS.p = rolling.centre;
  return shape;
}

}  // namespace

scene::Shape equivalent_solid(double mass, const Mat3& inertia) {
  constexpr double equal = 1e-3, thinnest = 0.04;  // of the greatest moment; of the longest edge
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(inertia);
  const Vec3& J = principal.eigenvalues();  // in increasing order
  const double scale = std::max(J[2], 1e-300);
  scene::Shape shape;
  if (J[2] - J[0] < equal * scale) {
    shape.size = Vec3::Constant(std::sqrt(2.5 * J.mean() / mass));
    return shape;
  }
  const bool long_one = J[2] - J[1] < equal * scale, flat_one = J[1] - J[0] < equal * scale;
  if (long_one || flat_one) {
    const double about = long_one ? J[0] : J[2], across = J[1];
    const double radius = std::sqrt(2 * std::max(about, 0.) / mass),
                 length = std::sqrt(6 * std::max(2 * across - about, 0.) / mass),
                 least = thinnest / 2 * std::max(2 * radius, length);
    shape.kind = scene::Shape::Kind::cylinder;
    shape.size = {std::max(radius, least), 0, std::max(length, 2 * least)};
    shape.X_BS.R = frame_along(principal.eigenvectors().col(long_one ? 0 : 2));
    return shape;
  }
  shape.kind = scene::Shape::Kind::box;
  const double sum = J.sum();
  for (int k = 0; k < 3; ++k) shape.size[k] = std::sqrt(6 * std::max(sum - 2 * J[k], 0.) / mass);
  shape.size = shape.size.cwiseMax(thinnest * shape.size.maxCoeff());
  Mat3 R = principal.eigenvectors();
  if (R.determinant() < 0) R.col(0) *= -1;
  shape.X_BS.R = SO3<>::from_matrix(R).normalized();
  return shape;
}

std::vector<scene::Shape> body_shapes(const scene::Scene& scene, std::size_t i) {
  const Body& body = scene.mechanism.bodies[i];
  if (i < scene.looks.size() && !scene.looks[i].shapes.empty()) return scene.looks[i].shapes;
  if (body.particle || !body.nodes.empty()) return {};
  std::vector<scene::Shape> shapes;
  for (const Constraint& constraint : scene.mechanism.constraints) {
    const auto* rolling = std::get_if<Rolling>(&constraint.law);
    if (rolling && rolling->body == static_cast<int>(i)) shapes.push_back(rolling_shape(*rolling));
  }
  if (shapes.empty()) shapes.push_back(equivalent_solid(body.mass, body.inertia));
  return shapes;
}

}  // namespace torsor::io
