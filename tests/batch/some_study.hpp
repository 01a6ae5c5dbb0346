#pragma once

#include <string>

#include "cli/command.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::test {

/// A folder with the scene of a fast top, and studies of that scene.
class StudyFolder : public WorkFolder {
 public:
  StudyFolder() {
    write("top.toml",
          "gravity = [0, 0, -9.81]\n[run]\nend = 0.1\noutput = 0.02\n"
          "[integrator]\nmethod = \"rkmk4\"\nstep = 1e-3\n"
          "[[body]]\nname = \"top\"\nmass = 15\ninertia = [0.234375, 0.46875, 0.234375]\n"
          "angular_velocity_body = [0, 150, -4.61538]\n"
          "[[joint]]\nname = \"pivot\"\nkind = \"spherical\"\nchild = \"top\"\n"
          "child_frame.position = [0, -1, 0]\n"
          "[[event]]\nname = \"low\"\nquantity = \"joint-rate\"\njoint = \"pivot\"\ncoordinate = 2\n");
  }

  batch::Study study(const std::string& lines) const {
    return batch::load_study(write("study.toml", "scene = \"top.toml\"\n" + lines).string());
  }
};

/// Lets the top of a folder swing without spin, for 2 s. A step of 0.4 s is too large for it.
inline void write_swinging_top(const StudyFolder& folder) {
  std::string scene = read_text(folder.path / "top.toml");
  const auto put = [&scene](const std::string& old, const std::string& text) {
    scene.replace(scene.find(old), old.size(), text);
  };
  put("end = 0.1\noutput = 0.02", "end = 2\noutput = 1");
  put("[0, 150, -4.61538]", "[5, 0, 0]");
  folder.write("top.toml", scene);
}

inline const std::string random_attitude =
    "[[parameter]]\nkind = \"rotation\"\nkey = \"body.top.quaternion_wxyz\"\n";

/// Tops in random attitudes by two methods, with columns, times and events kept.
inline std::string tops(int draws) {
  return "seed = 7\ndraws = " + std::to_string(draws) + "\n" + random_attitude +
         "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"rkmk4\", \"cf4\"]\n"
         "[[parameter]]\nkind = \"normal\"\nkey = \"body.top.angular_velocity_body.1\"\nmean = 150\n"
         "deviation = 10\nsampling = \"latin\"\n"
         "[keep]\ncolumns = [\"body.top.z\"]\ntimes = [0.03, 0.1]\nevents = true\n"
         "reference = [\"integrator.step=5e-4\"]\n";
}

/// Runs a study to its end and returns its table.
inline std::string table_of(const batch::Study& study, batch::BatchOptions options) {
  return read_text(run_batch(study, options).table);
}

}  // namespace torsor::test
