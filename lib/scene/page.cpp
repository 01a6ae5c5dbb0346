// Writes the reference page of scene files from their schema, or checks that the page in a file is up to
// date.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scene/language/units.hpp"
#include "torsor/scene/scene.hpp"

namespace {

using Json = nlohmann::ordered_json;

std::string types(const Json& property) {
  if (property.contains("$ref") || property.value("type", Json()) == "object") return "table";
  std::string all;
  for (const Json& form : property.value("anyOf", Json::array()))
    all += (all.empty() ? "" : " or ") + types(form);
  if (!all.empty()) return all;
  for (const Json& type :
       property.at("type").is_array() ? property.at("type") : Json::array({property.at("type")})) {
    const std::string name = type.get<std::string>();
    if (name == "string" && property.at("type").is_array()) continue;  // a quantity: see the introduction
    all += (all.empty() ? "" : " or ") + name;
  }
  if (property.contains("minItems") && property.value("minItems", 0) == property.value("maxItems", -1))
    all += fmt::format(" of {}", property.at("minItems").get<int>());
  return all;
}

std::string range(const Json& property) {
  std::string text;
  if (property.contains("exclusiveMinimum"))
    text += fmt::format("> {} ", property.at("exclusiveMinimum").dump());
  if (property.contains("minimum")) text += fmt::format(">= {} ", property.at("minimum").dump());
  if (property.contains("maximum")) text += fmt::format("<= {} ", property.at("maximum").dump());
  if (property.contains("enum"))
    for (const Json& word : property.at("enum")) text += fmt::format("`{}` ", word.get<std::string>());
  for (const Json& form : property.value("anyOf", Json::array())) text += range(form);
  if (property.contains("items")) return text + range(property.at("items"));
  return text;
}

std::string name_of(const Json& reference) {
  return reference.at("$ref").get<std::string>().substr(std::string_view("#/definitions/").size());
}

/// A reference to the sections of the page that describe the keys of the inner tables.
std::string see(const Json& property) {
  if (property.contains("$ref")) return fmt::format(" See `{}`.", name_of(property));
  for (const Json& form : property.value("anyOf", Json::array()))
    if (form.contains("$ref")) return see(form);
  const Json items = property.value("items", Json::object());
  if (items.contains("$ref")) return fmt::format(" See `{}`.", name_of(items));
  std::string kinds;
  for (const Json& variant : items.value("oneOf", Json::array()))
    kinds += fmt::format("{}`{}`", kinds.empty() ? " See " : ", ", name_of(variant));
  return kinds.empty() ? kinds : kinds + ".";
}

/// Text for a cell of a Markdown table; escapes the bars, which would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string row(const std::string& key, const Json& property, bool required, const Json& schema) {
  const Json target = property.contains("$ref") ? schema.at("definitions").at(name_of(property)) : property;
  const std::string fallback =
      property.contains("default") ? fmt::format("`{}`", property.at("default").dump()) : std::string();
  return fmt::format("| `{}` | {}{} | {} | {} | {} | {} |\n", key, types(property),
                     property.value("expression", false) ? ", of t" : "", property.value("unit", ""),
                     range(property), required ? "needed" : fallback,
                     cell(target.value("description", "") + see(property)));
}

std::string table(const std::string& heading, const Json& object, const Json& schema) {
  std::string text = fmt::format(
      "\n## {}\n\n{}\n\n| key | value | unit | range | default | meaning |\n|---|---|---|---|---|---|\n",
      heading, object.at("description").get<std::string>());
  for (const auto& [key, property] : object.at("properties").items()) {
    const Json& required = object.value("required", Json::array());
    text += row(key, property, std::find(required.begin(), required.end(), key) != required.end(), schema);
  }
  return text;
}

std::string units() {
  std::map<std::string_view, std::string> by_si;
  std::vector<std::string_view> order;
  for (const auto& unit : torsor::scene::all_units()) {
    if (unit.suffix == unit.si) order.push_back(unit.si);
    by_si[unit.si] += fmt::format(" `{}`", unit.suffix);
  }
  std::string text;
  for (std::string_view si : order) text += fmt::format("{}{}", text.empty() ? "" : ";", by_si[si]);
  return text + ".";
}

constexpr const char* introduction = R"page(# Scene files

The target `scene_page` writes this page: `cmake --build build/release --target scene_page`. The text down to the units stands in
`lib/scene/page.cpp`, and the tables of keys come from `lib/scene/scene.schema.json`. To change the page, edit these files. A
test checks that the page agrees with them.

A scene is a TOML file. Its tables may stand in any order. Parts refer to each other by name.

```toml
gravity = [0, 0, -9.81]

[run]
end = "10 s"
output = "10 ms"

[[body]]
name = "bob"
mass = "500 g"
inertia = [1e-4, 1e-4, 1e-4]

[[joint]]
name = "hinge"
kind = "revolute"
child = "bob"
axis = [0, 1, 0]
child_frame.position = [0, 0, 1]
coordinates = "30 deg"
```

**Numbers.** A plain number is in SI units. A string is an expression; a unit may follow it: `"30 deg"`, `"2*pi"`,
`"0.1*sin(3*t) N"`. An expression can contain + - * / ^, parentheses, sin cos tan asin acos atan atan2 sinh cosh tanh
exp log sqrt pow, pi and e. Where the tables below say *of t*, it can also contain the time t in seconds. No unit can
stand inside an expression: the sine of 30 degrees is `sin(30*pi/180)`.

Under a tolerance, steps grow while the motion is slow. A smooth pulse that is shorter than a step, such as
`exp(-((t - 5)/0.001)^2)` or a pulse in an `"akima"` or `"cubic"` table, may fall between the times at which the step evaluates the
formula, and the motion then lacks the pulse without a message. Give [integrator] a `max_step` that is not longer than the pulse.

**Functions that are not smooth.** Formulas can also use these:

| function | value |
|---|---|
| `min(a, b, ...)`, `max(a, b, ...)` | the least, the greatest |
| `abs(x)`, `sign(x)`, `floor(x)` | sign(0) is 0 |
| `clamp(x, low, high)` | min(max(x, low), high) |
| `smoothstep(a, b, x)` | 3 s^2 - 2 s^3 with s = (x - a)/(b - a); 0 for s < 0, and 1 for s > 1. a and b must differ |
| `if(condition, u, w)` | u or w. A condition compares by < <= > >=, and joins comparisons by `and`, `or`, `not` |

A branch of `if` that is not taken may be infinite. A kink is a place where a formula is not smooth. In a number that
does not change with t, all functions are allowed. They are also allowed in gravity and other forces, and in states, samples
and events of a scene with bodies, because steps end at their kinks, and at the jump of atan2 between pi and -pi. In a
constraint, a formula of t must have two continuous derivatives (smoothstep has one); in a velocity constraint it must not
jump. A run ends where the formula of a constraint reaches the jump of atan2, unless the formula is continuous there. The
parameters of a plugin must not have kinks. The formulas of a `[chart]` may use abs and sign only, and the `value` of its
events must have one continuous derivative.

**Quantities of the motion** have names with dots, such as `joint.pivot.angle`. A part that is not a word stands in quotes:
`joint.'left-hub'.angle`. A definition that uses one is a quantity of the motion too. A formula that may depend on t
alone cannot use them.

**Tables.** `table("motor.csv", "torque", x)` interpolates a column of a file with comma-separated values, which lies in the
folder of the scene or below. The first line names the columns. The first column is the abscissa and increases. A unit may
follow a name, as in `torque [N*m]`, or all units stand in a line `# unit: s,N*m`, as in the tables that Torsor writes.
Values are converted to SI; without a unit they are in SI. Other lines that begin with # are ignored. Words in quotes may
follow x:

| word | interpolation |
|---|---|
| `"linear"` | lines between the points; the default. No continuous derivative |
| `"akima"` | modified Akima interpolation. One continuous derivative |
| `"cubic"` | the cubic spline: not-a-knot at the ends, or periodic. Two continuous derivatives |
| `"clamped"` | constant beyond the ends; the default. The slope jumps at the ends, so no derivative is continuous |
| `"periodic"` | the last point is the first one of the next period; their values must be equal |
| `"none"` | no value beyond the ends; a run that gets there fails |

`"akima"` and `"cubic"` need four points. The scene in a result contains the files that it used, in the table `files`, so
that the result can be read and repeated without them. All files of a scene may have 16 MiB in total.

**Named constants.** `[definitions]` names numbers, quantities and expressions. A definition may depend on t and on
other definitions, in any order. Every string that stands for a number can use these names, also in `[chart]` and in the
braces of a repetition. The `definitions` of a `[chart]` may also stand in any order:

```toml
[definitions]
length = "30 cm"
radius = "length/20"
mass = "7850*pi*radius^2*length"
beat = "2*pi*1.5"

[[body]]
name = "rod"
mass = "mass"
inertia = ["mass*length^2/12", "mass*length^2/12", "mass*radius^2/2"]
```

A definition with a unit is converted to SI, so no unit follows `"length/2"`. The unit is checked where a number, or a
single definition, stands for a quantity. Inside a formula all numbers are in SI units, and dimensions are not checked:
`"length + mass"` is accepted. Setting a definition on the command line (`--set definitions.length=0.4`) or in a study
changes everything that depends on it. scenes/andrews_mechanism.toml has 42 definitions.

**Attitudes** are given by one of the keys `quaternion_wxyz`, `rotation_vector`, `rows`, `roll_pitch_yaw`, `euler_zxz`
and `euler`. The key `euler` accepts all twelve sequences of axes: `euler = {axes = "zyx", angles = ["30 deg", 0, 0]}`.

**Repetition.** `repeat = 5` repeats a table five times. In its strings, `{i}` runs from 0 to 4, and formulas such as
`{i+1}` and `{2*i}` are evaluated: `name = "rod{i}"`, `parent = "rod{i}"`, `child = "rod{i+1}"`,
`mass = "0.5 + 0.1*{i}"`.

**Command line.** `torsor run --set body.bob.mass=2` replaces a value. The key addresses a part by its name, also in a
`[chart]` (`chart.constraint.rod.position`), and an element of an array by its index, counted from 0. A value that is
not valid TOML is read as a string. Setting `integrator.tolerance` removes `integrator.step`, and setting
`integrator.step` removes `integrator.tolerance`.

**Constraints.** Joints may close loops. The joints outside of the spanning tree, or the joints that `cut` names, become
constraints. All other constraints are tables `[[constraint]]`:

| kind | meaning | rows |
|---|---|---|
| `distance` | a massless rod between two points | 1 |
| `point-on-line`, `point-on-plane` | a point stays on a line; at a given distance from a plane | 2; 1 |
| `point-driver` | a point follows another point | up to 3 |
| `constant-angle` | the angle between two directions is constant, or a function of time | 1 |
| `constant-velocity` | homokinetic joint | 4 |
| `coupling`, `gear`, `rack-and-pinion` | ratios between joint coordinates | 1 |
| `driver` | a joint coordinate is a given function of time | 1 |
| `velocity` | a linear combination of velocities has a given value | 1 |
| `knife-edge` | the velocity along the normal of a blade is zero | 1 |
| `spin` | a component of an angular velocity has a given value | 1 |
| `rolling-sphere`, `rolling-disk`, `rolling-ellipsoid` | rolling without slip on a plane that may move | 3; 4 for an upright disk |
| `plugin` | the rows that a compiled library computes ([Extending Torsor](extending.md)) | any |

Lengths, angles, values and positions of points may be expressions of t. `torsor check` lists every row, says whether
the row depends on time and whether it is redundant, and prints the remaining degrees of freedom. The reader solves for
the part of the start that the scene does not give. If the given part violates the constraints, the error names them;
`consistent = "project"` projects the given part onto the constraints. With `constraints = "viscous"`, slip at the start
is allowed.

**Coordinates.** A system without bodies and joints is described by `[chart]`. The table names the coordinates and gives
a metric or particles, a potential, forces, quasi-velocities and constraint rows. All are expressions of the
coordinates, of their rates (`x'` is the rate of `x`) and of t. Derivatives are exact. `[[event]]` is the only
list of tables that may stand beside `[chart]`.

```toml
[chart]
coordinates = ["theta"]
start = ["60 * pi/180"]
potential = "-m*9.81*L*cos(theta)"
definitions = {m = 1.2, L = 0.8}

[[chart.particle]]
mass = "m"
position = ["L*sin(theta)", "0.1*sin(4*t) - L*cos(theta)"]
```

A definition of the coordinates and t has a rate, `l'` for the definition `l`. The formulas of a `[chart]` may use `abs` and
`sign`; the derivative of both is 0 at 0. Steps do not end at their kinks. If the motion stays at a kink, as the dry friction
`-sign(x')` keeps x' at 0, the step size becomes very small and the run makes almost no progress. Use a smooth function
there, such as `-tanh(x'/1e-3)`.

**Lagrangians.** `lagrangian` replaces `metric`, `potential` and the masses of particles by any regular Lagrangian L of the
coordinates, the rates and t. The equations of motion are d/dt dL/d(rate) - dL/d(coordinate) = force, or Hamel's equations of
the same L if `equations = "hamel"`. The mass matrix consists of the second derivatives of L by the rates. It may depend on the
rates, and it may be indefinite. A singular L is refused; the message names the directions that have no inertia. `dissipation`
is Rayleigh's function R. It adds the force -dR/d(rate), also in a scene with a metric:

```toml
[chart]                                  # a charged particle in a magnetic field, with drag
coordinates = ["x", "y"]
start = [1, 0]
rates = [0, 0.5]
lagrangian = "m*(x'^2 + y'^2)/2 + charge*B*(x*y' - y*x')/2"
dissipation = "drag*(x'^2 + y'^2)/2"
definitions = {m = 1, charge = 2, B = 0.5, drag = 0.01}
```

The energy is the Jacobi integral, the sum of rate times dL/d(rate), minus L. Its potential part is -L at rest (0 where L has
no value at rest). Without forces, the energy is constant if L does not depend on t. If L depends on t, the work includes the
integral of -dL/dt. If the mass matrix depends on the rates, positions are projected to the nearest position on the
constraints, where the distance is the root of the sum of squares of the displacement in quasi-velocities (in coordinates if
there are no quasi-velocities). `connection`, `time_metric`, `[reduced]` and
`constraints = "dynamic"` need a metric.

**Connections.** A motion has many connections: all connections that meet the weak condition ([glossary](glossary.md),
Compatibility) give the same accelerations.
`connection` names one in the frame of the quasi-velocities, or `[chart.connection]` states one: the affinities of `base`,
plus own affinities, plus any antisymmetric numbers `sigma`, in any frame. With the following table the sleigh of
scenes/chaplygin_sleigh_connections.toml moves by the Christoffel connection of its metric plus sigma, stated in a frame of
three vectors:

```toml
[chart.connection]
base = "christoffel"                        # or canonical-minus (the default: 0), canonical-zero, canonical-plus
sigma = {"forward: side, spin" = "0.7*m"}   # sigma_kij at "k: i, j": any numbers give the same motion

[chart.connection.frame]                    # or frame = "coordinates", "quasi-velocities"
forward = ["cos(heading)", "sin(heading)", 0]
side = ["-sin(heading)", "cos(heading)", 0]
spin = [0, 0, 1]
```

`affinities = {"phi, theta -> psi" = "-1/sin(theta)"}` states one component: the component along psi of the derivative
of the vector theta in the direction phi. The name t stands for the direction of time. The brackets of a frame are
computed by differentiation. A connection that does not give the motion is refused. The message gives the weak residual
and the affinity whose change alone reduces it most, with the value that this affinity would have to have. The condition
is checked at the start, at two positions near it, and at every output of a run: the residual must not be greater than
1e-9 of max abs(g) max abs(L), where each vector of the frame is scaled by a power of 2 to about unit length, and from
1e-12 on the affinities L are those of the Christoffel connection, so that a large `sigma` does not hide a wrong affinity;
differences of affinities that are only rounding of their terms count as 0 ([geometry](geometry.md)). A run whose
connection misses the condition at an output fails as `connection-lost`, and its result ends before that output. Under
constraint rows the condition is the same. A connection that meets it only for the velocities that the rows allow would
give the accelerations, but not the reactions, and is refused too. `torsor check` says whether a connection is
compatible weakly only or also strongly.

**Editors.** An editor with the TOML language server taplo (in VS Code, the extension Even Better TOML) explains each
key, completes it and marks errors while you type. For this, the first line of the scene names the schema by a path
relative to the scene: `#:schema ./scene.schema.json`. `torsor schema > scene.schema.json` writes the schema of scenes,
`torsor schema --study` prints the schema of studies. The installed schemas are in `share/torsor/`. `taplo lint` checks
files against the schema. `torsor check` also checks units, the ranges of expressions and the mechanism itself.

**Errors** are reported together, each with line and column. These are refused: a file over 64 MiB, a line over 1 MiB,
nesting deeper than 64 levels, more than a million tables, and an expression of more than 1024 characters (name
its parts in `[definitions]`).

**Units** by quantity:)page";

std::string page() {
  const Json schema = Json::parse(torsor::scene::scene_schema());
  std::string text = introduction + units() + "\n";
  Json top = schema;
  top["description"] = "The keys of the file itself.";
  text += table("The scene", top, schema);
  for (const auto& [name, definition] : schema.at("definitions").items())
    text += table(fmt::format("`{}`", name), definition, schema);
  return text;
}

}  // namespace

int main(int count, char** arguments) {
  const bool check = count == 3 && std::string(arguments[1]) == "--check";
  if (count != 2 && !check) {
    std::fputs("usage: torsor_scene_page [--check] FILE\n", stderr);
    return 2;
  }
  const std::string path = arguments[count - 1], text = page();
  if (!check) {
    std::ofstream file(path, std::ios::binary);
    return (file << text << std::flush) ? 0 : 4;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string present{std::istreambuf_iterator<char>(file), {}};
  if (present == text) return 0;
  fmt::print(stderr, "{} differs from the page that the schema gives; build the target scene_page\n", path);
  return 1;
}
