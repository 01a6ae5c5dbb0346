#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "evaluate.hpp"
#include "torsor/coordinates/coordinate_fields.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::scene {

/// The formulas of a [chart]. Their variables: q (n), t, u = q' (n).
struct Formulas {
  struct Particle {
    double mass = 0;  ///< not used if there is a Lagrangian
    std::vector<Expression> position;
  };
  int n = 0;
  std::vector<Expression> metric;  ///< n x n by rows, or empty
  std::vector<Particle> particles;
  Expression potential;
  std::optional<Expression> lagrangian;  ///< replaces metric and potential; particles then are only drawn
  std::optional<Expression> dissipation;
  std::vector<Expression> force, quasi_force;  ///< n formulas, or empty
  std::vector<Expression> velocities;          ///< n formulas, or empty
  std::vector<Expression> positions;
  std::vector<Expression> rows, friction;
  std::vector<std::string> row_names;  ///< of the positions, then of the rows

  /// A component of the connection, by its indices in the order of CoordinateFields.
  struct Component {
    std::array<int, 3> at;
    Expression value;
  };
  /// The n vectors of the connection's frame, n components each; empty: the frame of the quasi-velocities, or
  /// of the coordinates if there are none.
  std::vector<Expression> vectors;
  std::vector<std::string> vector_names;  ///< names of these vectors, then of the time vector
  std::vector<Component> affinities;
  std::vector<Component> sigma;  ///< sigma_kij or sigma_kji = -sigma_kij, not both

  /// Whether t occurs in the energies, the forces, the friction or the constraints.
  bool depend_on_time() const {
    const auto timed = [this](const Expression& formula) { return formula.has_variable(n, n + 1); };
    const auto any = [&](const std::vector<Expression>& all) {
      return std::any_of(all.begin(), all.end(), timed);
    };
    const auto moves = [&](const Particle& one) { return any(one.position); };
    const bool quasi_force_moves = any(quasi_force) || (!quasi_force.empty() && any(velocities));
    return any(metric) || any(positions) || any(rows) || any(force) || quasi_force_moves || any(friction) ||
           timed(potential) || (lagrangian && timed(*lagrangian)) || (dissipation && timed(*dissipation)) ||
           std::any_of(particles.begin(), particles.end(), moves);
  }
};

/// The formulas of a [chart] as the fields of a system in coordinates.
class FormulaFields : public CoordinateFields {
 public:
  explicit FormulaFields(std::shared_ptr<const Formulas> formulas)
      : CoordinateFields(formulas->n), formulas_(std::move(formulas)) {}

  template <class S>
  Matrix<S> metric(const Vector<S>& e) const {
    const int n = size();
    Matrix<S> g = geometry::filled<Matrix<S>>(n + 1, n + 1, S(0));
    for (int i = 0; i < n && !formulas_->metric.empty(); ++i)
      for (int j = 0; j <= i; ++j)
        g(i, j) = g(j, i) = formulas_->metric[static_cast<std::size_t>(n * i + j)].at(e.data());
    if (!formulas_->particles.empty() && !formulas_->lagrangian)
      g += induced_event_metric(Places{formulas_.get()}, masses(), e);
    return g;
  }
  template <class S>
  S potential(const Vector<S>& e) const {
    return formulas_->potential.at(e.data());
  }
  template <class S>
  S lagrangian(const Vector<S>& e, const Vector<S>& u) const {
    return formulas_->lagrangian->at(joined(e, u).data());
  }
  /// All forces, including -dR/du of the dissipation function R.
  template <class S>
  Vector<S> force(const Vector<S>& e, const Vector<S>& u) const {
    const Vector<S> at = joined(e, u);
    Vector<S> f = values(formulas_->force, at);
    if (!formulas_->quasi_force.empty()) {
      const Matrix<S> B = velocities(e);
      f += geometry::transposed(B) * values(formulas_->quasi_force, at);
    }
    if (formulas_->dissipation) f -= slopes(*formulas_->dissipation, at);
    return f;
  }
  template <class S>
  Matrix<S> velocities(const Vector<S>& e) const {
    if (formulas_->velocities.empty()) return CoordinateFields::velocities(e);
    return geometry::part_of<Matrix<S>>(linear(formulas_->velocities, e), 0, 0, size(), size());
  }
  template <class S>
  Vector<S> positions(const Vector<S>& e) const {
    return all(formulas_->positions, e);
  }
  template <class S>
  Matrix<S> rows(const Vector<S>& e) const {
    return linear(formulas_->rows, e);
  }
  template <class S>
  Vector<S> friction(const Vector<S>& e) const {
    const Vector<S> mu = all(formulas_->friction, e);
    for (Eigen::Index i = 0; i < mu.size(); ++i)
      if (const double value = real_part(mu[i]); !(value > 0))
        throw EvaluationError(
            StepStatus::singular,
            fmt::format("constraint \"{}\": its friction must be greater than 0, got {:.3g} at t = {:.6g}",
                        formulas_->row_names[formulas_->positions.size() + static_cast<std::size_t>(i)],
                        value, static_cast<double>(real_part(e[size()]))));
    return mu;
  }
  template <class S>
  Matrix<S> vectors(const Vector<S>& e) const {
    if (formulas_->vectors.empty()) return Matrix<S>(0, 0);
    return all(formulas_->vectors, e).reshaped(size(), size());
  }
  template <class S>
  Tensor3<S> affinities(const Vector<S>& e) const {
    return components(formulas_->affinities, e, false);
  }
  template <class S>
  Tensor3<S> sigma(const Vector<S>& e) const {
    return components(formulas_->sigma, e, true);
  }
  std::vector<std::string> row_names() const { return formulas_->row_names; }
  std::vector<std::string> vector_names() const { return formulas_->vector_names; }
  bool depends_on_time() const { return formulas_->depend_on_time(); }

 private:
  struct Places {
    const Formulas* formulas;
    template <class S>
    Vector<S> operator()(const Vector<S>& e) const {
      Vector<S> x(coordinates(*formulas));
      Eigen::Index at = 0;
      for (const Formulas::Particle& particle : formulas->particles)
        for (const Expression& place : particle.position) x[at++] = place.at(e.data());
      return x;
    }
  };
  static Eigen::Index coordinates(const Formulas& formulas) {
    std::size_t count = 0;
    for (const Formulas::Particle& particle : formulas.particles) count += particle.position.size();
    return static_cast<Eigen::Index>(count);
  }
  Vec masses() const {
    Vec m(coordinates(*formulas_));
    Eigen::Index at = 0;
    for (const Formulas::Particle& particle : formulas_->particles)
      for (std::size_t k = 0; k < particle.position.size(); ++k) m[at++] = particle.mass;
    return m;
  }

  /// The variables of the formulas: q, t and u.
  template <class S>
  static Vector<S> joined(const Vector<S>& e, const Vector<S>& u) {
    Vector<S> at(e.size() + u.size());
    geometry::set_part(at, 0, 0, e);
    geometry::set_part(at, e.size(), 0, u);
    return at;
  }

  /// `antisymmetric`: the tensor is antisymmetric in its last two indices.
  template <class S>
  Tensor3<S> components(const std::vector<Formulas::Component>& formulas, const Vector<S>& e,
                        bool antisymmetric) const {
    Tensor3<S> t(formulas.empty() ? 0 : size() + 1);
    for (const auto& [at, formula] : formulas) {
      const S value = formula.at(e.data());
      t(at[0], at[1], at[2]) = value;
      if (antisymmetric) t(at[0], at[2], at[1]) = -value;
    }
    return t;
  }
  template <class S>
  static Vector<S> all(const std::vector<Expression>& formulas, const Vector<S>& at) {
    Vector<S> x(static_cast<Eigen::Index>(formulas.size()));
    for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = formulas[static_cast<std::size_t>(i)].at(at.data());
    return x;
  }
  /// The n values of the formulas; n zeros if there are no formulas.
  template <class S>
  Vector<S> values(const std::vector<Expression>& formulas, const Vector<S>& at) const {
    return formulas.empty() ? geometry::filled<Vector<S>>(size(), 1, S(0)) : all(formulas, at);
  }
  /// The derivatives of a formula with respect to the n rates.
  template <class S>
  Vector<S> slopes(const Expression& formula, const Vector<S>& at) const {
    const int n = size();
    Vector<Dual<S>> moved(at.size());
    for (Eigen::Index i = 0; i < at.size(); ++i) moved[i] = at[i];
    Vector<S> slope(n);
    for (int j = 0; j < n; ++j) {
      moved[n + 1 + j].derivative = S(1);
      slope[j] = formula.at(moved.data()).derivative;
      moved[n + 1 + j].derivative = S(0);
    }
    return slope;
  }
  /// For formulas that are affine in u: the coefficients of u, and in the last column the part without u.
  template <class S>
  Matrix<S> linear(const std::vector<Expression>& formulas, const Vector<S>& e) const {
    const int n = size();
    Vector<Dual<S>> at = geometry::filled<Vector<Dual<S>>>(2 * n + 1, 1, Dual<S>(S(0), S(0)));
    for (int i = 0; i <= n; ++i) at[i] = e[i];
    Matrix<S> coefficients(static_cast<Eigen::Index>(formulas.size()), n + 1);
    for (int j = 0; j < n; ++j) {
      at[n + 1 + j].derivative = S(1);
      for (Eigen::Index i = 0; i < coefficients.rows(); ++i) {
        const Dual<S> x = formulas[static_cast<std::size_t>(i)].at(at.data());
        coefficients(i, j) = x.derivative;
        coefficients(i, n) = x.value;
      }
      at[n + 1 + j].derivative = S(0);
    }
    return coefficients;
  }

  std::shared_ptr<const Formulas> formulas_;
};

}  // namespace torsor::scene
