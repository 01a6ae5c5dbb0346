#pragma once

#include "torsor/batch/detail/lane_rows.hpp"

namespace torsor {

/// The copies that have not started yet, with their first slopes and first step sizes, which are computed for
/// as many copies at once as there are lanes.
template <template <class> class Field, template <class> class Method>
class WaitingCopies {
 public:
  using F = detail::CountingField<Field<Pack>>;
  using Row = LaneRows<Field<Pack>>;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  WaitingCopies(const Copies& copies, double t, double t_end, const IntegrateOptions& options)
      : copies_(copies), next_(copies.begin), t_(t), t_end_(t_end), options_(options) {}

  bool any() const { return next_ < copies_.end; }
  /// Evaluations for each copy before its first step.
  long evaluations() const { return options_.first_step > 0 ? 1 : 2; }

  /// Loads the next copy into one lane and returns its number.
  std::size_t take(int lane, typename Row::Numbers& y, Tangent& slope, typename Row::Parameters& parameters,
                   double& h) {
    const std::size_t from = (next_ - copies_.begin) % Row::width;
    if (from == 0) prepare();
    const auto move = [&](const Pack& ready, Pack& into) {
      into[static_cast<std::size_t>(lane)] = double(ready[from]);
    };
    for (std::size_t i = 0; i < y.size(); ++i) move(y_[i], y[i]);
    for (int i = 0; i < slope.size(); ++i) move(slope_[i], slope[i]);
    for (std::size_t i = 0; i < parameters.size(); ++i) move(parameters_[i], parameters[i]);
    h = double(h_[from]);
    return next_++;
  }

 private:
  [[gnu::noinline]] void prepare() {
    const Point y = Row::point(copies_, next_);
    parameters_ = Row::parameters_of(copies_, next_);
    const Field<Pack> field = Row::field(parameters_);
    const F f(field);
    y.to(y_.data());
    f.rate(Pack(t_), y, slope_);
    h_ = Pack(options_.first_step);
    if (!(options_.first_step > 0)) choose_first_step(f, y);
  }

  void choose_first_step(const F& f, const Point& y) {
    const double span = std::abs(t_end_ - t_), direction = t_end_ < t_ ? -1 : 1;
    const Pack rate = f.error_size(y, slope_), dt([&](auto lane) { return probe_step(rate[lane], span); });
    Tangent probe = Pack(direction) * dt * slope_, change;
    Point y_probe = y;
    f.retract(y, probe, y_probe);
    f.rate(Pack(t_) + Pack(direction) * dt, y_probe, change);
    change -= slope_;
    const Pack size = f.error_size(y, change) / dt;
    h_ = Pack([&](auto lane) {
      return first_step(rate[lane], size[lane], options_.tolerance, estimate_order_of<Method<F>>);
    });
  }

  Copies copies_;
  std::size_t next_;
  double t_, t_end_;
  IntegrateOptions options_;
  typename Row::Numbers y_;
  typename Row::Parameters parameters_;
  Tangent slope_;
  Pack h_;
};

}  // namespace torsor
