#include <Simbody.h>

#include "peers.hpp"

namespace peers {
namespace {

SimTK::Vec3 vec3(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

SimTK::Vec3 falling_along(int axis) {
  SimTK::Vec3 g(0);
  g[axis] = -gravity;
  return g;
}

class SimbodyPeer final : public Peer {
 public:
  explicit SimbodyPeer(double accuracy, int down = 2)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, falling_along(down)),
        accuracy_(accuracy) {}

  /// Adds a body with its frame at the mass centre, on a ball joint between a point of its parent and a
  /// point of its own.
  void add_ball(const SimTK::MassProperties& mass, const SimTK::Vec3& in_parent,
                const SimTK::Vec3& in_child) {
    SimTK::MobilizedBody& parent = bodies_.empty() ? matter_.Ground() : bodies_.back();
    bodies_.push_back(SimTK::MobilizedBody::Ball(parent, SimTK::Transform(in_parent),
                                                 SimTK::Body::Rigid(mass), SimTK::Transform(in_child)));
  }

  /// Adds a body on a hinge about z between a point of a body (-1: the ground) and a point of its own.
  /// Returns its number.
  int add_hinge(int parent, const SimTK::MassProperties& mass, const SimTK::Vec3& in_parent,
                const SimTK::Vec3& in_child) {
    bodies_.push_back(SimTK::MobilizedBody::Pin(parent < 0 ? matter_.Ground() : bodies_[parent],
                                                SimTK::Transform(in_parent), SimTK::Body::Rigid(mass),
                                                SimTK::Transform(in_child)));
    return static_cast<int>(bodies_.size()) - 1;
  }

  /// Adds a loop constraint: two points of two bodies coincide.
  void close(int body, const SimTK::Vec3& on_body, int other, const SimTK::Vec3& on_other) {
    SimTK::Constraint::Ball(bodies_[body], on_body, bodies_[other], on_other);
  }

  /// Starts from the angles (rad) and rates (rad/s) of all hinges.
  void start(const std::vector<double>& angle, const std::vector<double>& rate) {
    start_ = system_.realizeTopology();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      bodies_[i].setOneQ(start_, 0, angle[i]);
      bodies_[i].setOneU(start_, 0, rate[i]);
    }
    system_.realize(start_, SimTK::Stage::Acceleration);
    state_ = start_;
  }

  /// Starts with the angular velocity w (rad/s) of the first body relative to the ground. All other bodies
  /// are at rest relative to their parents.
  void start(const SimTK::Vec3& w) {
    start_ = system_.realizeTopology();
    bodies_.front().setUToFitAngularVelocity(start_, w);
    system_.realize(start_, SimTK::Stage::Acceleration);
    state_ = start_;
  }

  void reset() override { state_ = start_; }

  void run(double t_end) override {
    SimTK::RungeKuttaMersonIntegrator integrator(system_);
    integrator.setAccuracy(accuracy_);
    integrator.setFinalTime(t_end);
    integrator.initialize(state_);
    while (integrator.getTime() < t_end) integrator.stepTo(t_end);
    state_ = integrator.getState();
  }

  void evaluate() override {
    // Write access invalidates all results that depend on q and u; invalidating a stage does not.
    state_.updQ();
    state_.updU();
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  std::array<double, 3> centre(int body) override {
    system_.realize(state_, SimTK::Stage::Position);
    const SimTK::Vec3 x = bodies_[body].getBodyOriginLocation(state_);
    return {x[0], x[1], x[2]};
  }

  double energy() override {
    system_.realize(state_, SimTK::Stage::Dynamics);
    return system_.calcEnergy(state_);
  }

 private:
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::UniformGravity gravity_;
  std::vector<SimTK::MobilizedBody> bodies_;
  SimTK::State start_, state_;
  double accuracy_;
};

}  // namespace

std::unique_ptr<Peer> simbody(const Top& top, double accuracy) {
  auto peer = std::make_unique<SimbodyPeer>(accuracy);
  const SimTK::Vec3 J = vec3(top.inertia);
  peer->add_ball({top.mass, SimTK::Vec3(0), SimTK::Inertia(J[0], J[1], J[2])}, SimTK::Vec3(0),
                 -vec3(top.centre));
  peer->start(vec3(top.Omega));
  return peer;
}

std::unique_ptr<Peer> simbody(const Chain& chain, double accuracy) {
  auto peer = std::make_unique<SimbodyPeer>(accuracy);
  const double m = chain.mass, l = chain.length, r = chain.radius;
  const double along = m * r * r / 2, across = m * (3 * r * r + l * l) / 12;
  const SimTK::MassProperties mass(m, SimTK::Vec3(0), SimTK::Inertia(along, across, across));
  for (int i = 0; i < chain.rods; ++i)
    peer->add_ball(mass, SimTK::Vec3(i == 0 ? 0 : l / 2, 0, 0), SimTK::Vec3(-l / 2, 0, 0));
  peer->start(SimTK::Vec3(0, 0, 1. / chain.rods));
  return peer;
}

std::unique_ptr<Peer> simbody(const FourBars& bars, double accuracy) {
  auto peer = std::make_unique<SimbodyPeer>(accuracy, 1);
  const SimTK::MassProperties rod(1, SimTK::Vec3(0), SimTK::Inertia(1e-3, 1. / 12, 1. / 12));
  const SimTK::Vec3 tip(0.5, 0, 0);
  const int n = bars.windows;
  std::vector<double> angle, rate;
  for (int i = 0; i <= n; ++i) {
    peer->add_hinge(-1, rod, SimTK::Vec3(i, 0, 0), -tip);
    angle.push_back(SimTK::Pi / 2), rate.push_back(-1);
  }
  for (int i = 0; i < n; ++i) {
    const int coupler = peer->add_hinge(i, rod, tip, -tip);
    angle.push_back(-SimTK::Pi / 2), rate.push_back(1);
    peer->close(i + 1, tip, coupler, tip);
  }
  peer->start(angle, rate);
  return peer;
}

}  // namespace peers
