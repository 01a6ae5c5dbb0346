#pragma once

#include <optional>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// A run-time System as a first-order field on its phase space (the concept LieField of field.hpp). The point
/// is a State, of which only q and v are read and written; the tangent is (xi; dv). One virtual call a stage.
class SystemField {
 public:
  using Scalar = double;
  using Point = State;
  using Tangent = Vec;

  /// The system must outlive its use here. Sizes the scratch for the system.
  void bind(const System& system) {
    system_ = &system;
    n_ = system.nv();
    nq_ = system.nq();
    v_.resize(n_);
    stage_.reset();
    velocity_map_ = system.velocity_map();
  }

  int dim() const { return 2 * n_; }
  int quadratures() const { return system_->quadratures(); }
  long evaluations() const { return evaluations_; }

  void retract(const State& y, const Vec& u, State& out) const {
    out.q.resize(nq_);
    system_->retract(y.q, u.head(n_), out.q);
    out.v = y.v + u.tail(n_);
  }
  void difference(const State& y, const State& z, Vec& out) const {
    out.resize(dim());
    system_->local_difference(y.q, z.q, out.head(n_));
    out.tail(n_) = z.v - y.v;
  }
  void dexp(const Vec& u, const Vec& w, Vec& out) const {
    out.resize(dim());
    system_->dexp(u.head(n_), w.head(n_), out.head(n_));
    out.tail(n_) = w.tail(n_);
  }
  void rate(double t, const State& y, Vec& out) const {
    ++evaluations_;
    out.resize(dim());
    if (velocity_map_)
      velocity_map_->velocity(t, y.q, y.v, out.head(n_));
    else
      out.head(n_) = y.v;
    system_->acceleration(t, y.q, y.v, out.tail(n_));
  }
  void chart_rate(double t, const State& y, const Vec& u, Vec& out) const {
    ++evaluations_;
    out.resize(dim());
    if (!stage_ || stage_->q.data() != y.q.data() || stage_->xi.data() != u.data())
      stage_.emplace(y.q, u.head(n_), v_);
    for (int i = 0; i < n_; ++i) v_[i] = y.v[i] + u[n_ + i];
    system_->chart_rate(t, stage_->q, stage_->xi, stage_->v, out.head(n_), out.tail(n_));
  }
  void rate_from_chart(const State& z, const Vec& u, const Vec& u_rate, Vec& out) const {
    out.resize(dim());
    if (velocity_map_)
      system_->dexp(u.head(n_), u_rate.head(n_), out.head(n_));
    else
      out.head(n_) = z.v;
    out.tail(n_) = u_rate.tail(n_);
  }

 private:
  /// Arguments of a stage, kept from call to call: a Ref to a constant vector contains storage for a possible
  /// copy, so it is more expensive to construct than to use.
  struct Stage {
    Stage(VecIn q_now, VecIn xi_now, VecIn v_now) : q(q_now), xi(xi_now), v(v_now) {}
    Eigen::Ref<const Vec> q, xi, v;
  };

  const System* system_ = nullptr;
  const VelocityMap* velocity_map_ = nullptr;
  int n_ = 0, nq_ = 0;
  mutable Vec v_;
  mutable std::optional<Stage> stage_;
  mutable long evaluations_ = 0;
};

}  // namespace torsor
