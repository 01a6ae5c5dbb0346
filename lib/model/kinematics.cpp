#include "torsor/model/kinematics.hpp"

#include "recursions.hpp"

namespace torsor {

template void local_kinematics(const Model&, InOf<double>, InOf<double>, Workspace<double>&);
template void forward_kinematics(const Model&, InOf<double>, InOf<double>, Workspace<double>&);
template void body_accelerations(const Model&, InOf<double>, InOf<double>, Workspace<double>&);
template void point_jacobian(const Model&, const Workspace<double>&, int, const Vector<double, 3>&,
                             MatOutOf<double, 6>);
template Vector<double, 6> jacobian_times(const Model&, const Workspace<double>&, int,
                                          const Vector<double, 3>&, InOf<double>);
template void add_jacobian_transpose(const Model&, const Workspace<double>&, int, const Vector<double, 3>&,
                                     const Vector<double, 6>&, OutOf<double>);

template void local_kinematics(const Model&, InOf<long double>, InOf<long double>, Workspace<long double>&);
template void forward_kinematics(const Model&, InOf<long double>, InOf<long double>, Workspace<long double>&);
template void body_accelerations(const Model&, InOf<long double>, InOf<long double>, Workspace<long double>&);
template void point_jacobian(const Model&, const Workspace<long double>&, int, const Vector<long double, 3>&,
                             MatOutOf<long double, 6>);
template Vector<long double, 6> jacobian_times(const Model&, const Workspace<long double>&, int,
                                               const Vector<long double, 3>&, InOf<long double>);
template void add_jacobian_transpose(const Model&, const Workspace<long double>&, int,
                                     const Vector<long double, 3>&, const Vector<long double, 6>&,
                                     OutOf<long double>);

}  // namespace torsor
