"""Reads every table that the command writes with numpy.genfromtxt(names=True), and with Python's csv module.
The csv module understands quotes, as pandas does. For both readers "#" begins a comment, and the first line
holds the names of the columns.

tables_test.py TORSOR runs the command in a folder of its own. Without numpy it exits with 77, the code of a
skipped test.
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: no numpy (python3-numpy)")
    sys.exit(77)

TORSOR = str(pathlib.Path(sys.argv[1]).absolute())
STUDY = """scene = "top.toml"
[[parameter]]
kind = "list"
key = "integrator.method"
values = ["rkmk4", "lie-verlet", "rkmk-dopri5"]
[[parameter]]
kind = "list"
key = "run.end"
values = ["20 ms", "30 ms"]
[[parameter]]
kind = "uniform"
key = "body.top.mass"
unit = "kg"
from = 10
to = 20
[keep]
columns = ["body.top.z"]
times = [0.01, 0.02]
events = true
"""


def check(good, what):
    if not good:
        sys.exit(f"failed: {what}")


def torsor(*arguments, codes=(0,)):
    done = subprocess.run([TORSOR, *arguments], capture_output=True, text=True)
    check(done.returncode in codes, f"torsor {' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def read(path):
    """Checks the properties that every table has; returns the table, and the unit of each column."""
    lines = pathlib.Path(path).read_text().splitlines()
    heads = lines[0].split(",")
    check(lines[1].startswith("# format: torsor/"), f"{path}: {lines[1]}")
    check(lines[2].startswith("# unit: "), f"{path}: {lines[2]}")
    units = lines[2][len("# unit: "):].split(",")
    check(len(units) == len(heads), f"{path}: {len(units)} units for {len(heads)} columns")
    rows = [line for line in lines[1:] if not line.startswith("#")]
    check(all(row.count(",") == len(heads) - 1 for row in rows), f"{path}: rows and first line differ in length")

    table = numpy.genfromtxt(path, delimiter=",", names=True, deletechars="", dtype=None, encoding="utf-8")
    check(list(table.dtype.names) == heads, f"{path}: numpy reads the column names {table.dtype.names}")
    check(table.size == len(rows), f"{path}: numpy reads {table.size} of {len(rows)} rows")
    cleaned = numpy.genfromtxt(path, delimiter=",", names=True)
    check(len(set(cleaned.dtype.names)) == len(heads), f"{path}: numpy's cleaning makes column names equal")
    without_comments = (line.split("#", 1)[0] for line in lines)
    frame = list(csv.DictReader(line for line in without_comments if line))
    check(list(frame[0]) == heads, f"{path}: csv reads the column names {list(frame[0])}")
    check(len(frame) == len(rows), f"{path}: csv reads {len(frame)} of {len(rows)} rows")
    for head in heads:
        if numpy.issubdtype(table[head].dtype, numpy.floating):
            numbers = [float(row[head] or "nan") for row in frame]
            same = numpy.array_equal(table[head].ravel(), numbers, equal_nan=True)
            check(same, f"{path}: numpy and csv read different values of {head}")
    return table.ravel(), dict(zip(heads, units))


def run_of_bodies():
    end = json.loads(torsor("run", "governor", "-o", "governor", "--json", "--set", "run.end=0.1"))
    table, unit = read("governor/governor.csv")
    last = table[-1]
    check(last["t"] == end["t"], "time")
    for name, body in end["bodies"].items():
        for k, axis in enumerate("xyz"):
            check(last[f"body.{name}.{axis}"] == body["x"][k], f"{name}.{axis}")
    for name, joint in end["joints"].items():
        for part in (joint["coordinates"], joint["rates"]):
            for label, value in part.items():
                check(last[f"joint.{name}.{label}"] == value, f"{name}.{label}")
                check(unit[f"joint.{name}.{label}"] in ("m", "rad", "m/s", "rad/s"), f"unit of {name}.{label}")
    for name, one in end["constraints"].items():
        check(last[f"constraint.{name}.multiplier_0"] == one["multiplier"][0], name)
        check(unit[f"constraint.{name}.power"] == "W", name)


def run_in_coordinates():
    end = json.loads(torsor("run", "hamel_mechanism", "-o", "chart", "--json", "--set", "run.end=0.1"))
    table, _ = read("chart/hamel_mechanism.csv")
    for name, at in end["coordinates"].items():
        check(table[-1][f"coordinate.{name}.rate"] == at["rate"], name)


def tables_of_a_batch():
    pathlib.Path("top.toml").write_text(
        '[run]\nend = 1\n[integrator]\ntolerance = 1e-6\n[[body]]\nname = "top"\nmass = 15\n'
        'inertia = [0.2, 0.4, 0.2]\nvelocity_world = [1, 0, 0]\nangular_velocity_body = [0, 150, 1]\n')
    pathlib.Path("study.toml").write_text(STUDY)
    torsor("batch", "study.toml", "-o", "batch", codes=(1,))
    table, unit = read("batch/table.csv")
    check(len(table) == 6 and unit["body.top.mass"] == "kg" and unit["body.top.z@0.01"] == "m", "batch")
    failed = table[table["status"] == "invalid-scene"]
    check(len(failed) == 2 and "lie-verlet" in failed[0]["message"], "the cases that fail")
    statistics, _ = read("batch/statistics.csv")
    row = statistics[statistics["column"] == "body.top.z@0.02"][0]
    check(row["unit"] == "m" and row["count"] == 4, "statistics")
    pathlib.Path("some.csv").write_text(
        torsor("table", "batch", "--columns", "case,body.top.mass,message", "--where", "case > 1"))
    some, unit = read("some.csv")
    check(len(some) == 4 and unit == {"case": "1", "body.top.mass": "kg", "message": ""}, "a part of a table")


def comparison():
    torsor("compare", "top.toml", "--methods", "rkmk4,lie-verlet", "--groups", "direct,semidirect", "--steps",
           "1e-3,5e-4", "-o", "compare", "--quiet")
    table, unit = read("compare/compare.csv")
    check(unit["step"] == "s" and unit["error"] == "m" and unit["cpu_s"] == "s", "units of a comparison")
    good = table[table["status"] == "reached-end"]
    check(len(good) >= 4 and numpy.all(numpy.isfinite(good["error"])), "runs of a comparison")


def curves():
    found = json.loads(torsor("geometry", "spherical_motion_313", "--follow", "0.1", "--curves", "curves.csv",
                              "--json"))["curves"]
    table, unit = read("curves.csv")
    check(unit["t"] == "s" and len(table) == 101, "curves")
    for name in table.dtype.names:
        check(numpy.array_equal(table[name], found[name]), name)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for test in (run_of_bodies, run_in_coordinates, tables_of_a_batch, comparison, curves):
        test()
    os.chdir("/")
