#include <Simbody.h>

#include "peers.hpp"

namespace peers {
namespace {

SimTK::Vec3 vec3(const std::array<double, 3>& a) { return {a[0], a[1], a[2]}; }

class SimbodyPeer final : public Peer {
 public:
  explicit SimbodyPeer(double accuracy)
      : matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, SimTK::Vec3(0, 0, -gravity)),
        accuracy_(accuracy) {}

  /// A body, its frame at the mass centre, on a ball joint at a point of its parent and of its own.
  void add_ball(const SimTK::MassProperties& mass, const SimTK::Vec3& in_parent,
                const SimTK::Vec3& in_child) {
    SimTK::MobilizedBody& parent = bodies_.empty() ? matter_.Ground() : bodies_.back();
    bodies_.push_back(SimTK::MobilizedBody::Ball(parent, SimTK::Transform(in_parent),
                                                 SimTK::Body::Rigid(mass), SimTK::Transform(in_child)));
  }

  /// `w`: angular velocity of the first body in the ground; all others are at rest in their parents.
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
    state_.updQ();  // writing access marks what depends on q and u as stale; invalidating a stage does not
    state_.updU();
    system_.realize(state_, SimTK::Stage::Acceleration);
  }

  std::array<double, 3> centre(int body) override {
    system_.realize(state_, SimTK::Stage::Position);
    const SimTK::Vec3 x = bodies_[body].getBodyOriginLocation(state_);
    return {x[0], x[1], x[2]};
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

}  // namespace peers
