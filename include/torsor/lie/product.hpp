#pragma once

#include <tuple>
#include <utility>

#include "torsor/lie/detail/group_base.hpp"
#include "torsor/lie/detail/indices.hpp"
#include "torsor/lie/lie_group.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor {

/// The direct product of groups over one scalar. Every map acts factor by factor. The stored numbers and the
/// tangent vectors of the factors stand one after the other. Product<Rn<3>, SO3<>> is R^3 x SO(3).
template <class... G>
class Product : public GroupBase<Product<G...>, typename std::tuple_element_t<0, std::tuple<G...>>::Scalar,
                                 (G::dof + ...)> {
  using S = typename std::tuple_element_t<0, std::tuple<G...>>::Scalar;
  using Base = GroupBase<Product<G...>, S, (G::dof + ...)>;
  static_assert((std::same_as<typename G::Scalar, S> && ...), "the factors of a product share one scalar");
  static constexpr std::size_t count = sizeof...(G);
  template <std::size_t k>
  using Factor = std::tuple_element_t<k, std::tuple<G...>>;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = std::tuple<typename G::Point...>;
  template <class T>
  using Over = Product<typename G::template Over<T>...>;  ///< the same group over another scalar
  static constexpr int nq = (G::nq + ...), matrix_size = (G::matrix_size + ...);
  using Block = Matrix<S, matrix_size>;

  std::tuple<G...> factors;

  Product() : factors(G::identity()...) {}
  explicit(count == 1) Product(const G&... g) : factors(g...) {}
  static Product identity() { return {}; }
  template <std::size_t k>
  Factor<k>& get() {
    return std::get<k>(factors);
  }
  template <std::size_t k>
  const Factor<k>& get() const {
    return std::get<k>(factors);
  }
  /// The k-th part of a tangent vector.
  template <std::size_t k>
  static typename Factor<k>::Tangent part(const Tangent& xi) {
    return xi.template segment<Factor<k>::dof>(tangent_begin[k]);
  }

  static Product from(const S* q) {
    return each([&](auto i) { return Factor<i>::from(q + stored_begin[i]); });
  }
  void to(S* q) const {
    detail::for_each_index<count>([&](auto i) { get<i>().to(q + stored_begin[i]); });
  }
  Block matrix() const {
    return block([&](auto i) { return get<i>().matrix(); });
  }

  Product operator*(const Product& g) const {
    return each([&](auto i) { return get<i>() * g.template get<i>(); });
  }
  Point operator*(const Point& point) const {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return Point((get<k>() * std::get<k>(point))...);
    }
    (std::make_index_sequence<count>());
  }
  Product inverse() const {
    return each([&](auto i) { return get<i>().inverse(); });
  }
  Product normalized() const {
    return each([&](auto i) { return get<i>().normalized(); });
  }
  S defect() const {
    S worst(0);
    detail::for_each_index<count>([&](auto i) { worst = torsor::max_or_nan(worst, get<i>().defect()); });
    return worst;
  }

  static Product exp(const Tangent& xi) {
    return each([&](auto i) { return Factor<i>::exp(part<i>(xi)); });
  }
  Tangent log() const {
    return stack([&](auto i) { return get<i>().log(); });
  }
  static Product cay(const Tangent& xi) {
    return each([&](auto i) { return Factor<i>::cay(part<i>(xi)); });
  }
  Tangent cay_inv() const {
    return stack([&](auto i) { return get<i>().cay_inv(); });
  }

  Square Ad() const {
    return diagonal([&](auto i) { return get<i>().Ad(); });
  }
  Tangent Ad(const Tangent& xi) const {
    return stack([&](auto i) { return get<i>().Ad(part<i>(xi)); });
  }
  Tangent Ad_transpose(const Tangent& f) const {
    return stack([&](auto i) { return get<i>().Ad_transpose(part<i>(f)); });
  }
  static Square ad(const Tangent& xi) {
    return diagonal([&](auto i) { return Factor<i>::ad(part<i>(xi)); });
  }
  static Tangent ad(const Tangent& xi, const Tangent& eta) {
    return stack([&](auto i) { return Factor<i>::ad(part<i>(xi), part<i>(eta)); });
  }
  static Tangent ad_transpose(const Tangent& xi, const Tangent& f) {
    return stack([&](auto i) { return Factor<i>::ad_transpose(part<i>(xi), part<i>(f)); });
  }

  static Square dexp(const Tangent& xi) {
    return diagonal([&](auto i) { return Factor<i>::dexp(part<i>(xi)); });
  }
  static Tangent dexp(const Tangent& xi, const Tangent& eta) {
    return stack([&](auto i) { return Factor<i>::dexp(part<i>(xi), part<i>(eta)); });
  }
  static Tangent dexp_transpose(const Tangent& xi, const Tangent& f) {
    return stack([&](auto i) { return Factor<i>::dexp_transpose(part<i>(xi), part<i>(f)); });
  }
  static Square dexp_inv(const Tangent& xi) {
    return diagonal([&](auto i) { return Factor<i>::dexp_inv(part<i>(xi)); });
  }
  static Tangent dexp_inv(const Tangent& xi, const Tangent& eta) {
    return stack([&](auto i) { return Factor<i>::dexp_inv(part<i>(xi), part<i>(eta)); });
  }
  static Tangent dexp_inv_transpose(const Tangent& xi, const Tangent& f) {
    return stack([&](auto i) { return Factor<i>::dexp_inv_transpose(part<i>(xi), part<i>(f)); });
  }
  static Square dcay(const Tangent& xi) {
    return diagonal([&](auto i) { return Factor<i>::dcay(part<i>(xi)); });
  }
  static Tangent dcay(const Tangent& xi, const Tangent& eta) {
    return stack([&](auto i) { return Factor<i>::dcay(part<i>(xi), part<i>(eta)); });
  }
  static Square dcay_inv(const Tangent& xi) {
    return diagonal([&](auto i) { return Factor<i>::dcay_inv(part<i>(xi)); });
  }
  static Tangent dcay_inv(const Tangent& xi, const Tangent& eta) {
    return stack([&](auto i) { return Factor<i>::dcay_inv(part<i>(xi), part<i>(eta)); });
  }

  static Block hat(const Tangent& xi) {
    return block([&](auto i) { return Factor<i>::hat(part<i>(xi)); });
  }
  static Tangent vee(const Block& M) {
    return stack([&](auto i) {
      constexpr int size = Factor<i>::matrix_size;
      return Factor<i>::vee(M.template block<size, size>(matrix_begin[i], matrix_begin[i]));
    });
  }

 private:
  static constexpr std::array<int, count> stored_begin = detail::offsets<count>({G::nq...}),
                                          tangent_begin = detail::offsets<count>({G::dof...}),
                                          matrix_begin = detail::offsets<count>({G::matrix_size...});

  template <class F>
  static Product each(const F& f) {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      return Product(f(std::integral_constant<std::size_t, k>())...);
    }
    (std::make_index_sequence<count>());
  }
  template <class F>
  static Tangent stack(const F& f) {
    Tangent xi;
    detail::for_each_index<count>(
        [&](auto i) { xi.template segment<Factor<i>::dof>(tangent_begin[i]) = f(i); });
    return xi;
  }
  template <class F>
  static Square diagonal(const F& f) {
    Square M = Square::Constant(S(0));
    detail::for_each_index<count>([&](auto i) {
      constexpr int size = Factor<i>::dof;
      M.template block<size, size>(tangent_begin[i], tangent_begin[i]) = f(i);
    });
    return M;
  }
  template <class F>
  static Block block(const F& f) {
    Block M = Block::Constant(S(0));
    detail::for_each_index<count>([&](auto i) {
      constexpr int size = Factor<i>::matrix_size;
      M.template block<size, size>(matrix_begin[i], matrix_begin[i]) = f(i);
    });
    return M;
  }
};

}  // namespace torsor
