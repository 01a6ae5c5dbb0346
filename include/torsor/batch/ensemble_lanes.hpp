#pragma once

#include <array>
#include <cstddef>

#include "torsor/batch/ensemble.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/lie/pack.hpp"

/// Error-controlled integration of many copies in the lanes of packs; see ensemble_kernels.hpp.
namespace torsor {

/// Points and fields of the copies from k on, one in each lane. If fewer copies than lanes remain, the last
/// copy fills the other lanes.
template <class F>
struct LaneRows {
  using Scalar = typename F::Scalar;
  using Point = typename F::Point;
  static constexpr std::size_t width = static_cast<std::size_t>(lanes<Scalar>);
  static constexpr int numbers = Point::nq;
  static constexpr int parameters = [] {
    if constexpr (requires { F::parameters; }) return int(F::parameters);
    return 0;
  }();
  using Numbers = std::array<Scalar, numbers>;
  using Parameters = std::array<Scalar, parameters>;

  static Scalar row(const double* all, int i, const Copies& copies, std::size_t k) {
    const double* from = all + static_cast<std::size_t>(i) * copies.copies + k;
    if (k + width <= copies.end) return Scalar(from, stdx::element_aligned);
    const std::size_t last = copies.end - k - 1;
    return Scalar([&](std::size_t lane) { return from[lane < last ? lane : last]; });
  }
  static Point point(const Copies& copies, std::size_t k) {
    Numbers y;
    for (int i = 0; i < numbers; ++i) y[i] = row(copies.points, i, copies, k);
    return Point::from(y.data());
  }
  static void store(const Point& point, const Copies& copies, std::size_t k) {
    Numbers y;
    point.to(y.data());
    for (int i = 0; i < numbers; ++i) {
      double* to = copies.points + static_cast<std::size_t>(i) * copies.copies + k;
      if (k + width <= copies.end) {
        y[i].copy_to(to, stdx::element_aligned);
      } else {
        for (std::size_t lane = 0; k + lane < copies.end; ++lane) to[lane] = y[i][lane];
      }
    }
  }
  static F field(const Parameters& values) {
    if constexpr (parameters > 0)
      return F(values);
    else
      return F();
  }
  static Parameters parameters_of(const Copies& copies, std::size_t k) {
    Parameters values;
    for (int i = 0; i < parameters; ++i) values[i] = row(copies.parameters, i, copies, k);
    return values;
  }
  static F field(const Copies& copies, std::size_t k) { return field(parameters_of(copies, k)); }
};

/// The copies that have not started yet, with their first slopes and first step sizes, which are computed for
/// as many copies at once as there are lanes.
template <template <class> class Field, template <class> class Method>
class WaitingCopies {
 public:
  using F = detail::CountingField<Field<Pack>>;
  using Row = LaneRows<Field<Pack>>;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;

  WaitingCopies(const Copies& copies, double t, double direction, const IntegrateOptions& options)
      : copies_(copies), next_(copies.begin), t_(t), direction_(direction), options_(options) {}

  bool any() const { return next_ < copies_.end; }
  /// Evaluations for each copy before its first step.
  long evaluations() const { return options_.first_step > 0 ? 1 : 2; }

  /// Loads the next copy into one lane and returns its number.
  std::size_t take(int lane, typename Row::Numbers& y, Tangent& slope, typename Row::Parameters& parameters,
                   Pack& h) {
    const std::size_t from = (next_ - copies_.begin) % Row::width;
    if (from == 0) prepare();
    const auto move = [&](const Pack& ready, Pack& into) {
      into[static_cast<std::size_t>(lane)] = double(ready[from]);
    };
    for (std::size_t i = 0; i < y.size(); ++i) move(y_[i], y[i]);
    for (int i = 0; i < slope.size(); ++i) move(slope_[i], slope[i]);
    for (std::size_t i = 0; i < parameters.size(); ++i) move(parameters_[i], parameters[i]);
    move(h_, h);
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
    const Pack rate = f.error_size(y, slope_), dt([&](auto lane) { return probe_step(rate[lane]); });
    Tangent probe = Pack(direction_) * dt * slope_, change;
    Point y_probe = y;
    f.retract(y, probe, y_probe);
    f.rate(Pack(t_) + Pack(direction_) * dt, y_probe, change);
    change -= slope_;
    const Pack size = f.error_size(y, change) / dt;
    h_ = Pack([&](auto lane) {
      return first_step(rate[lane], size[lane], options_.tolerance, Method<F>::embedded_order);
    });
  }

  Copies copies_;
  std::size_t next_;
  double t_, direction_;
  IntegrateOptions options_;
  typename Row::Numbers y_;
  typename Row::Parameters parameters_;
  Tangent slope_;
  Pack h_;
};

/// `integrate` for the lanes of one pack, each with its own t, h, acceptance and step-size control.
template <template <class> class Field, template <class> class Method>
class ControlledLanes {
 public:
  static void run(const Copies& copies, double t, double t_end, const IntegrateOptions& options,
                  IntegrateResult* results) {
    Waiting waiting(copies, t, t_end < t ? -1 : 1, options);
    ControlledLanes lanes_of_pack(waiting, copies, t, t_end, options, results);
    while (lanes_of_pack.live()) lanes_of_pack.advance();
  }

 private:
  using Waiting = WaitingCopies<Field, Method>;
  using F = typename Waiting::F;
  using Row = typename Waiting::Row;
  using Point = typename F::Point;
  using Tangent = typename F::Tangent;
  using Mask = Pack::mask_type;
  static constexpr int width = lanes<Pack>;

  ControlledLanes(Waiting& waiting, const Copies& copies, double t, double t_end,
                  const IntegrateOptions& options, IntegrateResult* results)
      : waiting_(waiting),
        copies_(copies),
        options_(options),
        results_(results),
        t_begin_(t),
        t_end_(t_end),
        direction_(t_end < t ? -1 : 1) {
    y_.fill(Pack(0)), parameters_.fill(Pack(0));
    for (int i = 0; i < slope_.size(); ++i) slope_[i] = Pack(0);
    for (int lane = 0; lane < width; ++lane) refill(lane);
  }

  bool live() const { return live_count_ > 0; }

  /// Takes one step in all lanes. The checks of `integrate` before a step are made for all lanes at once.
  [[gnu::flatten]] void advance() {
    const Pack t = t_, end(t_end_), direction(direction_), left = torsor::abs(Pack(end - t));
    const Pack h = torsor::min(h_, Pack(options_.max_step));
    const Mask last = h >= left * Pack(1 - 1e-12), live = live_ > Pack(0);
    const Pack step = torsor::select(last, left, h);
    const Pack least =
        Pack(16 * std::numeric_limits<double>::epsilon()) * torsor::max(Pack(1), torsor::abs(t));
    const Mask tiny = !(step > least) && !last;
    const Mask stuck = live && (tiny || attempts_ >= Pack(static_cast<double>(options_.max_steps)));
    if (some(stuck)) return end_lanes(stuck, tiny);

    const Field<Pack> field = Row::field(parameters_);
    const F f(field);
    const Point y = Point::from(y_.data());
    Point y_next = y;
    Tangent error;
    method_.step(f, y, slope_, t, Pack(direction * step), y_next, &error);
    evaluations_a_step_ = f.evaluations();
    const auto decision = control_.judge(Pack(f.error_size(y, error) / Pack(options_.tolerance)));
    const Mask accept = decision.accept && live;
    h_ = step * decision.factor;
    attempts_ += Pack(1);
    accepted_ += torsor::select(accept, Pack(1), Pack(0));
    t_ = torsor::select(accept, torsor::select(last, end, Pack(t + direction * step)), t);
    keep(accept, y_next, f);
    const Mask done = accept && !(direction * (end - t_) > Pack(0));
    if (some(done)) end_lanes(done, Mask(false));
  }

  /// Stores the accepted points and the slopes there.
  void keep(const Mask& accept, const Point& y_next, const F& f) {
    typename Row::Numbers next;
    y_next.to(next.data());
    for (std::size_t i = 0; i < next.size(); ++i) y_[i] = torsor::select(accept, next[i], y_[i]);
    if constexpr (Method<F>::first_same_as_last) {
      const Tangent& slope = method_.last_slope();
      for (int i = 0; i < slope.size(); ++i) slope_[i] = torsor::select(accept, slope[i], slope_[i]);
    } else {
      f.rate(t_, Point::from(y_.data()), slope_);
    }
  }

  [[gnu::noinline]] void end_lanes(const Mask& ended, const Mask& tiny) {
    for (int lane = 0; lane < width; ++lane) {
      if (!ended[static_cast<std::size_t>(lane)]) continue;
      const bool arrived = !(direction_ * (t_end_ - torsor::lane(t_, lane)) > 0);
      give(lane, arrived                                ? StepStatus::reached_end
                 : tiny[static_cast<std::size_t>(lane)] ? StepStatus::underflow
                                                        : StepStatus::step_limit);
      refill(lane);
    }
  }

  void give(int lane, StepStatus status) {
    const std::size_t copy = copy_[static_cast<std::size_t>(lane)];
    const auto number = [&](const Pack& p) { return static_cast<long>(torsor::lane(p, lane)); };
    for (std::size_t i = 0; i < y_.size(); ++i)
      copies_.points[i * copies_.copies + copy] = torsor::lane(y_[i], lane);
    const long accepted = number(accepted_), attempts = number(attempts_);
    const long again = Method<F>::first_same_as_last ? 0 : accepted;
    results_[copy - copies_.begin] = {status, torsor::lane(t_, lane), accepted, attempts - accepted,
                                      waiting_.evaluations() + attempts * evaluations_a_step_ + again};
    ScalarOps<Pack>::set(live_, lane, 0);
    --live_count_;
  }

  /// Loads the next copy into a lane, if there is one. Copies end at once if t_end equals t.
  void refill(int lane) {
    while (waiting_.any()) {
      copy_[static_cast<std::size_t>(lane)] = waiting_.take(lane, y_, slope_, parameters_, h_);
      for (Pack* count : {&attempts_, &accepted_}) ScalarOps<Pack>::set(*count, lane, 0);
      ScalarOps<Pack>::set(t_, lane, t_begin_);
      ScalarOps<Pack>::set(live_, lane, 1);
      control_.begin(lane);
      ++live_count_;
      if (direction_ * (t_end_ - t_begin_) > 0) return;
      give(lane, StepStatus::reached_end);
    }
  }

  Waiting& waiting_;
  Copies copies_;
  const IntegrateOptions& options_;
  IntegrateResult* results_;
  double t_begin_, t_end_, direction_;
  std::array<std::size_t, width> copy_{};
  int live_count_ = 0;
  long evaluations_a_step_ = 0;
  Method<F> method_;
  PiControl<Pack> control_{Method<F>::embedded_order};
  typename Row::Numbers y_;
  typename Row::Parameters parameters_;
  Tangent slope_;
  Pack t_{0}, h_{0}, live_{0}, attempts_{0}, accepted_{0};
};

}  // namespace torsor
