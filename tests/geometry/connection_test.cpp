#include "torsor/geometry/connection.hpp"

#include "geometry/frame3.hpp"
#include "torsor/geometry/christoffel.hpp"

using namespace torsor;

TEST_CASE("connection.frame3: the frame, its brackets and the derivatives of the metric") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  CHECK(agree(frame3::basis(q), matrix<3>(table.at("E"))));
  CHECK(agree(frame3::metric(q), matrix<3>(table.at("g"))));
  CHECK(agree(frame3::frame.structure_coefficients(q), tensor3<3>(table.at("c"))));
  const auto dg = frame_derivatives(frame3::frame, q, frame3::metric);
  for (std::size_t k = 0; k < 3; ++k) CHECK(agree(dg[k], matrix<3>(table.at("dg").at(k))));
}

TEST_CASE("connection.frame3: the Christoffel connection has neither torsion nor non-metricity") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  CHECK(agree(Gamma.affinities(q), tensor3<3>(table.at("Gamma"))));
  CHECK(greatest(torsion(Gamma, q)) < 1e-14);
  CHECK(greatest(non_metricity(Gamma, frame3::metric, q)) < 1e-14);
  CHECK(agree(curvature(Gamma, q), tensor4<3>(table.at("R"))));
}

TEST_CASE("connection.frame3: torsion, non-metricity and curvature of Gamma + S") {
  const json& table = frame3::table();
  const Vec3 q = frame3::point();
  const auto Gamma = christoffel(frame3::frame, frame3::metric);
  const auto S = Constant{tensor3<3>(table.at("S"))};
  const auto Lambda = Connection{frame3::frame, [=](const auto& at) { return Gamma.affinities(at) + S(at); }};
  CHECK(agree(torsion(Lambda, q), tensor3<3>(table.at("Lambda_torsion"))));
  CHECK(agree(non_metricity(Lambda, frame3::metric, q), tensor3<3>(table.at("Lambda_Dg"))));
  CHECK(agree(curvature(Lambda, q), tensor4<3>(table.at("Lambda_R"))));
}
