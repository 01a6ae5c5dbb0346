#include "torsor/report/coordinate_report.hpp"

#include <algorithm>

#include "floating_point.hpp"

namespace torsor {

std::vector<RowLevel> row_levels(const SystemInCoordinates& system, double t, const Vec& q) {
  const mechanics::DefaultArithmetic arithmetic;
  constexpr int points = 3;
  const auto rows = system.all_rows(t, q).rows();
  const auto& exact = system.holonomic();
  std::vector<RowLevel> all;
  PfaffianSystem pfaffian;
  pfaffian.velocities = system.size();
  for (Eigen::Index i = 0; i < rows; ++i) {
    const bool position =
        i < static_cast<Eigen::Index>(exact.size()) && exact[static_cast<std::size_t>(i)] != 0;
    pfaffian.exact.push_back(position);
    all.push_back(position ? RowLevel::position : RowLevel::velocity);
  }
  if (std::find(all.begin(), all.end(), RowLevel::velocity) == all.end()) return all;
  pfaffian.rows = [&system](double at, const Vec& place, Eigen::MatrixXd& A, Vec& a0) {
    const Eigen::MatrixXd both = system.all_rows(at, place);
    A = both.leftCols(system.size()), a0 = both.col(system.size());
  };
  pfaffian.retract = [](const Vec& place, const Vec& xi, Vec& next) { next = place + xi; };
  pfaffian.dexp_inv = [](const Vec&, const Vec& w, Vec& out) { out = w; };
  const std::vector<SamplePoint> around = states_around(system, t, q, points);
  if (around.empty()) return all;
  set_levels(integrable_rows(pfaffian, around), all);
  return all;
}

bool CoordinateReport::is_constrained() const {
  return std::any_of(rows.begin(), rows.end(), [](const RowReport& row) { return !row.gives_way; });
}

}  // namespace torsor
