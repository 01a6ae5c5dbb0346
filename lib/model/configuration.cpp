#include "recursions.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {

Vec identity_configuration(const Model& model) {
  Vec q = Vec::Zero(model.nq());
  detail::for_each_part<double>(
      model, [](int, int) {}, [&]<class G>(G*, int at, int) { G::identity().to(q.data() + at); });
  return q;
}

double group_defect(const Model& model, VecIn q) {
  if (q.size() < model.nq()) detail::throw_too_short(model, q.size(), model.nv());
  double worst = 0;
  detail::for_each_part<double>(
      model, [](int, int) {},
      [&]<class G>(G*, int at, int) { worst = max_or_nan(worst, G::from(q.data() + at).defect()); });
  return worst;
}

template void retract(const Model&, const double*, const double*, double*);
template void local_difference(const Model&, const double*, const double*, double*);
template void dexp(const Model&, const double*, const double*, double*);
template void dexp_inv(const Model&, const double*, const double*, double*);
template void dexp_inv_transpose(const Model&, const double*, const double*, double*);
template void ad_transpose(const Model&, const double*, const double*, double*);

template void retract(const Model&, const long double*, const long double*, long double*);
template void local_difference(const Model&, const long double*, const long double*, long double*);
template void dexp(const Model&, const long double*, const long double*, long double*);
template void dexp_inv(const Model&, const long double*, const long double*, long double*);
template void dexp_inv_transpose(const Model&, const long double*, const long double*, long double*);
template void ad_transpose(const Model&, const long double*, const long double*, long double*);

}  // namespace torsor
