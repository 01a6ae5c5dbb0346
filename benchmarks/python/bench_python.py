"""Compares the time and the accuracy of the Python package and SciPy: maps of rotations, and the heavy top. Also
measures the time of a run of one step.

    PYTHONPATH=build/release/lib/python3.11/dist-packages /usr/bin/python3 benchmarks/python/bench_python.py

Needs python3-scipy. Each time is the shortest of several repetitions.
"""

import sys
import time

import numpy as np
import torsor

try:
    from scipy.integrate import solve_ivp
    from scipy.spatial.transform import Rotation
except ImportError:
    print("skipped: no SciPy (python3-scipy)")
    sys.exit(77)


def least_time(call, times):
    least = np.inf
    for _ in range(times):
        begin = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - begin)
    return least


def rotations(n=1_000_000):
    """Measures maps of n rotations. The error is the greatest component of log(exp(w)) - w."""
    w = np.random.default_rng(1).normal(size=(n, 3))
    p = np.random.default_rng(2).normal(size=(n, 3))
    q, r = torsor.SO3.exp(w), Rotation.from_rotvec(w)
    angle = np.linalg.norm(w, axis=1)
    below = angle < np.pi  # log returns a rotation vector of at most pi
    errors = [np.max(np.abs(log - w)[below]) for log in (torsor.SO3.log(q), r.as_rotvec())]
    print(f"{n} rotations, error of log(exp(w)): torsor {errors[0]:.1e}, scipy {errors[1]:.1e}")
    print("  ns each                    torsor    scipy   ratio")
    for name, ours, theirs in (
        ("exp", lambda: torsor.SO3.exp(w), lambda: Rotation.from_rotvec(w)),
        ("log", lambda: torsor.SO3.log(q), lambda: r.as_rotvec()),
        ("compose", lambda: torsor.SO3.compose(q, q), lambda: r * r),
        ("act", lambda: torsor.SO3.act(q, p), lambda: r.apply(p)),
    ):
        a, b = least_time(ours, 15), least_time(theirs, 15)
        print(f"  {name:24} {a / n * 1e9:8.2f} {b / n * 1e9:8.2f} {b / a:7.1f}")


def field_of_top(scene):
    """The equations of the heavy top about its pivot, in NumPy, for quaternion (w, x, y, z) and Omega in body axes."""
    mass, arm, g = 15.0, np.array([0.0, 1.0, 0.0]), 9.81
    J = np.array(scene["body.top.inertia"]) + mass * np.array([1.0, 0.0, 1.0])
    weight = mass * g

    def field(t, x):
        w, a, b, c, p, q, r = x
        # The vertical in body axes, for the moment of the weight.
        vx, vy, vz = 2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)
        return np.array(
            [
                -0.5 * (a * p + b * q + c * r),
                0.5 * (w * p + b * r - c * q),
                0.5 * (w * q + c * p - a * r),
                0.5 * (w * r + a * q - b * p),
                ((J[1] - J[2]) * q * r - weight * arm[1] * vz) / J[0],
                (J[2] - J[0]) * r * p / J[1],
                ((J[0] - J[1]) * p * q + weight * arm[1] * vx) / J[2],
            ]
        )

    return field


def heavy_top():
    """Measures the time that each package needs for an error of the mass centre below 1e-9 m at 2 s."""
    scene = torsor.load("heavy_top_bruls")
    end = scene.run(step=1e-4, method="rkmk-dop853", output=2).body("top").x[-1]
    scene["run.output"] = 2
    field, start = field_of_top(scene), np.array([1, 0, 0, 0, 0, 150, -4.61538])

    def torsor_error(tolerance):
        return np.linalg.norm(scene.run(tolerance=tolerance, method="rkmk-dop853").body("top").x[-1] - end)

    def scipy_run(tolerance):
        return solve_ivp(field, (0, 2), start, method="DOP853", rtol=tolerance, atol=tolerance)

    def scipy_error(tolerance):
        q = torsor.SO3.normalized(scipy_run(tolerance).y[:4, -1])
        return np.linalg.norm(torsor.SO3.act(q, [0, 1, 0]) - end)

    tolerances = 10.0 ** np.arange(-6, -14.1, -0.5)
    ours = next(tolerance for tolerance in tolerances if torsor_error(tolerance) < 1e-9)
    theirs = next((tolerance for tolerance in tolerances if scipy_error(tolerance) < 1e-9), None)
    a = least_time(lambda: scene.run(tolerance=ours, method="rkmk-dop853"), 15)
    print("heavy top to 2 s, error of its mass centre below 1e-9 m")
    print(f"  torsor rkmk-dop853       {a * 1e3:8.2f} ms   tolerance {ours:.0e}, error {torsor_error(ours):.1e} m")
    if theirs is None:
        print("  scipy DOP853 does not reach this accuracy")
        return
    b = least_time(lambda: scipy_run(theirs), 3)
    print(f"  scipy DOP853             {b * 1e3:8.2f} ms   tolerance {theirs:.0e}, error {scipy_error(theirs):.1e} m")
    print(f"  ratio                    {b / a:8.1f}")


def short_run():
    scene = torsor.load("heavy_top_bruls")
    scene.update({"run.end": 1e-4, "integrator.step": 1e-4})
    print(f"a run of one step          {least_time(scene.run, 20000) * 1e6:8.2f} us")


if __name__ == "__main__":
    rotations()
    heavy_top()
    short_run()
