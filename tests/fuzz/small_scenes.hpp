#pragma once

#include <array>
#include <string>

namespace torsor::fuzz {

struct SmallScene {
  const char *name, *parts;
  /// The text of the scene with a run of one step.
  std::string text() const {
    return std::string("title = \"a\"\n[run]\nend = 1\n[integrator]\nmethod = \"rkmk4\"\nstep = 1\n") + parts;
  }
};

/// Scenes with bodies, forces, a gear, rolling, particles, definitions and repetitions, or coordinates. They
/// are short because most of the time of an input is spent on its scene.
constexpr std::array<SmallScene, 6> small_scenes{{
    {"top", R"([definitions]
m = "1 kg"
[[body]]
name = "a"
mass = "m"
inertia = [1, 1, 1]
[[joint]]
name = "b"
kind = "spherical"
child = "a"
[[point]]
name = "p"
body = "a"
position = [1, 0, 0]
[[force]]
name = "s"
kind = "spring"
from = {body = "a", position = [1, 0, 0]}
to = {body = "ground", position = [3, 0, 0]}
stiffness = 1
)"},
    {"loop", R"([[body]]
name = "a{i}"
repeat = 2
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "j{i}"
repeat = 2
kind = "revolute"
child = "a{i}"
[[constraint]]
name = "c"
kind = "gear"
leader = "j0"
follower = "j1"
ratio = 2
)"},
    {"disk", R"([[body]]
name = "a"
mass = 1
inertia = [1, 2, 1]
position = [0, 0, 1]
[[constraint]]
name = "c"
kind = "rolling-disk"
body = "a"
axis = [0, 1, 0]
radius = "1 m"
)"},
    {"particles", R"([[particle]]
name = "a"
mass = 1
position = [0, 0, 0]
[[particle]]
name = "b"
mass = 1
position = [1, 0, 0]
[[particle]]
name = "c"
mass = 1
position = [0, 1, 0]
[[particle]]
name = "e"
mass = 1
position = [1, 1, 0]
[[rigid_particles]]
name = "r"
nodes = ["a", "b"]
[[constraint]]
name = "d"
kind = "distance"
from.body = "e"
to.body = "c"
length = 1
)"},
    {"chart", R"([chart]
coordinates = ["x", "y"]
metric = [["m", 0], [0, 1]]
potential = "x^2/2"
start = [1, 0]
rates = [0, 0]
[chart.definitions]
m = 1
)"},
    {"lagrangian", R"toml([chart]
coordinates = ["x", "y"]
lagrangian = "x'^2/2 + l'^2*y'^4 - abs(x)"
dissipation = "x'^2*sign(y')"
start = [1, 1]
rates = [0, 1]
[chart.definitions]
l = "1 + sin(x)*y^2"
)toml"},
}};

}  // namespace torsor::fuzz
