#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "torsor/geometry/connection.hpp"
#include "torsor/report/coordinate_report.hpp"

namespace torsor::detail {

/// The tensors of a connection as names and values.
struct ConnectionComponents {
  std::vector<NamedComponent> affinities, torsion, curvature, non_metricity;
};

/// Lists components of tensors as names and values, without components that are only rounding errors.
///
/// Components have different units. Where components are compared, each index counts in units of
/// sqrt(|g_ii|), the length of its basis vector. Time has no such length, so only components with the same
/// power of time are compared: the number of lower indices t minus the number of upper ones.
class ComponentList {
 public:
  using List = std::vector<NamedComponent>;
  using Three = geometry::Tensor3<double, Eigen::Dynamic>;
  using Four = geometry::Tensor4<double, Eigen::Dynamic>;

  /// Names without time. Basis vectors count as unit vectors.
  explicit ComponentList(std::vector<std::string> names);
  /// `metric`: at an event, with time as the last index. `rates`: rates_of_terms of the basis vectors
  /// (affinities_at.hpp).
  ComponentList(std::vector<std::string> names, const Eigen::MatrixXd& metric, const Vec& rates);

  /// Structure coefficients C(k, i, j), antisymmetric in i and j, as "i, j -> k".
  List brackets(const Three& C) const;

  /// The tensors at the event e. Their components count as rounding in comparison with their terms:
  /// affinities with the terms of the Christoffel symbols (affinity_terms), torsion with the affinities and
  /// these terms, curvature with products of two of them, and non-metricity with products of one of them and
  /// the metric.
  template <class Connection, class Metric>
  ConnectionComponents of(const Connection& connection, const Metric& metric, const Vec& e) const {
    return list(connection.affinities(e), geometry::torsion(connection, e),
                geometry::curvature(connection, e), geometry::non_metricity(connection, metric, e));
  }

 private:
  struct Component {
    std::string name;
    double value, size;
    int power;         ///< of time
    double terms = 0;  ///< the size of its terms, if it is known
  };
  using All = std::vector<Component>;
  /// The greatest size by power of time, from -2 to 5.
  using Sizes = std::array<double, 8>;

  ConnectionComponents list(const Three& affinities, const Three& torsion, const Four& curvature,
                            const Three& non_metricity) const;
  int time() const { return static_cast<int>(names_.size()) - 1; }
  const std::string& name(int i) const { return names_[static_cast<std::size_t>(i)]; }
  Component component(double value, std::initializer_list<int> upper, std::initializer_list<int> lower,
                      std::string name, double terms = 0) const;
  All upper(const Three& t, bool antisymmetric, const Three& terms) const;
  All lower(const Three& D, const Three& terms) const;
  All all_of(const Four& R, const Four& terms) const;

  static double& at(Sizes& sizes, int power) { return sizes[static_cast<std::size_t>(power + 2)]; }
  static Sizes greatest(const All& all);
  static Sizes product(Sizes a, Sizes b);
  static List kept(const All& all, Sizes terms);

  std::vector<std::string> names_;
  Vec length_;
  Sizes metric_{};
  Eigen::MatrixXd g_;
  Vec rates_;
};

}  // namespace torsor::detail
