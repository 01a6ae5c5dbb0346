#pragma once

#include <optional>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// A run-time System as a first-order field on its phase space (the concept LieField of field.hpp). The point
/// is a State, of which only q and v are read and written; the tangent is (xi; dv). A rate in the
/// exponential chart is one virtual call.
/// `n` is the number of velocities if the compiler knows it.
template <int n = Eigen::Dynamic>
class SystemField {
 public:
  using Scalar = double;
  using Point = State;
  using Tangent = Vector<double, n == Eigen::Dynamic ? n : 2 * n>;

  /// The system must outlive its use here. Sizes the scratch for the system.
  void bind(const System& system) {
    system_ = &system;
    n_ = system.nv();
    nq_ = system.nq();
    v_.resize(nv());
    stage_.reset();
    velocity_map_ = system.velocity_map();
  }

  int dim() const { return 2 * nv(); }
  int quadratures() const { return system_->quadratures(); }
  long evaluations() const { return evaluations_; }

  void retract(const State& y, const Tangent& u, State& out) const {
    out.q.resize(nq_);
    system_->retract(y.q, u.head(nv()), out.q);
    out.v = y.v + u.tail(nv());
  }
  void difference(const State& y, const State& z, Tangent& out) const {
    out.resize(dim());
    system_->local_difference(y.q, z.q, out.head(nv()));
    out.tail(nv()) = z.v - y.v;
  }
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
    out.resize(dim());
    system_->dexp(u.head(nv()), w.head(nv()), out.head(nv()));
    out.tail(nv()) = w.tail(nv());
  }
  void rate(double t, const State& y, Tangent& out) const {
    ++evaluations_;
    out.resize(dim());
    if (velocity_map_)
      velocity_map_->velocity(t, y.q, y.v, out.head(nv()));
    else
      out.head(nv()) = y.v;
    system_->acceleration(t, y.q, y.v, out.tail(nv()));
  }
  void chart_rate(double t, const State& y, const Tangent& u, Tangent& out) const {
    if constexpr (n == Eigen::Dynamic)
      find_chart_rate_of_many(t, y, u, out);
    else
      find_chart_rate(t, y, u, out);
  }
  void rate_from_chart(const State& z, const Tangent& u, const Tangent& u_rate, Tangent& out) const {
    out.resize(dim());
    if (velocity_map_)
      system_->dexp(u.head(nv()), u_rate.head(nv()), out.head(nv()));
    else
      out.head(nv()) = z.v;
    out.tail(nv()) = u_rate.tail(nv());
  }

 private:
  int nv() const { return n == Eigen::Dynamic ? n_ : n; }

  /// Arguments of a stage, kept from call to call: a Ref to a constant vector contains storage for a possible
  /// copy, so it is more expensive to construct than to use.
  struct Stage {
    Stage(VecIn q_now, VecIn xi_now, VecIn v_now) : q(q_now), xi(xi_now), v(v_now) {}
    Eigen::Ref<const Vec> q, xi, v;
  };

  void find_chart_rate(double t, const State& y, const Tangent& u, Tangent& out) const {
    ++evaluations_;
    out.resize(dim());
    if (!stage_ || stage_->q.data() != y.q.data() || stage_->xi.data() != u.data()) set_stage(y.q, u);
    for (int i = 0; i < nv(); ++i) v_[i] = y.v[i] + u[nv() + i];
    system_->chart_rate(t, stage_->q, stage_->xi, stage_->v, out.head(nv()), out.tail(nv()));
  }

  // Not inlined into every stage of a flattened step: a call is cheap beside the work for many velocities,
  // and a new stage is rare.
  [[gnu::noinline]] void find_chart_rate_of_many(double t, const State& y, const Tangent& u,
                                                 Tangent& out) const {
    find_chart_rate(t, y, u, out);
  }
  [[gnu::noinline]] void set_stage(const Vec& q, const Tangent& u) const {
    stage_.emplace(q, u.head(nv()), v_);
  }

  const System* system_ = nullptr;
  const VelocityMap* velocity_map_ = nullptr;
  int n_ = 0, nq_ = 0;
  mutable Vector<double, n> v_;
  mutable std::optional<Stage> stage_;
  mutable long evaluations_ = 0;
};

}  // namespace torsor
