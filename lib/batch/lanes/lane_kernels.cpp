// Compiled for lane_isa.
#include "lane_fields.hpp"
#include "lane_kernel.hpp"
#include "model/recursions.hpp"
#include "run/lanes/lane_method.hpp"
#include "run/lanes/top_lanes.hpp"
#include "system/chart.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/detail/rkmk_odeint.hpp"

namespace torsor::batch {

/// The model, which is a copy because that of a case does not outlive the case, and the scratch of its
/// recursions.
struct TreeLanes::Tree {
  explicit Tree(const Model& given)
      : model(given), work(model), loads(model), q(model.nq()), v(model.nv()), a(model.nv()) {
    Vec3 g = Vec3::Zero();
    for (const Force& force : model.mechanism().forces)
      for (int i = 0; i < 3; ++i) g[i] += std::get<UniformGravity>(force.law).g[i](0);
    for (int i = 0; i < 3; ++i) loads.gravity[i] = Pack(g[i]);
  }

  void accelerate(const VecOf<Pack>& q_now, const VecOf<Pack>& v_now, Tangent& out) {
    local_kinematics(model, q_now, v_now, work);
    forward_dynamics(model, v_now, loads, work, a);
    for (int i = 0; i < model.nv(); ++i) out[model.nv() + i] = a[i];
  }

  Model model;
  Workspace<Pack> work;
  Loads<Pack> loads;
  VecOf<Pack> q, v, a;
};

TreeLanes::TreeLanes(const Model* model)
    : nq_(model->nq()), nv_(model->nv()), tree_(std::make_unique<Tree>(*model)) {}
TreeLanes::~TreeLanes() = default;

void TreeLanes::retract(const Point& y, const Tangent& u, Point& out) const {
  out.q.resize(nq_), out.v.resize(nv_);
  torsor::retract(tree_->model, y.q.data(), u.data(), out.q.data());
  for (int i = 0; i < nv_; ++i) out.v[i] = y.v[i] + u[nv_ + i];
}

void TreeLanes::dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
  out.resize(dim());
  torsor::dexp(tree_->model, u.data(), w.data(), out.data());
  for (int i = nv_; i < dim(); ++i) out[i] = w[i];
}

void TreeLanes::rate(const Pack&, const Point& y, Tangent& out) const {
  out.resize(dim());
  for (int i = 0; i < nv_; ++i) out[i] = y.v[i];
  tree_->accelerate(y.q, y.v, out);
}

void TreeLanes::chart_rate(const Pack&, const Point& y, const Tangent& u, Tangent& out) const {
  auto& [model, work, loads, q, v, a] = *tree_;
  out.resize(dim());
  for (int i = 0; i < nv_; ++i) v[i] = y.v[i] + u[nv_ + i];
  mechanics::chart_point(model, y.q.data(), u.data(), v.data(), q.data(), out.data());
  tree_->accelerate(q, v, out);
}

namespace {

template <class Field>
std::unique_ptr<mechanics::LaneStepper> make(std::string_view method, const Model* model) {
  if (method == "rkmk4") return std::make_unique<mechanics::LaneMethod<Field, Rkmk4>>(model);
  if (method == "rkmk-ck54") return std::make_unique<mechanics::LaneMethod<Field, RkmkCk54>>(model);
  if (method == "cf4") return std::make_unique<mechanics::LaneMethod<Field, Cf4>>(model);
  return make_pair_stepper(method, model);
}

}  // namespace

static_assert(compiled_isa == lane_isa && lanes<Pack> == lane_width);

std::unique_ptr<mechanics::LaneStepper> make_lane_stepper(std::string_view method, const Model* model) {
  return model ? make<TreeLanes>(method, model) : make<mechanics::TopLanes<Pack>>(method, model);
}

}  // namespace torsor::batch
