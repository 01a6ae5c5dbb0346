#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/geometry/follow.hpp"
#include "torsor/lie/status.hpp"
#include "torsor/report/detail/coordinate_geometry.hpp"

namespace torsor::detail {
/// A state of the motion at an output or between two outputs.
struct MotionPoint {
  double t;
  Vec q, u;  ///< u = q'
};

/// Computes autoparallels and parallel transport by the connections in the frame of one system.
template <class Fields>
class CurveFollower {
  static constexpr int N = Eigen::Dynamic;
  using Affinities = CoordinateAffinities<Fields>;

 public:
  CurveFollower(const SystemOfFields<Fields>& system, const CurveRequest& request)
      : in_use_(system.affinities()), request_(request) {
    if (system.by_connection()) connections_.emplace_back("in-use", in_use_);
    for (const CoordinateEquations start :
         {CoordinateEquations::christoffel, CoordinateEquations::canonical_minus,
          CoordinateEquations::canonical_zero, CoordinateEquations::canonical_plus}) {
      const bool same = system.by_connection() && start == in_use_.start && in_use_.is_plain();
      if (same) connections_.erase(connections_.begin());
      connections_.emplace_back(to_string(start), Affinities{in_use_.geometry, start, false});
    }
  }

  /// The greatest tensor components of each connection at a state, and its residuals, in the named frame.
  std::vector<FrameConnection> connections(double t, const Vec& q,
                                           const std::vector<std::string>& frame) const {
    const Vec e = geometry::event<double, N>(q, t);
    const auto greatest = [](const ComponentList::List& all) {
      NamedComponent most;
      for (const NamedComponent& one : all)
        if (!(std::abs(one.value) <= std::abs(most.value) * (1 + 1e-9) || std::isnan(most.value))) most = one;
      return most;
    };
    const auto metric = in_use_.metric();
    const ComponentList list(frame, metric(e), in_use_.rates_of_terms(e));
    const auto Gamma = geometry::christoffel(in_use_.frame(), metric).affinities(e);
    std::vector<FrameConnection> all;
    for (const auto& [name, affinities] : connections_) {
      const auto connection = connection_of(affinities);
      const AffinitiesAt at{affinities(e), Gamma, metric(e), {}, in_use_.rates_of_terms(e)};
      const ConnectionComponents parts = list.of(connection, metric, e);
      all.push_back({std::string(name), greatest(parts.torsion), greatest(parts.curvature),
                     greatest(parts.non_metricity), at.weak_residual(), at.strong_residual()});
    }
    return all;
  }

  /// The autoparallels from a state.
  std::vector<Autoparallel> autoparallels(double t, const Vec& q, const Vec& u) const {
    const Vec e = geometry::event<double, N>(q, t);
    const Vec n = geometry::event_velocity<double, N>(
        request_.direction.size() > 0 ? request_.direction : Vec(in_use_.velocities()(e) * u));
    std::vector<Autoparallel> all;
    for (const auto& one : connections_)
      all.push_back(settled(one.first, rounding, [&](int steps) { return curve(one.second, e, n, steps); }));
    return all;
  }

  /// Transport along the motion that begins at t. `motion_at(times)` gives its states with this accuracy.
  template <class MotionAt>
  std::vector<Transport> along_motion(double t, double accuracy, const MotionAt& motion_at) const {
    std::map<int, std::vector<MotionPoint>> motions;  // by the number of steps in an interval
    std::vector<Transport> all;
    for (const auto& one : connections_)
      all.push_back(settled(one.first, std::max(rounding, accuracy), [&](int steps) {
        std::vector<MotionPoint>& motion = motions[steps];
        if (motion.empty()) motion = motion_at(times(t, steps));
        return transported(one.second, t, steps, [&](double s) {
          const auto place = std::ranges::lower_bound(motion, s - equal_times(), {}, &MotionPoint::t);
          return place == motion.end() ? motion.back() : *place;
        });
      }));
    return all;
  }
  double time(double t, int k) const { return t + request_.duration * k / request_.intervals; }
  Vec velocity(const MotionPoint& at) const {
    return in_use_.velocities()(geometry::event<double, N>(at.q, at.t)) * at.u;
  }

 private:
  /// A point of a curve of events, its velocity, and the carried vector.
  struct Place {
    Vec e, n;
    Eigen::MatrixXd carried;
  };
  using Curve = std::vector<Place>;
  static constexpr double rounding = 1e-10;  ///< of a value x, relative to 1 + |x|

  /// Throws EvaluationError if the request is cancelled.
  bool go_on() const {
    if (!request_.cancelled || !request_.cancelled()) return true;
    throw EvaluationError(StepStatus::cancelled, "the computation of the curves was cancelled");
  }
  Curve curve(const Affinities& affinities, const Vec& e, const Vec& n, int steps) const {
    const auto connection = connection_of(affinities);
    Eigen::MatrixXd carried(n.size(), request_.vector.size() > 0 ? 1 : 0);
    if (carried.cols() > 0) carried << request_.vector, 0;
    Curve all{{e, n, carried}};
    for (int k = 0; k < request_.intervals && go_on(); ++k) {
      const Place& at = all.back();
      const auto end = geometry::follow_autoparallel(
          connection, at.e, at.n, request_.duration / request_.intervals, at.carried, steps);
      all.push_back({end.q, end.n, end.carried});
    }
    return all;
  }
  /// The curve in steps that are halved, at most six times, until it does not change by more than `accuracy`.
  /// Outputs from the first one that still changes are NaN.
  template <class CurveIn>
  Autoparallel settled(std::string_view name, double accuracy, const CurveIn& curve_in) const {
    Curve curve = curve_in(1);
    std::size_t accurate = 0;
    for (int steps = 2; steps <= 64 && accurate < curve.size(); steps *= 2) {
      Curve finer = curve_in(steps);
      accurate = first_difference(curve, finer, accuracy);
      curve = std::move(finer);
    }
    return described(name, curve, accurate);
  }
  /// The first output at which two curves differ, or are not finite.
  static std::size_t first_difference(const Curve& a, const Curve& b, double accuracy) {
    const auto agree = [accuracy](const auto& x, const auto& y) {
      return x.size() == 0 || ((x - y).allFinite() &&
                               (x - y).cwiseAbs().maxCoeff() <= accuracy * (1 + y.cwiseAbs().maxCoeff()));
    };
    std::size_t k = 0;
    while (k < b.size() && agree(a[k].e, b[k].e) && agree(a[k].n, b[k].n) &&
           agree(a[k].carried, b[k].carried))
      ++k;
    return k;
  }
  Autoparallel described(std::string_view name, const Curve& curve, std::size_t accurate) const {
    Autoparallel one{{std::string(name), {}, {}}, {}, {}};
    const Vec none = Vec::Constant(size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < curve.size(); ++k) {
      const bool good = k < accurate;
      one.q.push_back(good ? Vec(curve[k].e.head(size())) : none);
      one.velocity.push_back(good ? Vec(curve[k].n.head(size())) : none);
      if (request_.vector.size() == 0) continue;
      one.vector.push_back(good ? Vec(curve[k].carried.col(0).head(size())) : none);
      one.length.push_back(good ? length(curve[k].e, curve[k].carried.col(0)) : none[0]);
    }
    return one;
  }
  /// Times at which `transported` needs the motion that begins at t.
  std::vector<double> times(double t, int steps) const {
    std::vector<double> all;
    transported(Affinities{in_use_.geometry, CoordinateEquations::canonical_minus, false}, t, steps,
                [&](double s) {
                  return MotionPoint{all.emplace_back(s), Vec::Zero(size()), Vec::Zero(size())};
                });
    std::sort(all.begin(), all.end());
    const auto equal = [this](double a, double b) { return b - a < equal_times(); };
    all.erase(std::unique(all.begin(), all.end(), equal), all.end());
    return all;
  }
  /// The vector at each output along a motion that `at` gives.
  template <class Motion>
  Curve transported(const Affinities& affinities, double t, int steps, const Motion& at) const {
    const auto connection = connection_of(affinities);
    const auto place = [&](double s) {
      const MotionPoint point = at(s);
      const Vec e = geometry::event<double, N>(point.q, point.t), v = affinities.velocities()(e) * point.u;
      return geometry::CurvePoint{e, Vec(geometry::event_velocity<double, N>(v))};
    };
    Vec carried = geometry::event<double, N>(request_.vector, 0.);
    Curve all;
    for (int k = 0;; ++k) {
      const double begin = time(t, k), h = time(t, k + 1) - begin;
      const auto here = place(begin);
      all.push_back({here.q, here.v, carried});
      if (k == request_.intervals || !go_on()) return all;
      carried = geometry::parallel_transport(
          connection, [&](double s) { return place(begin + s); }, carried, h, steps);
    }
  }
  double length(const Vec& e, const Vec& v) const { return std::sqrt(v.dot(in_use_.metric()(e) * v)); }
  double equal_times() const { return 1e-9 * request_.duration / request_.intervals; }  ///< rounding, s
  Eigen::Index size() const { return in_use_.geometry.fields->size(); }

  Affinities in_use_;
  CurveRequest request_;
  std::vector<std::pair<std::string_view, Affinities>> connections_;
};
}  // namespace torsor::detail
