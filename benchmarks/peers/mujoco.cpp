#include <mujoco/mujoco.h>

#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "peers.hpp"

namespace peers {
namespace {

/// Deepest nesting of bodies that the model reader of MuJoCo 2.2 accepts, less a margin for the elements
/// around them.
constexpr int deepest_nesting = 90;

struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// The model reader accepts only files, so the model is put in MuJoCo's virtual file system, which is in
/// memory.
std::unique_ptr<mjModel, ModelDeleter> compile(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  std::array<char, 1000> why{};
  std::unique_ptr<mjModel, ModelDeleter> model(mj_loadXML("model.xml", files.get(), why.data(), why.size()));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error("MuJoCo: " + std::string(why.data()));
  return model;
}

class MujocoPeer final : public Peer {
 public:
  /// `speeds`: velocities of the first joints; the others start at rest. `bodies`: MuJoCo's body numbers in
  /// our order; empty if both orders agree.
  MujocoPeer(const std::string& xml, double step, std::vector<double> speeds, std::vector<int> bodies = {})
      : model_(compile(xml)),
        data_(mj_makeData(model_.get())),
        step_(step),
        speeds_(std::move(speeds)),
        bodies_(std::move(bodies)) {
    model_->opt.timestep = step;
    reset();
  }

  void reset() override {
    mj_resetData(model_.get(), data_.get());
    std::copy(speeds_.begin(), speeds_.end(), data_->qvel);
  }

  void run(double t_end) override {
    const double span = t_end - data_->time;
    const long steps = std::lround(span / step_);
    if (steps > 0) model_->opt.timestep = span / static_cast<double>(steps);  // ends exactly at t_end
    for (long i = 0; i < steps; ++i) mj_step(model_.get(), data_.get());
  }

  void evaluate() override { mj_forward(model_.get(), data_.get()); }

  std::array<double, 3> centre(int body) override {
    mj_kinematics(model_.get(), data_.get());
    const int number = bodies_.empty() ? body + 1 : bodies_[body];  // 0 is the world
    const mjtNum* x = data_->xipos + 3 * number;
    return {x[0], x[1], x[2]};
  }

  double energy() override {
    model_->opt.enableflags |= mjENBL_ENERGY;
    mj_forward(model_.get(), data_.get());
    model_->opt.enableflags &= ~mjENBL_ENERGY;
    return data_->energy[0] + data_->energy[1];
  }

 private:
  std::unique_ptr<mjModel, ModelDeleter> model_;
  std::unique_ptr<mjData, DataDeleter> data_;
  double step_;
  std::vector<double> speeds_;
  std::vector<int> bodies_;
};

struct Row {
  const std::array<double, 3>& a;
};
std::ostream& operator<<(std::ostream& out, Row row) {
  return out << '"' << row.a[0] << ' ' << row.a[1] << ' ' << row.a[2] << '"';
}

/// Opens one nested body. Its frame is at its ball joint, at the distance `from_parent` (m) along x from the
/// frame of its parent.
void open_body(std::ostream& xml, double from_parent, double mass, const std::array<double, 3>& centre,
               const std::array<double, 3>& inertia) {
  xml << "<body pos=\"" << from_parent << " 0 0\"><joint type=\"ball\"/><inertial mass=\"" << mass
      << "\" pos=" << Row{centre} << " diaginertia=" << Row{inertia} << "/>";
}

std::string model_of(int bodies, const std::string& opened) {
  std::ostringstream xml;
  xml.precision(17);
  xml << "<mujoco><option integrator=\"RK4\" gravity=\"0 0 " << -gravity
      << "\"><flag contact=\"disable\"/></option><worldbody>" << opened;
  for (int i = 0; i < bodies; ++i) xml << "</body>";
  xml << "</worldbody></mujoco>";
  return xml.str();
}

}  // namespace

std::unique_ptr<Peer> mujoco(const Top& top, double step) {
  std::ostringstream xml;
  xml.precision(17);
  open_body(xml, 0, top.mass, top.centre, top.inertia);
  return std::make_unique<MujocoPeer>(model_of(1, xml.str()), step,
                                      std::vector<double>(top.Omega.begin(), top.Omega.end()));
}

std::unique_ptr<Peer> mujoco(const Chain& chain, double step) {
  if (chain.rods > deepest_nesting) return nullptr;
  const double m = chain.mass, l = chain.length, r = chain.radius;
  const double along = m * r * r / 2, across = m * (3 * r * r + l * l) / 12;
  std::ostringstream xml;
  xml.precision(17);
  for (int i = 0; i < chain.rods; ++i)
    open_body(xml, i == 0 ? 0 : l, m, {l / 2, 0, 0}, {along, across, across});
  return std::make_unique<MujocoPeer>(model_of(chain.rods, xml.str()), step,
                                      std::vector<double>{0, 0, 1. / chain.rods});
}

/// A comb: each upright rod carries its coupler, and the far end of the coupler is connected to the next
/// upright rod. The connections are as stiff as the step size allows.
std::unique_ptr<Peer> mujoco(const FourBars& bars, double step) {
  const int n = bars.windows;
  const std::string hinge_and_mass =
      "<joint type=\"hinge\" axis=\"0 0 1\"/><inertial mass=\"1\" pos=\"0.5 0 0\" "
      "diaginertia=\"0.001 0.083333333333333329 0.083333333333333329\"/>";
  std::ostringstream rods, loops;
  for (int i = 0; i <= n; ++i) {
    rods << "<body name=\"rod" << i << "\" pos=\"" << i << " 0 0\" euler=\"0 0 90\">" << hinge_and_mass;
    if (i < n)
      rods << "<body name=\"coupler" << i << "\" pos=\"1 0 0\" euler=\"0 0 -90\">" << hinge_and_mass
           << "</body>";
    rods << "</body>";
    if (i < n)
      loops << "<connect body1=\"coupler" << i << "\" body2=\"rod" << i + 1 << "\" anchor=\"1 0 0\" solref=\""
            << 2 * step << " 1\" solimp=\"0.9999 0.9999 0.001\"/>";
  }
  const std::string xml =
      "<mujoco><option integrator=\"RK4\" gravity=\"0 -9.81 0\"><flag contact=\"disable\"/></option>"
      "<worldbody>" +
      rods.str() + "</worldbody><equality>" + loops.str() + "</equality></mujoco>";
  std::vector<double> speeds;
  std::vector<int> bodies;
  for (int i = 0; i <= n; ++i) speeds.push_back(-1), speeds.push_back(1), bodies.push_back(1 + 2 * i);
  speeds.pop_back();
  for (int i = 0; i < n; ++i) bodies.push_back(2 + 2 * i);
  return std::make_unique<MujocoPeer>(xml, step, speeds, bodies);
}

}  // namespace peers
