#include "any_field.hpp"

#include "sample_motion.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/semidirect_product.hpp"
#include "torsor/lie/so3.hpp"

namespace torsor::test {

using Flat = AnyField::Tangent;

struct AnyField::Group {
  virtual ~Group() = default;
  virtual Flat start() const = 0;
  virtual int dim() const = 0;
  virtual Flat retract(const Flat& y, const Flat& u) const = 0;
  virtual Flat difference(const Flat& y, const Flat& z) const = 0;
  virtual Flat dexp(const Flat& u, const Flat& w) const = 0;
  virtual Flat rate(long double t, const Flat& y) const = 0;
  virtual Flat chart_rate(long double t, const Flat& y, const Flat& u) const = 0;
};

namespace {

template <class G>
class OnGroup final : public AnyField::Group {
  using Field = MechanicalField<G, SampleMotion<G>>;
  using Phased = Phase<G>;
  using Fixed = typename Field::Tangent;

 public:
  Flat start() const override { return flat(SampleMotion<G>::start()); }
  int dim() const override { return Field::dim(); }
  Flat retract(const Flat& y, const Flat& u) const override {
    Phased out;
    field_.retract(phase(y), Fixed(u), out);
    return flat(out);
  }
  Flat difference(const Flat& y, const Flat& z) const override {
    return fill([&](Fixed& out) { field_.difference(phase(y), phase(z), out); });
  }
  Flat dexp(const Flat& u, const Flat& w) const override {
    return fill([&](Fixed& out) { field_.dexp(Fixed(u), Fixed(w), out); });
  }
  Flat rate(long double t, const Flat& y) const override {
    return fill([&](Fixed& out) { field_.rate(t, phase(y), out); });
  }
  Flat chart_rate(long double t, const Flat& y, const Flat& u) const override {
    return fill([&](Fixed& out) { field_.chart_rate(t, phase(y), Fixed(u), out); });
  }

 private:
  template <class Body>
  static Flat fill(const Body& body) {
    Fixed out;
    body(out);
    return out;
  }
  static Phased phase(const Flat& y) { return {G::from(y.data()), y.tail(G::dof)}; }
  static Flat flat(const Phased& x) {
    Flat y(G::nq + G::dof);
    x.q.to(y.data());
    y.tail(G::dof) = x.v;
    return y;
  }

  Field field_{SampleMotion<G>()};
};

using Rotation = SO3<long double>;
using Motion = SE3<long double>;

std::shared_ptr<const AnyField::Group> make(const std::string& name) {
  if (name == "SO3") return std::make_shared<OnGroup<Rotation>>();
  if (name == "SE3") return std::make_shared<OnGroup<Motion>>();
  if (name == "R3xSO3") return std::make_shared<OnGroup<Product<Rn<3, long double>, Rotation>>>();
  if (name == "SE3xSO3") return std::make_shared<OnGroup<Product<Motion, Rotation>>>();
  if (name == "SE23") return std::make_shared<OnGroup<SE23<long double>>>();
  if (name == "SGal3") return std::make_shared<OnGroup<SGal3<long double>>>();
  throw std::invalid_argument("no field on the group " + name);
}

}  // namespace

AnyField::AnyField(const std::string& group) : group_(make(group)) {}

Flat AnyField::start() const { return group_->start(); }
int AnyField::dim() const { return group_->dim(); }
void AnyField::retract(const Flat& y, const Flat& u, Flat& out) const { out = group_->retract(y, u); }
void AnyField::difference(const Flat& y, const Flat& z, Flat& out) const { out = group_->difference(y, z); }
void AnyField::dexp(const Flat& u, const Flat& w, Flat& out) const { out = group_->dexp(u, w); }
void AnyField::rate(long double t, const Flat& y, Flat& out) const { out = group_->rate(t, y); }
void AnyField::chart_rate(long double t, const Flat& y, const Flat& u, Flat& out) const {
  out = group_->chart_rate(t, y, u);
}
void AnyField::rate_from_chart(const Flat& z, const Flat&, const Flat& u_rate, Flat& out) const {
  const int n = dim() / 2;
  out.resize(2 * n);
  out << z.tail(n), u_rate.tail(n);
}

}  // namespace torsor::test
