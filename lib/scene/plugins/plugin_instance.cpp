#include "plugin_instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "run/plain_text.hpp"

namespace torsor::scene {
namespace {

constexpr std::size_t numbers_of_body = sizeof(torsor_body) / sizeof(double);

/// Calls a function of a plugin. If the function fails, throws its message.
template <class Function>
void call_plugin(const Function& function) {
  char message[TORSOR_MESSAGE_SIZE] = {};
  int code = 0;
  try {
    code = function(message);
  } catch (const std::exception& error) {
    throw std::runtime_error(plain_text(error.what()));
  } catch (...) {
    throw std::runtime_error("the plugin threw an object that is not an exception");
  }
  message[TORSOR_MESSAGE_SIZE - 1] = 0;
  if (code == 0) return;
  throw std::runtime_error(message[0] ? plain_text(message)
                                      : fmt::format("the plugin returned the error code {}", code));
}

void refuse_not_finite(std::span<const double> numbers, const char* what) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    throw std::runtime_error(fmt::format("the plugin returned a {} that is not finite", what));
}

/// The numbers of a struct that holds doubles only.
template <class Struct>
std::span<const double> numbers_in(const std::vector<Struct>& all) {
  return {reinterpret_cast<const double*>(all.data()), all.size() * sizeof(Struct) / sizeof(double)};
}

}  // namespace

PluginInstance::PluginInstance(std::shared_ptr<const PluginLibrary> library, int bodies,
                               std::vector<TimeFunction> parameters, double begin)
    : library_(std::move(library)), parameters_(std::move(parameters)), bodies_(bodies) {
  wrenches_.resize(bodies_.size());
  states_.resize(descriptor().state_count), state_rates_.resize(descriptor().state_count);
  values_.resize(parameters_.size()), rates_ = accelerations_ = values_;
  set_parameters(begin);
  if (descriptor().create)
    call_plugin(
        [&](char* message) { return descriptor().create(bodies, values_.data(), &instance_, message); });
}

PluginInstance::~PluginInstance() {
  if (descriptor().destroy) descriptor().destroy(instance_);
}

void PluginInstance::set_parameters(double t) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto value = parameters_[i].with_derivatives(t);
    values_[i] = value.value, rates_[i] = value.rate, accelerations_[i] = value.acceleration;
    if (!std::isfinite(value.value))
      throw std::runtime_error(
          fmt::format("the parameter \"{}\" is not finite", descriptor().parameters[i].name));
  }
}

void PluginInstance::set_bodies(const std::vector<BodyKinematics>& bodies) {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    torsor_body& body = bodies_[k];
    Eigen::Map<Vec3>(body.position) = bodies[k].X_WB.p;
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(body.rotation) = bodies[k].X_WB.R.matrix();
    Eigen::Map<Vec3>(body.velocity) = bodies[k].v_W;
    Eigen::Map<Vec3>(body.angular_velocity) = bodies[k].omega_W;
  }
}

torsor_input PluginInstance::input_at(double t) {
  return {t,
          static_cast<int>(bodies_.size()),
          bodies_.data(),
          states_.data(),
          values_.data(),
          rates_.data(),
          accelerations_.data()};
}

/// Calls function(input, message) with the bodies and states that are set.
template <class Function>
void PluginInstance::call(double t, const Function& function) {
  set_parameters(t);
  const torsor_input input = input_at(t);
  call_plugin([&](char* message) { return function(input, message); });
}

void PluginInstance::call_force(double t) {
  std::fill(wrenches_.begin(), wrenches_.end(), torsor_wrench());
  std::fill(state_rates_.begin(), state_rates_.end(), 0);
  call(t, [&](const torsor_input& input, char* message) {
    return descriptor().force(instance_, &input, wrenches_.data(), state_rates_.data(), message);
  });
  refuse_not_finite(numbers_in(wrenches_), "wrench");
  refuse_not_finite(state_rates_, "rate of a state");
}

void PluginInstance::add_wrenches(const ForceElement::Input& input, std::vector<Wrench>& wrenches) {
  const std::lock_guard guard(turn_);
  set_bodies(input.bodies);
  states_ = input.states;
  call_force(input.t);
  for (std::size_t k = 0; k < wrenches_.size(); ++k) {
    wrenches[k].force += Eigen::Map<const Vec3>(wrenches_[k].force);
    wrenches[k].torque += Eigen::Map<const Vec3>(wrenches_[k].torque);
  }
}

ForceElement::Energy PluginInstance::energy(const ForceElement::Input& input) {
  const std::lock_guard guard(turn_);
  set_bodies(input.bodies);
  states_ = input.states;
  ForceElement::Energy energy;
  call(input.t, [&](const torsor_input& in, char* message) {
    return descriptor().energy(instance_, &in, &energy.potential, &energy.power, message);
  });
  refuse_not_finite(std::span(&energy.power, 1), "power");
  return energy;
}

double PluginInstance::state_rate(int state, const double* y) {
  const std::lock_guard guard(turn_);
  const std::size_t count = 1 + bodies_.size() * numbers_of_body + states_.size();
  if (rated_at_.size() != count || !std::equal(rated_at_.begin(), rated_at_.end(), y)) {
    rated_at_.clear();  // stays empty if the call fails
    std::memcpy(bodies_.data(), y + 1, bodies_.size() * sizeof(torsor_body));
    states_.assign(y + count - states_.size(), y + count);
    call_force(y[0]);
    rates_there_ = state_rates_;
    rated_at_.assign(y, y + count);
  }
  return rates_there_[static_cast<std::size_t>(state)];
}

void PluginInstance::put_rows(double t, const std::vector<BodyKinematics>& bodies, UserRows& values) {
  const std::lock_guard guard(turn_);
  set_bodies(bodies);
  coefficients_.assign(6 * values.rows.size(), 0);
  torsor_rows rows{coefficients_.data(), values.offset.data(), values.rate.data(), values.phi.data()};
  call(t, [&](const torsor_input& input, char* message) {
    return descriptor().constraint(instance_, &input, &rows, message);
  });
  for (std::size_t i = 0; i < values.rows.size(); ++i)
    values.rows[i] = Eigen::Map<const Vector<double, 6>>(&coefficients_[6 * i]);
}

std::vector<Measured> motions_of(int body) {
  using Quantity = Measured::Quantity;
  std::vector<Measured> all;
  const auto add = [&](Quantity quantity, int components) {
    for (int i = 0; i < components; ++i) all.push_back({quantity, 0, i, {body}});
  };
  add(Quantity::position, 3), add(Quantity::rotation, 9);
  add(Quantity::velocity, 3), add(Quantity::angular_velocity, 3);
  return all;
}

}  // namespace torsor::scene
