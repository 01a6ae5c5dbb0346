#!/usr/bin/env python3
"""docs/energy_drift.py TORSOR FOLDER: draws docs/energy_drift.svg, the energy error of symplectic, time-symmetric and
explicit methods over a million steps. FOLDER keeps the results of the runs; the runs that it lacks are made first.
All of them take about forty minutes of one core."""

import csv
import math
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent
STEPS, SAMPLES = 1_000_000, 1000
COLOURS = {"rkmk4": "#1d8a5f", "rkmk-dop853": "#8a6d00", "lie-verlet": "#d9641e", "lie-verlet4": "#1f5fbf",
           "lie-verlet6": "#7450c0", "lie-midpoint4": "#b03070", "rattlie4": "#1f5fbf"}

# title, scene, step size in s, first exponent and last exponent of the axis, (method, formulation)
PANELS = [
    ("Heavy top, steps of 10 ms", "heavy_top_slow", 0.01, (-11, 3),
     [("rkmk4", "tree"), ("rkmk-dop853", "tree"), ("lie-verlet", "tree"), ("lie-verlet4", "tree"),
      ("lie-verlet6", "tree")]),
    ("Chain of three rods, steps of 5 ms", "chain3_spherical", 0.005, (-11, 1),
     [("rkmk4", "tree"), ("rkmk-dop853", "tree"), ("lie-midpoint4", "tree"), ("rattlie4", "absolute")]),
    ("Four-bar, steps of 10 ms", "fourbar", 0.01, (-11, 1),
     [("rkmk4", "tree"), ("rkmk-dop853", "tree"), ("rattlie4", "absolute")]),
    ("Six-bar of Bricard, steps of 20 ms", "bricard", 0.02, (-13, -1),
     [("rkmk4", "tree"), ("rkmk-dop853", "tree"), ("rattlie4", "absolute")]),
]


def scene_file(name, folder):
    """The file of a scene. The scene "fourbar" is fourbar_driven without the constraint that drives it."""
    scenes = DOCS.parent / "scenes"
    if name != "fourbar":
        return scenes / f"{name}.toml"
    copy = folder / "fourbar.toml"
    copy.write_text((scenes / "fourbar_driven.toml").read_text().split("[[constraint]]")[0])
    return copy


def energy_errors(torsor, folder, scene, method, formulation, step):
    """The greatest energy error so far, J, after each thousandth part of the steps."""
    result = folder / f"{scene}.{method}"
    if not result.exists():
        settings = {"integrator.method": method, "integrator.formulation": formulation, "integrator.step": step,
                    "run.end": step * STEPS, "run.output": step * STEPS / SAMPLES}
        options = [word for key, value in settings.items() for word in ("--set", f"{key}={value:.12g}"
                   if isinstance(value, float) else f"{key}={value}")]
        subprocess.run([torsor, "run", scene_file(scene, folder), *options, "--format", "csv", "--quiet", "-o", result],
                       check=True)
    with open(next(result.glob("*.csv")), encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    start, greatest, errors = float(rows[0]["energy"]), 0, []
    for row in rows[1:]:
        greatest = max(greatest, abs(float(row["energy"]) - start - float(row["work"])))
        errors.append((float(row["t"]) / step, greatest))
    return errors


def power(exponent):
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def panel(title, curves, exponents, left, top, width=300, height=230):
    low, high = exponents
    x = lambda steps: left + width * (math.log10(steps) - 3) / 3
    y = lambda error: top + height * (high - math.log10(max(error, 10.0**low))) / (high - low)
    parts = [f'<text x="{left}" y="{top - 10}" font-weight="bold">{title}</text>']
    for exponent in range(low, high + 1, 2):
        parts.append(f'<path d="M{left} {y(10.0**exponent):.1f}h{width}" stroke="#d9dde2"/>')
        parts.append(f'<text x="{left - 7}" y="{y(10.0**exponent) + 4:.1f}" text-anchor="end">{power(exponent)}</text>')
    for exponent in range(3, 7):
        parts.append(f'<path d="M{x(10.0**exponent):.1f} {top}v{height}" stroke="#d9dde2"/>')
        parts.append(f'<text x="{x(10.0**exponent):.1f}" y="{top + height + 17}" text-anchor="middle">{power(exponent)}</text>')
    parts.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#444"/>')
    for number, (method, errors) in enumerate(curves):
        colour, dash = COLOURS[method], ' stroke-dasharray="7 3"' if method.startswith("rkmk") else ""
        pixels = {round(x(steps)): f"{x(steps):.1f},{y(error):.1f}" for steps, error in errors}  # the last of each
        points = " ".join(pixels.values())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        row = top + height + 42 + 18 * (number // 3)
        column = left + 118 * (number % 3) - 30
        parts.append(f'<path d="M{column} {row - 4}h20" stroke="{colour}" stroke-width="2"{dash}/>')
        parts.append(f'<text x="{column + 25}" y="{row}">{method}</text>')
    return parts


def main(torsor, folder):
    folder.mkdir(parents=True, exist_ok=True)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="760" height="680" viewBox="0 0 760 680" '
             'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" font-size="12" fill="#1c2430">',
             '<rect width="100%" height="100%" fill="#ffffff"/>',
             '<text x="14" y="20">Greatest energy error so far (J) over the number of steps</text>']
    for number, (title, scene, step, exponents, runs) in enumerate(PANELS):
        curves = [(method, energy_errors(torsor, folder, scene, method, formulation, step))
                  for method, formulation in runs]
        parts += panel(title, curves, exponents, 58 + 370 * (number % 2), 56 + 340 * (number // 2))
    (DOCS / "energy_drift.svg").write_text("\n".join([*parts, "</svg>", ""]), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
