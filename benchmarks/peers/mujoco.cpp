#include <mujoco/mujoco.h>

#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

#include "peers.hpp"

namespace peers {
namespace {

/// Deepest nesting of bodies that the model reader of version 2.2 takes, with room for the elements around
/// them.
constexpr int deepest_nesting = 90;

struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// The model reader takes files alone; MuJoCo's virtual file system is one in memory.
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
  MujocoPeer(const std::string& xml, double step, const std::array<double, 3>& Omega)
      : model_(compile(xml)), data_(mj_makeData(model_.get())), Omega_(Omega) {
    model_->opt.timestep = step;
    reset();
  }

  void reset() override {
    mj_resetData(model_.get(), data_.get());
    std::copy(Omega_.begin(), Omega_.end(), data_->qvel);
  }

  void run(double t_end) override {
    const auto steps = std::lround((t_end - data_->time) / model_->opt.timestep);
    for (long i = 0; i < steps; ++i) mj_step(model_.get(), data_.get());
  }

  void evaluate() override { mj_forward(model_.get(), data_.get()); }

  std::array<double, 3> centre(int body) override {
    mj_kinematics(model_.get(), data_.get());
    const mjtNum* x = data_->xipos + 3 * (body + 1);  // body 0 is the world
    return {x[0], x[1], x[2]};
  }

 private:
  std::unique_ptr<mjModel, ModelDeleter> model_;
  std::unique_ptr<mjData, DataDeleter> data_;
  std::array<double, 3> Omega_;
};

struct Row {
  const std::array<double, 3>& a;
};
std::ostream& operator<<(std::ostream& out, Row row) {
  return out << '"' << row.a[0] << ' ' << row.a[1] << ' ' << row.a[2] << '"';
}

/// One nested body: its frame at its ball joint, `from_parent` away from the parent's.
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
  return std::make_unique<MujocoPeer>(model_of(1, xml.str()), step, top.Omega);
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
                                      std::array<double, 3>{0, 0, 1. / chain.rods});
}

}  // namespace peers
