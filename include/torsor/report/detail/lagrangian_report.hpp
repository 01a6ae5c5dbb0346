#pragma once

#include "torsor/report/detail/coordinate_geometry.hpp"

namespace torsor::detail {

/// The report of a system that a Lagrangian describes.
template <class Fields>
CoordinateReport lagrangian_report(const SystemOfFields<Fields>& system, const CoordinateNames& names,
                                   double t, const State& x) {
  CoordinateReport report = frame_report(system, names, t, x);
  report.has_metric = false;
  const Eigen::MatrixXd all = system.all_rows(t, x.q);
  const std::vector<RowLevel> levels = row_levels(system, t, x.q);
  std::vector<SamplePoint> points = states_around(system, t, x.q, 3);
  points.insert(points.begin(), {t, x.q});
  RowMarks marks(static_cast<std::size_t>(system.rows()));
  for (const SamplePoint& at : points)
    mark_rows(system, geometry::event<double, Eigen::Dynamic>(at.q, at.t), marks);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool gives_way = i >= marks.rheonomic.size();
    report.rows.push_back({names.constraints[i], "", levels[i], !gives_way && marks.rheonomic[i] != 0,
                           gives_way, all(static_cast<Eigen::Index>(i), x.q.size())});
  }
  return report;
}

}  // namespace torsor::detail
