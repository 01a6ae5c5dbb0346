#!/usr/bin/env python3
"""Writes tests/reference/magnetic_bottle.json: the motion of scenes/magnetic_bottle.toml by the equations of Newton and
Lorentz, m x'' = q x' x B, in Cartesian coordinates. The scene uses Lagrange's equations in cylindrical coordinates. The
script uses the Taylor series of mpmath with 40 digits.

    python3 tests/reference/make/magnetic_bottle.py > tests/reference/magnetic_bottle.json
"""
import json
from mpmath import mp, mpf, odefun, hypot

mp.dps = 40
mass, charge, field, length = mpf("1.2"), mpf("0.8"), mpf(6), mpf("0.9")
start = [mpf("0.3"), mpf(0), mpf(0), mpf(0), mpf("0.6"), mpf("0.5")]  # x, y, z and their rates


def rates(t, s):
    x, y, z, u, v, w = s
    bx, by, bz = -field * x * z / length**2, -field * y * z / length**2, field * (1 + z**2 / length**2)
    k = charge / mass
    return [u, v, w, k * (v * bz - w * by), k * (w * bx - u * bz), k * (u * by - v * bx)]


def digits(value):
    return float(mp.nstr(value, 20))


solution = odefun(rates, 0, start)
outputs = []
for t in (2, 5, 10):
    x, y, z, u, v, w = solution(t)
    r = hypot(x, y)
    outputs.append({
        "t": t,
        "position": [digits(c) for c in (x, y, z)],
        "velocity": [digits(c) for c in (u, v, w)],
        "r_z": [digits(r), digits(z)],
        "rates": [digits((x * u + y * v) / r), digits((x * v - y * u) / r**2), digits(w)],
    })
print(json.dumps({"scene": "magnetic_bottle", "method": "Taylor series of mpmath, 40 digits, Newton and Lorentz",
                  "outputs": outputs}, indent=1))
