#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "constrained.hpp"
#include "torsor/system/reduced_system.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// The vertical disk of theory_checks.json with its torques, rolling at heading phi.
struct Disk {
  static constexpr double m = 1.3, I = 0.35, J = 0.22, R = 0.45, mu = 2.1, phi = 0.6, spin = 3, omega = 1.1,
                          spin_torque = 0.4, steer_torque = -0.3, M0 = I + m * R * R;
  Mechanism mechanism;
  State x;

  Disk() {
    mechanism.bodies = {{"disk", m, Vec3(J, I, J).asDiagonal()}};
    BodyForce steer, drive;
    steer.point.body = drive.point.body = 0;
    steer.torque = {0., 0., steer_torque};
    drive.torque = {0., spin_torque, 0.}, drive.body_axes = true;
    mechanism.forces = {{"steer", steer}, {"drive", drive}, weight({0, 0, -9.81})};
    Rolling rolling;
    rolling.shape = RollingDisk{Vec3::UnitY(), R}, rolling.upright = true;
    mechanism.constraints = {{"contact", rolling}};
    x.q.resize(7), x.v.resize(6);
    x.q << 0.3, -0.2, R, 0, 0, std::sin(phi / 2), std::cos(phi / 2);
    x.v << R * spin * std::cos(phi), R * spin * std::sin(phi), 0, 0, spin, omega;
  }
};

/// A cart on two wheels that pulls a trailer, with a damper in the hinge and a linear field on the cart. A
/// blade constraint stands for the wheels of each body. If `redundant`, a second planar joint adds redundant
/// rows, which share the weight.
struct Train {
  Mechanism mechanism;
  Start start;

  explicit Train(bool redundant) {
    mechanism.bodies = {rod("cart", 0.8, 1.4), rod("trailer", 0.6, 0.9)};
    mechanism.joints = {joint_at("ground", JointKind::planar, world, Vec3::Zero(), 0, Vec3::Zero()),
                        joint_at("hinge", JointKind::revolute, 0, {-0.5, 0, 0}, 1, {0.4, 0, 0})};
    if (redundant)
      mechanism.joints.push_back(
          joint_at("ground2", JointKind::planar, world, Vec3::Zero(), 1, Vec3::Zero()));
    JointForce damper;
    damper.joint = 1, damper.damping = 0.3;
    LinearField field{0, Vec3(0.8, 1.1, 0).asDiagonal()};
    field.charge = 0.4, field.B = {0., 0., 1.};
    mechanism.forces = {{"damper", damper}, {"field", field}, weight({0, 0, -9.81})};
    const auto blade = [](int body, double at) {
      VelocityLaw law;
      law.terms = {{.point = {body, {at, 0, 0}}, .c = Vec3::UnitY()}};
      return law;
    };
    mechanism.constraints = {{"blade", blade(0, -0.3)}, {"second", blade(1, -0.2)}};
    start.bodies.resize(2), start.joints.resize(mechanism.joints.size());
    start.joints[0].q = Vec3(0.2, -0.1, 0.3);
    start.joints[1].q = Vec::Constant(1, -0.4);
  }
};

/// A ball on a plane that rotates at increasing speed, pulled to the axis by springs along x and y.
struct Turntable {
  Mechanism mechanism;
  State x;

  Turntable() {
    mechanism.bodies = {{"ball", 1., 0.004 * Mat3::Identity()}};
    mechanism.forces = {weight({0, 0, -9.81}), {"spring", LinearField{0, Vec3(6, 2, 0).asDiagonal()}}};
    Rolling rolling;
    rolling.shape = RollingSphere{0.1};
    rolling.plane.angle = {[](double t) {
                             return TimeFunction::Value{0.7 * t + 0.2 * t * t, 0.7 + 0.4 * t, 0.4};
                           },
                           "0.7*t+0.2*t^2"};
    mechanism.constraints = {{"contact", rolling}};
    x.q.resize(7), x.v.resize(6);
    x.q << 0.5, 0, 0.1, 0, 0, 0, 1;
    x.v << 0.2, 0.9, 0, 3, 1, 0.5;
  }
};

TreatmentParameters friction(double mu, double eps) {
  TreatmentParameters out;
  out.mu = mu, out.eps = eps;
  return out;
}

RunSummary moved(const Model& model, const State& start, double t, const TreatmentParameters& parameters,
                 double tolerance = 1e-13) {
  SimulationOptions options;
  options.method = "rkmk-fehlberg78", options.constraints = Treatment::viscous;
  options.treatment = parameters;
  options.tolerance = tolerance, options.t_end = t, options.output_step = t;
  RunSummary end = run(model, start, options).summary;
  CAPTURE(end.message);
  REQUIRE(end.status == StepStatus::reached_end);
  return end;
}

/// The distances in q, accelerations and multipliers of the reduced motions of orders 0, 1, 2 from the stiff
/// motion that starts on the slow manifold.
std::array<Vec3, 3> errors(const Model& model, const State& start, double mu, double eps, double t) {
  TreatmentParameters parameters = friction(mu, eps);
  const ReducedSystem second(model, 1, parameters, 2);
  const MechanismSystem with_friction(model, 1, Treatment::viscous, parameters);
  State slow = start;
  second.velocity(0, start.q, start.v, slow.v);
  const State stiff = moved(model, slow, t, parameters).x;
  Vec a(model.nv()), lambda(second.rows()), miss(model.nv()), a_k(model.nv()), lambda_k(second.rows());
  with_friction.acceleration(t, stiff.q, stiff.v, a, lambda);
  std::array<Vec3, 3> out;
  for (int order = 0; order <= 2; ++order) {
    parameters.reduced_order = order;
    const State x = moved(model, slow, t, parameters).x;
    second.local_difference(stiff.q, x.q, miss);
    ReducedSystem(model, 1, parameters, order).acceleration(t, x.q, x.v, a_k, lambda_k);
    out[std::size_t(order)] = {miss.norm(), (a_k - a).norm(), (lambda_k - lambda).norm()};
  }
  return out;
}

void check_orders(const Model& model, const State& start, double mu, double t) {
  const auto coarse = errors(model, start, mu, 1e-2, t), fine = errors(model, start, mu, 1e-3, t);
  for (std::size_t order = 0; order < 3; ++order) {
    for (int i = 0; i < 3; ++i) {
      CAPTURE(order);
      CAPTURE(i);
      CAPTURE(coarse[order][i]);
      CAPTURE(fine[order][i]);
      CHECK(std::abs(std::log10(coarse[order][i] / fine[order][i]) - double(order + 1)) < 0.1);
    }
  }
}

}  // namespace

TEST_CASE("disk: slips and velocities of the slow manifold follow the closed form") {
  using D = Disk;
  const Vector<double, 2> sigma_1(-D::m * D::R * D::spin_torque / (D::mu * D::M0),
                                  -D::m * D::R * D::omega * D::spin / D::mu);
  const Vector<double, 2> sigma_2 =
      D::m * D::m * D::R / (D::mu * D::mu) *
      Vector<double, 2>(-D::I * D::omega * D::omega * D::spin / D::M0,
                        D::steer_torque * D::spin / D::J + D::omega * D::spin_torque / D::M0 +
                            D::I * D::omega * D::spin_torque / (D::M0 * D::M0));
  // The velocities C sigma for a longitudinal and a lateral slip.
  const auto h = [](const Vector<double, 2>& sigma) {
    const double c = std::cos(D::phi), s = std::sin(D::phi), along = D::I / D::M0 * sigma[0];
    Vec v = Vec::Zero(6);
    v[0] = c * along - s * sigma[1], v[1] = s * along + c * sigma[1];
    v[4] = -D::m * D::R / D::M0 * sigma[0];
    return v;
  };
  const Disk disk;
  for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
    const Model model(disk.mechanism, formulation);
    constexpr double eps = 0.5;
    const ReducedSystem first(model, 1, friction(D::mu, eps), 1), second(model, 1, friction(D::mu, eps), 2);
    Vec w_1(6), w_2(6), slip_1(4), slip_2(4);
    first.velocity(0, disk.x.q, disk.x.v, w_1);
    second.velocity(0, disk.x.q, disk.x.v, w_2);
    CHECK(((w_1 - disk.x.v) / eps - h(sigma_1)).norm() < 1e-13);
    CHECK(((w_2 - w_1) / (eps * eps) - h(sigma_2)).norm() < 1e-10);
    second.slips(0, disk.x.q, disk.x.v, slip_1, slip_2);
    CHECK(slip_1.norm() == doctest::Approx(sigma_1.norm()).epsilon(1e-13));
    CHECK(slip_2.norm() == doctest::Approx(sigma_2.norm()).epsilon(1e-10));
  }
}

TEST_CASE(
    "reduced motions of a cart with a trailer have their orders in positions, accelerations and reactions, "
    "with a redundant loop or without") {
  for (const bool redundant : {false, true}) {
    CAPTURE(redundant);
    const Train train(redundant);
    for (const auto formulation : {Formulation::tree, Formulation::absolute}) {
      const Model model(train.mechanism, formulation);
      State x = consistent_start(model, train.start);
      // The projection gives a velocity along the constraints: the cart moves forward and turns.
      x.v.setConstant(0.7);
      MechanismSystem(model, 1).project_velocity(0, x.q, x.v);
      check_orders(model, x, 1.7, 1);
    }
  }
}

TEST_CASE("reduced motions have their orders in positions, accelerations and reactions on a moving plane") {
  const Turntable table;
  const Model model(table.mechanism);
  State x = table.x;
  MechanismSystem(model, 1).project_velocity(0, x.q, x.v);
  check_orders(model, x, 0.3, 0.5);
}

TEST_CASE("the reduced motion of order 0 is the motion under ideal constraints") {
  const Disk disk;
  const Model model(disk.mechanism);
  TreatmentParameters parameters = friction(2, 1e-2);
  parameters.reduced_order = 0;
  SimulationOptions ideal;
  ideal.method = "rkmk-fehlberg78", ideal.tolerance = 1e-13, ideal.t_end = 2, ideal.output_step = 2;
  const Vec q = run(model, disk.x, ideal).summary.x.q;
  CHECK((moved(model, disk.x, 2, parameters).x.q - q).norm() < 1e-12);
}

TEST_CASE("the slip of the initial state does not change the reduced motion") {
  const Train train(false);
  const Model model(train.mechanism);
  State x = consistent_start(model, train.start);
  x.v.setConstant(0.7);
  const ReducedSystem system(model, 1, friction(1.7, 5e-2), 2);
  Vec w(4), again(4), a(4);
  system.velocity(0, x.q, x.v, w);
  system.velocity(0, x.q, w, again);
  CHECK((again - w).norm() < 1e-14);

  // P v' - P C' s (reduced_system.hpp) is the same for all v with the same u, so a small step from each leads
  // to the same u.
  const double h = 1e-4;
  const auto u_after = [&](const Vec& v) {
    system.acceleration(0, x.q, v, a);
    system.velocity(0, x.q, v, w);
    Vec q(x.q.size()), u = v + h * a;
    system.retract(x.q, h * w, q);
    MechanismSystem(model, 1).project_velocity(h, q, u);
    return u;
  };
  const Vec shifted = 2 * x.v - again;  // about twice as far from u as x.v
  CHECK((u_after(shifted) - u_after(again)).norm() < 100 * h * h * (shifted - again).norm());
  CHECK((shifted - again).norm() > 0.1);
}

TEST_CASE("step sizes of the reduced motion do not shrink with eps, and those of the stiff motion do") {
  const Disk disk;
  const Model model(disk.mechanism);
  const auto steps = [&](double eps, std::optional<int> order) {
    TreatmentParameters parameters = friction(2.1, eps);
    parameters.reduced_order = order;
    return moved(model, disk.x, 1, parameters, 1e-10).accepted;
  };
  for (const int order : {1, 2}) CHECK(steps(1e-5, order) <= steps(1e-2, order));
  CHECK(steps(1e-4, {}) > 20 * steps(1e-2, {}));
}

TEST_CASE("energy of the reduced motion balances with the work of friction to its order") {
  const Disk disk;
  const Model model(disk.mechanism);
  const auto drift = [&](double eps, int order) {
    SimulationOptions options;
    options.method = "rkmk-fehlberg78", options.constraints = Treatment::viscous, options.tolerance = 1e-12;
    options.treatment = friction(2.1, eps);
    options.treatment.reduced_order = order;
    return run(model, disk.x, options).energy_max_drift;
  };
  for (const int order : {1, 2})
    CHECK(std::log10(drift(1e-2, order) / drift(1e-3, order)) == doctest::Approx(order + 1).epsilon(0.1));
  CHECK(drift(1e-2, 0) < 1e-10);
}

TEST_CASE("two blades at one point have dependent slips, which the reduced motion reports") {
  Train train(false);
  train.mechanism.constraints[1] = train.mechanism.constraints[0];
  train.mechanism.constraints[1].name = "twin";
  const Model model(train.mechanism);
  State x = consistent_start(model, train.start);
  SimulationOptions options;
  options.constraints = Treatment::viscous, options.tolerance = 1e-9;
  options.treatment.reduced_order = 1;
  const RunSummary summary = run(model, x, options).summary;
  CHECK(summary.status == StepStatus::singular);
  CHECK(summary.message.find("rows that friction replaces are redundant at t = 0: their slips are not "
                             "independent") != std::string::npos);
}

TEST_CASE("reduced motion is refused without friction, at other orders and by methods without index-1") {
  const Disk disk;
  const Model model(disk.mechanism);
  const auto why = [&](const char* method, Treatment constraints, int order) {
    SimulationOptions options;
    options.method = method, options.constraints = constraints, options.step = 0.1;
    options.treatment.reduced_order = order;
    try {
      run(model, disk.x, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(why("rkmk4", Treatment::viscous, 2).empty());
  CHECK(why("rkmk4", Treatment::index_1, 1) ==
        "the reduced motion requires the treatment viscous, not index-1");
  CHECK(why("rkmk4", Treatment::viscous, 3) == "the order of the reduced motion of bodies must be 0, 1 or 2");
  CHECK(why("rkmk4", Treatment::viscous, -1) ==
        "the order of the reduced motion of bodies must be 0, 1 or 2");
  CHECK(why("generalized-alpha", Treatment::viscous, 1) ==
        "the reduced motion needs a method that takes index-1, which generalized-alpha does not");
  for (const int order : {-1, 3})
    CHECK_THROWS_WITH_AS(ReducedSystem(model, 1, friction(1.7, 5e-2), order),
                         "the order of the reduced motion of bodies must be 0, 1 or 2",
                         std::invalid_argument);
}
