#include "torsor/geometry/strong_friction.hpp"

#include <boost/numeric/odeint.hpp>
#include <map>

#include "geometry/friction_systems.hpp"
#include "torsor/geometry/slow_manifold.hpp"

using namespace torsor;
using namespace torsor::geometry;
using test::disk_system, test::sleigh_system;

namespace {

template <int n>
struct PhasePoint {
  Vector<double, n> q, v;
};

/// Integrates (q', v') = rates(q, v) from `start` over the time t. The default tolerance is near rounding.
template <int n, class Rates>
PhasePoint<n> integrate(const Rates& rates, const PhasePoint<n>& start, double t, double tolerance = 1e-13) {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 2 * n>;
  using Both = Eigen::Map<Vector<double, 2 * n>>;
  const auto unpacked = [](const State& x) {
    return PhasePoint<n>{Vector<double, n>(x.data()), Vector<double, n>(x.data() + n)};
  };
  const auto field = [&](const State& x, State& x_dot, double) {
    const PhasePoint<n> rate = rates(unpacked(x));
    Both(x_dot.data()) << rate.q, rate.v;
  };
  State x;
  Both(x.data()) << start.q, start.v;
  const auto stepper = odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(tolerance, tolerance);
  odeint::integrate_adaptive(stepper, field, x, 0., t, 1e-3);
  return unpacked(x);
}

template <int n, class System>
PhasePoint<n> stiff_motion(const System& system, double eps, const PhasePoint<n>& start, double t) {
  const auto rates = [&](const PhasePoint<n>& x) {
    return PhasePoint<n>{x.v, stiff_acceleration(system, eps, x.q, x.v)};
  };
  return integrate<n>(rates, start, t);
}
/// (q, u) of the reduced dynamics with terms up to eps^order.
template <int n, class System>
PhasePoint<n> reduced_motion(const System& system, double eps, int order, const PhasePoint<n>& start,
                             double t, double tolerance = 1e-13) {
  const auto rates = [&](const PhasePoint<n>& x) {
    const auto slow = slow_motion<2>(system, x.q, x.v);
    PhasePoint<n> rate{slow.velocity[0], slow.rate[0]};
    for (int i = 1; i <= order; ++i) {
      rate.q += std::pow(eps, i) * slow.velocity[std::size_t(i)];
      rate.v += std::pow(eps, i) * slow.rate[std::size_t(i)];
    }
    return rate;
  };
  return integrate<n>(rates, start, t, tolerance);
}

/// (q, u) with the velocity v = u + eps h_1 + ... to eps^order. The formulas of its rates are not expanded:
/// q' = v, u' = (P)' v + P v', where v' is the acceleration without friction.
template <int n, class System>
PhasePoint<n> truncated_motion(const System& system, double eps, int order, const PhasePoint<n>& start,
                               double t) {
  const auto projector = [&](const auto& q) {
    return constrained_point(system.metric(q), system.rows(q)).P();
  };
  const auto rates = [&](const PhasePoint<n>& x) {
    const Vector<double, n> u = projector(x.q) * x.v;
    const auto slow = slow_motion<2>(system, x.q, u);
    Vector<double, n> v = u;
    for (int i = 1; i <= order; ++i) v += std::pow(eps, i) * slow.velocity[std::size_t(i)];
    const Vector<Dual<double>, n> P_v = projector(with_derivative(x.q, v)) * v.template cast<Dual<double>>();
    return PhasePoint<n>{v,
                         derivative_part(P_v) + projector(x.q) * frictionless_acceleration(system, x.q, v)};
  };
  return integrate<n>(rates, start, t);
}

/// size(q, rest) of the rest of the slip velocity v - u after subtraction of the expansion to eps^i,
/// i = 0 ... 3, at time t after a start without slip.
template <int n, class System, class Size>
std::array<double, 4> slip_remainders(const System& system, double eps, const PhasePoint<n>& start, double t,
                                      const Size& size) {
  const auto [q, v] = stiff_motion<n>(system, eps, start, t);
  const auto point = constrained_point(system.metric(q), system.rows(q));
  const Vector<double, n> u = point.P() * v;
  const auto slow = slow_motion<3>(system, q, u);
  Vector<double, n> rest = v - u;
  std::array<double, 4> out{size(q, rest)};
  for (std::size_t i = 1; i <= 3; ++i) {
    rest -= std::pow(eps, i) * slow.velocity[i];
    out[i] = size(q, rest);
  }
  return out;
}
/// The greatest difference in q between motion(order) for the orders 0, 1, 2 and the stiff motion that starts
/// on the slow manifold.
template <int n, class System, class Motion>
std::array<double, 3> position_errors(const System& system, double eps, const PhasePoint<n>& start, double t,
                                      const Motion& motion) {
  const auto on_manifold = slow_motion<2>(system, start.q, start.v).q_dot(eps);
  const auto exact = stiff_motion<n>(system, eps, {start.q, on_manifold}, t);
  std::array<double, 3> out;
  for (int order = 0; order <= 2; ++order)
    out[std::size_t(order)] = test::greatest(Vector<double, n>(motion(order).q - exact.q));
  return out;
}
template <int n, class System>
std::array<double, 3> position_errors(const System& system, double eps, const PhasePoint<n>& start,
                                      double t) {
  return position_errors<n>(system, eps, start, t,
                            [&](int order) { return reduced_motion<n>(system, eps, order, start, t); });
}

/// Checks that error[i] is of order i + 1 in eps.
template <std::size_t count>
void check_slopes(const std::array<double, count>& at_1e2, const std::array<double, count>& at_1e3) {
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(at_1e2[i]);
    CAPTURE(at_1e3[i]);
    CHECK(std::abs(std::log10(at_1e2[i] / at_1e3[i]) - double(i + 1)) < 0.1);
  }
}

/// Checks `found` against values from an independent stiff integration (relative tolerance 1e-12), listed
/// with two digits. A listed 0 stands for a number at the level of rounding errors.
template <std::size_t count>
void check_listed(double eps, const std::array<double, count>& found,
                  const std::array<double, count>& listed) {
  for (std::size_t i = 0; i < count; ++i) {
    CAPTURE(eps);
    CAPTURE(i);
    if (listed[i] > 0)
      CHECK(found[i] == doctest::Approx(listed[i]).epsilon(0.05).scale(0));
    else
      CHECK(found[i] < 1e-11);
  }
}

const PhasePoint<3> sleigh_start{sleigh::point(), sleigh::velocity()};

PhasePoint<4> disk_start(double heading) {
  return {{0, 0, 0, heading}, rolling_disk::rolling({}, heading, 3, 1.1)};
}

}  // namespace

TEST_CASE("sleigh: the slip of the stiff motion follows the expansion to each order, for every eps") {
  const std::map<double, std::array<double, 4>> table = {{1e-1, {2.6e-2, 2.3e-3, 2.2e-4, 6.4e-5}},
                                                         {1e-2, {2.8e-3, 2.1e-5, 1.6e-7, 5.3e-9}},
                                                         {1e-3, {2.9e-4, 2.1e-7, 1.6e-10, 0}},
                                                         {1e-4, {2.9e-5, 2.1e-9, 0, 0}}};
  std::map<double, std::array<double, 4>> found;
  for (const auto& [eps, listed] : table) {
    found[eps] = slip_remainders(sleigh_system, eps, sleigh_start, 1,
                                 [](const auto&, const auto& rest) { return rest.norm(); });
    check_listed(eps, found[eps], listed);
  }
  check_slopes(found[1e-2], found[1e-3]);
}
TEST_CASE("sleigh: the error of the reduced dynamics of order k has order k + 1 in eps") {
  check_slopes(position_errors(sleigh_system, 1e-2, sleigh_start, 2),
               position_errors(sleigh_system, 1e-3, sleigh_start, 2));
}
TEST_CASE("sleigh: the error of the dynamics with the velocity to eps^k has order k + 1 in eps") {
  const std::map<double, std::array<double, 3>> table = {{1e-1, {3.1e-2, 5.1e-3, 6.6e-4}},
                                                         {1e-2, {3.0e-3, 4.6e-5, 6.4e-7}},
                                                         {1e-3, {3.0e-4, 4.5e-7, 6.4e-10}},
                                                         {1e-4, {3.0e-5, 4.5e-9, 0}}};
  std::map<double, std::array<double, 3>> found;
  for (const auto& [eps, listed] : table) {
    found[eps] = position_errors<3>(sleigh_system, eps, sleigh_start, 2, [eps = eps](int order) {
      return truncated_motion<3>(sleigh_system, eps, order, sleigh_start, 2);
    });
    check_listed(eps, found[eps], listed);
  }
  check_slopes(found[1e-2], found[1e-3]);
}

TEST_CASE("disk: the slip of the stiff motion follows the expansion to each order, for every eps") {
  const auto system = disk_system({});
  const std::map<double, std::array<double, 2>> table = {
      {1e-1, {3.4e-3, 4.1e-5}}, {1e-2, {3.6e-5, 4.4e-8}}, {1e-3, {3.6e-7, 4.4e-11}}, {1e-4, {3.6e-9, 0}}};
  std::map<double, std::array<double, 4>> found;
  for (const auto& [eps, listed] : table) {
    found[eps] = slip_remainders(
        system, eps, disk_start(0.2), eps == 1e-1 ? 2 : 1,
        [&](const auto& q, const auto& rest) { return Vector<double, 2>(system.rows(q) * rest).norm(); });
    check_listed(eps, std::array{found[eps][1], found[eps][2]}, listed);
  }
  check_slopes(found[1e-2], found[1e-3]);
}
TEST_CASE("disk: the error of the reduced dynamics of order k has order k + 1 in eps") {
  const auto system = disk_system({});
  const auto coarse = position_errors(system, 1e-2, disk_start(0.2), 3);
  check_slopes(coarse, position_errors(system, 1e-3, disk_start(0.2), 3));
  check_listed(1e-2, coarse, {4.3e-2, 1.0e-4, 2.1e-7});
}

TEST_CASE("disk: the reduced dynamics of order 0 rolls on the reference circle") {
  const json& table = rolling_disk::table().at("nonholonomic_solution");
  const double phi = rolling_disk::table().at("phi"), omega = rolling_disk::table().at("steer_rate");
  const PhasePoint<4> start{{0, 0, 0, phi}, rolling_disk::rolling({}, phi, 3, omega)};
  CHECK(table.at("from_origin") == true);
  const auto end = reduced_motion<4>(disk_system({}), 1e-2, 0, start, table.at("t"), 1e-15);
  const Vector<double, 4> listed(table.at("x"), table.at("y"), table.at("theta"), table.at("phi"));
  CHECK(agree(end.q, listed));
}

TEST_CASE("disk: the stiff system follows the reference motion with viscous friction") {
  const json motion = test::reference_file("rolling_disk_viscous_1e-2");
  const json& given = motion.at("parameters");
  rolling_disk::Parameters p;
  p.m = given.at("m"), p.R = given.at("r"), p.mu = 1, p.spin_torque = given.at("tau");
  p.J = given.at("J").at("principal").at(0), p.I = given.at("J").at("principal").at(1);
  const auto system = disk_system(p);
  const PhasePoint<4> start{Vector<double, 4>::Zero(), {1, 0, 2, 0.8}};
  for (std::size_t i = 1; i <= 2; ++i) {
    const json& output = motion.at("outputs").at(i);
    const json& disk = output.at("disk");
    const auto end = stiff_motion<4>(system, given.at("eps"), start, output.at("t"));
    CHECK(agree(Vector<double, 2>(end.q.head<2>()), Vector<double, 2>(vector<3>(disk.at("x")).head<2>()),
                1e-10));
    CHECK(agree(Vector<double, 2>(end.v.head<2>()), Vector<double, 2>(vector<3>(disk.at("v")).head<2>()),
                1e-10));
    CHECK(end.v[2] == doctest::Approx(disk.at("Omega").at(1).get<double>()).epsilon(1e-10));
  }
}

TEST_CASE("the slip rate is the rate of A v along the motion without friction") {
  using D = Dual<double>;
  const Vec3 q = random_vector<3>(), v = random_vector<3>();
  const Vec3 v_dot = frictionless_acceleration(sleigh_system, q, v);
  const Vector<D, 1> slip = sleigh_system.rows(with_derivative(q, v)) * with_derivative(v, v_dot);
  CHECK(agree(derivative_part(slip), frictionless_slip_rate(sleigh_system, q, v)));
  const Vec3 huge_eps = stiff_acceleration(sleigh_system, 1e300, q, v);
  CHECK(agree(huge_eps, v_dot));
}
