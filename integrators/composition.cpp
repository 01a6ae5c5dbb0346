#include "integrators/composition.hpp"

#include <array>
#include <utility>

#include "guard.hpp"

namespace torsor {
namespace {

/// Suzuki, Phys. Lett. A 146 (1990) 319-323: g = 1 / (4 - 4^(1/3)) four times and 1 - 4 g in the middle.
constexpr std::array<double, 5> suzuki{
    0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857,
    0.41449077179437573714, 0.41449077179437573714,
};

/// Sofroniou, Spaletta, Optim. Methods Softw. 20 (2005) 597-613.
constexpr std::array<double, 11> sofroniou_spaletta{
    0.21375583945878254556, 0.18329381407425713911, 0.17692819473098943795, -0.44329082681170215850,
    0.11728560432865935385, 0.50405474843802736405, 0.11728560432865935385, -0.44329082681170215850,
    0.17692819473098943795, 0.18329381407425713911, 0.21375583945878254556,
};

}  // namespace

const CompositionTable suzuki_table{4, suzuki}, sofroniou_spaletta_table{6, sofroniou_spaletta};

Composition::Composition(std::unique_ptr<Stepper> method, const CompositionTable& table)
    : method_(std::move(method)), table_(table) {}

StepStatus Composition::do_step(const System& system, State& x, double t, double h, Vec*) {
  return guarded(message_, part_, h, [&] {
    next_ = x;
    double c = 0;
    for (const double gamma : table_.gamma) {
      const StepStatus status = method_->do_step(system, next_, t + c * h, gamma * h);
      if (status != StepStatus::accepted) {
        message_ = method_->message();
        part_ = method_->part();
        return status;
      }
      c += gamma;
    }
    std::swap(x, next_);
    return StepStatus::accepted;
  });
}

}  // namespace torsor
