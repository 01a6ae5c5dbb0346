#include "torsor/model/dynamics.hpp"

#include <stdexcept>
#include <string>

#include "mechanism_check.hpp"
#include "recursions.hpp"

namespace torsor {

void detail::throw_singular(const Model& model, int link) {
  const int body = model.body[link];
  throw EvaluationError(StepStatus::singular,
                        "the joint of " + label(model.mechanism().bodies[body], body) +
                            " has no inertia to accelerate: the mass matrix is singular",
                        body_part(body));
}

void detail::throw_too_short(const Model& model, Eigen::Index q, Eigen::Index v) {
  const auto both = [](auto nq, auto nv) { return std::to_string(nq) + " and " + std::to_string(nv); };
  throw std::invalid_argument("the vectors of coordinates and of velocities or accelerations have " +
                              both(q, v) + " entries; the model has " + both(model.nq(), model.nv()));
}

template void forward_dynamics(const Model&, InOf<double>, InOf<double>, const Loads<double>&,
                               Workspace<double>&, OutOf<double>);
template void forward_dynamics(const Model&, InOf<double>, const Loads<double>&, Workspace<double>&,
                               OutOf<double>);
template void inverse_dynamics(const Model&, InOf<double>, InOf<double>, const Loads<double>&,
                               Workspace<double>&, OutOf<double>);
template void mass_matrix(const Model&, Workspace<double>&, MatOutOf<double, Eigen::Dynamic>);

template void forward_dynamics(const Model&, InOf<long double>, InOf<long double>, const Loads<long double>&,
                               Workspace<long double>&, OutOf<long double>);
template void forward_dynamics(const Model&, InOf<long double>, const Loads<long double>&,
                               Workspace<long double>&, OutOf<long double>);
template void inverse_dynamics(const Model&, InOf<long double>, InOf<long double>, const Loads<long double>&,
                               Workspace<long double>&, OutOf<long double>);
template void mass_matrix(const Model&, Workspace<long double>&, MatOutOf<long double, Eigen::Dynamic>);

}  // namespace torsor
