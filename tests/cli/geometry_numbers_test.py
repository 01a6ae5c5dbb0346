"""Every number of `torsor geometry --json` for the scenes below, compared with a computation from the scene file.

geometry_numbers_test.py TORSOR SCENES. Each scene is examined at its start and at a later time. Of the command's
results only the positions and velocities are used. They must satisfy the scene, the joints and the constraints as
written here. A key that is not computed here fails, and so does NaN. If all agree, each number, word and flag that the
command printed is altered, one at a time, and the comparison has to fail.

Mechanisms: bodies have absolute positions x and attitudes R, with the velocities V = (x', Omega), Omega in body axes.
Joints and constraints are functions of (x, R, t). Their first derivatives are complex steps, exact to rounding.
The derivatives of the first derivatives are central differences of order 8 with 1e-3 rad or m: relative errors of
1e-12. The equations of motion are solved by pseudo-inverses. The joint rates determine the velocities of the tree.

Coordinates: the metric is that of the particles, by complex steps; its derivatives are central differences of order 8.

Agreement: 1e-9 relative to the value, its vector or its tensor, or the greatest reaction, 1e-6 where the command
takes differences (S1 and S2 of mechanisms, inertia rate, damping, stiffness, growth), and 1e-11 where the value is 0.
Without numpy or tomllib the test exits with 77: skipped.
"""

import copy
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent / "geometry_numbers"))
try:
    import numpy  # noqa: F401
    import tomllib
except ImportError:
    print("skipped: no numpy (python3-numpy) or no tomllib (Python 3.11)")
    sys.exit(77)

from chart import Chart
from comparison import differences
from mechanism_report import MechanismReport

TORSOR, SCENES = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
MECHANISMS = ("rattleback", "whipple_bicycle", "gyrostat_in_gimbal", "satellite_reaction_wheel", "two_wheeled_cart",
              "falling_cat", "inertial_navigation")
COORDINATES = ("particle_on_torus", "foucault_pendulum", "magnetic_bottle", "relativistic_particle")
LATER = 0.3  # s, the second state of each scene


def torsor(*arguments):
    done = subprocess.run([TORSOR, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"failed: torsor {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def first_and_last(path):
    """The first and the last row of the table of results, which have all digits."""
    with tempfile.TemporaryDirectory() as folder:
        torsor("run", path, "-o", folder, "--format", "csv", "--set", f"run.end={LATER}", "--quiet")
        table = next(pathlib.Path(folder).glob("*.csv")).read_text().splitlines()
    rows = list(csv.DictReader(line for line in table if not line.startswith("#")))
    return rows[0], rows[-1]


def leaves(value, path=()):
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path, value


def alterations(printed):
    """Copies with one number, word or flag altered, one key added, or one number replaced by NaN."""
    for path, value in leaves(printed):
        wrong = [value + "x"] if isinstance(value, str) else [not value] if isinstance(value, bool) else [
            value + 1 if isinstance(value, int) and value != 0 else value + max(1e-5 * abs(value), 1e-6), math.nan]
        for other in wrong:
            altered = copy.deepcopy(printed)
            part = altered
            for key in path[:-1]:
                part = part[key]
            part[path[-1]] = other
            yield ".".join(map(str, path)), altered
    yield "keys", printed | {"unknown": 0}


def main():
    failures, count, version = [], 0, torsor("--version").split()[1]
    for name in MECHANISMS + COORDINATES:
        path = str((SCENES / f"{name}.toml").absolute())
        scene = tomllib.loads(pathlib.Path(path).read_text())
        system = Chart(scene) if "chart" in scene else MechanismReport(scene)
        for row in first_and_last(path):
            at = f"{name} at {row['t']} s"
            printed = json.loads(torsor("geometry", path, "--json", "--at", row["t"]))
            own = system.report(name, row, version)
            found = list(differences(own, printed, at))
            failures += found
            for section in printed if not found else ():
                for place, altered in alterations({section: printed[section]}):
                    count += 1
                    if not list(differences({section: own[section]}, altered)):
                        failures.append(f"{at}: not noticed: {place} altered")
    print("\n".join(failures) or f"{len(MECHANISMS + COORDINATES)} scenes agree; {count} alterations were noticed")
    sys.exit(1 if failures else 0)


main()
