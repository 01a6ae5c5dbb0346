#include "given_bodies.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "model/detail/world_kinematics.hpp"
#include "model/start/start_check.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {

std::vector<GivenBodies::Demand> GivenBodies::poses(const Vec& q) const {
  forward_kinematics(tree_, q, Vec::Zero(tree_.nv()), work_);
  std::vector<Demand> all;
  double reach = 0;
  for (const Vec3& p : work_.p_WB) reach = std::max(reach, p.norm());
  for (std::size_t body = 0; body < start_.bodies.size(); ++body) {
    const BodyStart& given = start_.bodies[body];
    const int link = tree_.link_of_body[body];
    if (given.x)
      all.push_back({link, false, work_.p_WB[link] - *given.x, unit_of_lengths(given.x->norm(), reach),
                     Mat3::Identity()});
    if (!given.R) continue;
    const Mat3 R = work_.R_WB[link];
    const Vec3 turn = (given.R->normalized().inverse() * SO3<>::from_matrix(R)).log();
    all.push_back({link, true, turn, 1, Mat3(SO3<>::dexp_inv(turn) * R.transpose())});
  }
  return all;
}

std::vector<GivenBodies::Demand> GivenBodies::motions(const Vec& q, const Vec& v) const {
  forward_kinematics(tree_, q, v, work_);
  std::vector<Demand> all;
  double fastest = 0;
  for (int link = 0; link < tree_.size(); ++link)
    fastest = std::max({fastest, work_.v_WB[link].norm(), work_.w_WB[link].norm()});
  for (std::size_t body = 0; body < start_.bodies.size(); ++body) {
    const BodyStart& given = start_.bodies[body];
    const int link = tree_.link_of_body[body];
    const auto demand = [&](const std::optional<Vec3>& wanted, const Vec3& is_W, bool angular,
                            const Mat3& axes) {
      const double rounding = 1e-6 * fastest;  // as in start_motions.cpp
      if (wanted)
        all.push_back(
            {link, angular, axes * is_W - *wanted, std::max(unit_of_rates(wanted->norm()), rounding), axes});
    };
    const Mat3 R_BW = work_.R_WB[link].transpose();
    demand(given.v_W, work_.v_WB[link], false, Mat3::Identity());
    demand(given.v_B, work_.v_WB[link], false, R_BW);
    demand(given.omega_W, work_.w_WB[link], true, Mat3::Identity());
    demand(given.Omega, work_.w_WB[link], true, R_BW);
  }
  return all;
}

bool GivenBodies::met(const std::vector<Demand>& demands, double tolerance) {
  return std::all_of(demands.begin(), demands.end(),
                     [&](const Demand& demand) { return demand.miss.norm() <= tolerance * demand.unit; });
}

Vec GivenBodies::residual(const std::vector<Demand>& demands) {
  Vec out(3 * static_cast<Eigen::Index>(demands.size()));
  for (std::size_t k = 0; k < demands.size(); ++k)
    out.segment<3>(3 * static_cast<Eigen::Index>(k)) = demands[k].miss;
  return out;
}

linear::Sparse GivenBodies::rows(const std::vector<Demand>& demands) const {
  std::vector<Eigen::Triplet<double>> entries;
  int row = 0;
  for (const Demand& demand : demands) {
    detail::for_each_column_to_root(tree_, work_, demand.link, Vec3(Vec3::Zero()),
                                    [&](int at, const auto& column) {
                                      const auto& part = demand.angular ? column.ang : column.lin;
                                      const Vec3 rate = demand.map * Vec3(part.x, part.y, part.z);
                                      for (int i = 0; i < 3; ++i)
                                        if (rate[i] != 0) entries.emplace_back(row + i, at, rate[i]);
                                    });
    row += 3;
  }
  linear::Sparse out(row, tree_.nv());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

}  // namespace torsor::mechanics
