#pragma once

#include <memory>

#include "torsor/lie/pack.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor::batch {

/// A tree under constant uniform gravity, the same in all lanes, as a field (field.hpp) with the arithmetic
/// of TreeSystem and SystemField. The functions are in lane_kernels.cpp alone: a flattened method would hold
/// a copy of their recursions for each stage.
class TreeLanes {
 public:
  using Scalar = Pack;
  using Tangent = VecOf<Pack>;
  struct Point {
    VecOf<Pack> q, v;
  };
  static constexpr bool own_constants = false, has_error_norm = false;

  explicit TreeLanes(const Model* model);
  ~TreeLanes();
  TreeLanes(const TreeLanes&) = delete;
  TreeLanes& operator=(const TreeLanes&) = delete;

  int nq() const { return nq_; }
  int nv() const { return nv_; }
  int dim() const { return 2 * nv_; }
  Point point() const { return {VecOf<Pack>(nq_), VecOf<Pack>(nv_)}; }
  void refresh(Point&) const {}

  void retract(const Point& y, const Tangent& u, Point& out) const;
  void difference(const Point&, const Point&, Tangent&) const {}
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const;
  void rate(const Pack& t, const Point& y, Tangent& out) const;
  void chart_rate(const Pack& t, const Point& y, const Tangent& u, Tangent& out) const;
  void rate_from_chart(const Point& z, const Tangent&, const Tangent& u_rate, Tangent& out) const {
    out.resize(dim());
    for (int i = 0; i < nv_; ++i) out[i] = z.v[i], out[nv_ + i] = u_rate[nv_ + i];
  }

 private:
  struct Tree;
  int nq_, nv_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace torsor::batch
