#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "plugin_library.hpp"
#include "torsor/model/constraint.hpp"

namespace torsor::scene {

/// One instance of a plugin, with the parameters of its table in a scene. Its functions throw
/// std::runtime_error with the message of the plugin, or if a parameter, a wrench, the rate of a state or a
/// power is not finite. Only one thread at a time calls the instance.
class PluginInstance {
 public:
  /// `begin`: the beginning of the run, s.
  PluginInstance(std::shared_ptr<const PluginLibrary> library, int bodies,
                 std::vector<TimeFunction> parameters, double begin);
  ~PluginInstance();
  PluginInstance(const PluginInstance&) = delete;
  PluginInstance& operator=(const PluginInstance&) = delete;

  const torsor_plugin& descriptor() const { return library_->descriptor(); }

  void add_wrenches(const ForceElement::Input& input, std::vector<Wrench>& wrenches);
  ForceElement::Energy energy(const ForceElement::Input& input);
  /// The rate of one state. y: t, the motion of each body as in torsor_body, and the states.
  double state_rate(int state, const double* y);
  void put_rows(double t, const std::vector<BodyKinematics>& bodies, UserRows& values);

 private:
  void set_parameters(double t);
  void set_bodies(const std::vector<BodyKinematics>& bodies);
  torsor_input input_at(double t);
  void call_force(double t);
  template <class Function>
  void call(double t, const Function& function);

  const std::shared_ptr<const PluginLibrary> library_;
  const std::vector<TimeFunction> parameters_;
  void* instance_ = nullptr;

  std::mutex turn_;
  // Input and output of the calls.
  std::vector<torsor_body> bodies_;
  std::vector<double> states_, values_, rates_, accelerations_;  ///< the last three: of the parameters
  std::vector<torsor_wrench> wrenches_;
  std::vector<double> state_rates_, coefficients_;
  std::vector<double> rated_at_;  ///< the y of the last state_rate
  std::vector<double> rates_there_;
};

/// The motions of a body that a state of a plugin depends on, in the order of torsor_body.
std::vector<Measured> motions_of(int body);

}  // namespace torsor::scene
