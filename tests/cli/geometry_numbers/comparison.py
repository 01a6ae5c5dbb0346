"""Numbers that the command has to print, formulas of scenes, and rotations."""

import functools
import math
import re

import numpy as np

EXACT, DIFFERENCES, ZERO = 1e-9, 1e-6, 1e-11
UNITS = {"cm": 0.01, "m": 1, "kg": 1, "deg": math.pi / 180, "rad": 1, "rad/s": 1, "m/s^2": 1, "s": 1}


class Names(dict):
    """Functions, variables and definitions; a definition is evaluated where it is used."""

    def __init__(self, definitions, **variables):
        super().__init__(variables, sin=np.sin, cos=np.cos, tan=np.tan, sqrt=np.sqrt, pi=math.pi)
        self.definitions = definitions

    def __missing__(self, name):
        return self.value(self.definitions[name])

    def value(self, formula):
        if isinstance(formula, list):
            return np.array([self.value(part) for part in formula])
        if not isinstance(formula, str):
            return formula
        quantity = re.fullmatch(r"(.*[\w)])\s+(\S+)", formula)
        if quantity and quantity[2] in UNITS:
            return self.value(quantity[1]) * UNITS[quantity[2]]
        return eval(compiled(formula), {"__builtins__": {}}, self)


@functools.cache
def compiled(formula):
    return compile(formula.replace("^", "**"), formula, "eval")


def number(value, relative=EXACT, scale=None):
    """A predicate: whether the command printed `value`. `scale`: the length of the vector that has this component."""
    tolerance = max(relative * (abs(value) if scale is None else scale), ZERO)
    return lambda printed: type(printed) in (int, float) and abs(printed - value) <= tolerance


def vector(values, relative=EXACT, scale=None):
    scale = float(np.linalg.norm(values)) if scale is None else scale
    return [number(value, relative, scale) for value in values]


def differences(own, printed, path=""):
    """Yields the places where `printed` differs from `own`."""
    if callable(own):
        if not own(printed):
            yield f"{path}: {printed}"
    elif isinstance(own, dict):
        if not isinstance(printed, dict) or list(own) != list(printed):
            yield f"{path}: keys {list(printed) if isinstance(printed, dict) else printed}, not {list(own)}"
        else:
            for key in own:
                yield from differences(own[key], printed[key], f"{path}.{key}")
    elif isinstance(own, list):
        if not isinstance(printed, list) or len(own) != len(printed):
            yield f"{path}: {printed}"
        else:
            for index, part in enumerate(own):
                yield from differences(part, printed[index], f"{path}[{index}]")
    elif type(own) is not type(printed) or own != printed:
        yield f"{path}: {printed}, not {own}"


def skew(a):
    zero = 0 * a[0]
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]])


def rotation(a):
    angle = np.linalg.norm(a)
    K = skew(np.asarray(a))
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * K @ K


def exponential(M):
    """The exponential of a matrix: Taylor's series of M/1024, squared ten times."""
    power = out = np.eye(len(M))
    for k in range(1, 20):
        power = power @ M / (1024 * k)
        out = out + power
    return np.linalg.matrix_power(out, 1024)


def central_difference(function, h):
    """The derivative at 0, of order 8."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w / h * (function(k * h) - function(-k * h)) for k, w in enumerate(weights, 1))


def gradient(function, at, h):
    return np.array([central_difference(lambda by: function(at + by * unit), h) for unit in np.eye(len(at))])
