"""Systems in coordinates, with the metric of their particles."""

import math
import sys

import numpy as np

from comparison import EXACT, ZERO, Names, gradient, number, vector

STEP = 0.03  # central differences of order 8: errors of 1e-12


class Chart:
    def __init__(self, scene):
        self.chart = scene["chart"]
        self.coordinates = self.chart["coordinates"]

    def metric(self, e):
        """g of the events (q, t): the sum of m (d position)^2, and dt^2 (`time_metric` 1)."""
        g, tiny = np.diag([0.0] * (len(e) - 1) + [1.0]), 1e-30
        for particle in self.chart["particle"]:
            def position(at):
                names = Names(self.chart["definitions"], **dict(zip([*self.coordinates, "t"], at)))
                return names.value(particle["position"])
            slopes = np.array([position(e + 1j * tiny * unit).imag / tiny for unit in np.eye(len(e))])
            g += Names(self.chart["definitions"]).value(particle["mass"]) * slopes @ slopes.T
        return g

    def slopes(self, e):
        """dg[m, i, j] = d_m g_ij."""
        return gradient(self.metric, e, STEP)

    @staticmethod
    def time_residuals(g, dg):
        """V, g(V, V), S1_ij = (L_V g)_ij and S2_i = d_i g(V, V)."""
        space, g0, inverse = g[:-1, :-1], g[:-1, -1], np.linalg.inv(g[:-1, :-1])
        V = -inverse @ g0
        dV = np.array([-inverse @ (d[:-1, -1] + d[:-1, :-1] @ V) for d in dg])  # dV[i, k]
        S1 = np.einsum("m,mij->ij", np.append(V, 1), dg[:, :-1, :-1]) + dV[:-1] @ space + (dV[:-1] @ space).T
        slopes = np.array([d[-1, -1] + 2 * V @ d[:-1, -1] + V @ d[:-1, :-1] @ V for d in dg])
        return V, g[-1, -1] - g0 @ inverse @ g0, S1, slopes[:-1]

    def read(self, row):
        """Coordinates, rates and time in a row of the table of results. At t = 0 they must be those of the scene."""
        q, rates = (np.array([float(row[f"coordinate.{name}.{key}"]) for name in self.coordinates])
                    for key in ("value", "rate"))
        names, t = Names(self.chart["definitions"]), float(row["t"])
        if t == 0 and not np.allclose([q, rates], names.value([self.chart["start"], self.chart["rates"]]), EXACT, ZERO):
            sys.exit(f"failed: the start {q}, {rates} is not that of the scene")
        return q, rates, t

    def report(self, name, row, version):
        q, rates, t = self.read(row)
        velocities = {f"{one}'": number(rate) for one, rate in zip(self.coordinates, rates)}
        own = {"scene": name, "version": version, "t": number(t),
               "frame": {"velocities": velocities, "structure_coefficients": {}}}
        if "lagrangian" in self.chart:
            return own | {"constraints": []}
        here = np.append(q, t)
        g, dg, ddg = self.metric(here), self.slopes(here), gradient(self.slopes, here, STEP)
        names, inverse = [*self.coordinates, "t"], np.linalg.inv(g)
        N = len(names)
        lower = (dg.transpose(1, 0, 2) + dg.transpose(1, 2, 0) - dg) / 2  # C[l, i, j], with dg[m, i, j]
        d_lower = (ddg.transpose(0, 2, 1, 3) + ddg.transpose(0, 2, 3, 1) - ddg) / 2
        L = np.einsum("kl,lij->kij", inverse, lower)
        dL = np.einsum("kl,mlij->mkij", inverse, d_lower - np.einsum("mlp,pij->mlij", dg, L))  # dL[m, k, i, j]
        R = (np.einsum("kilj->ijkl", dL) - np.einsum("likj->ijkl", dL) + np.einsum("ikm,mlj->ijkl", L, L)
             - np.einsum("ilm,mkj->ijkl", L, L))

        def listed(tensor, name, which=lambda *index: True):
            """A predicate: whether the command printed all components above rounding, with their values."""
            size = abs(tensor).max()
            components = {name(*(names[i] for i in index)): tensor[index]
                          for index in np.ndindex(tensor.shape) if which(*index)}
            needed = {key for key, value in components.items() if abs(value) > EXACT * size}
            return lambda printed: needed <= set(printed) and all(
                key in components and number(components[key], EXACT, size)(value) for key, value in printed.items())

        def nearby(k, prime):
            return here + [*(0.2 * math.sin(12.9898 * (j + 1) * k) for j in range(N - 1)), 0.1 * math.sqrt(prime)]

        states = [here, nearby(1, 2), nearby(2, 5), nearby(3, 11)]
        around = [(self.metric(e), self.slopes(e)) for e in states]
        residual = [self.time_residuals(*at) for at in around]
        S1s = [abs(S1).max() / abs(at[0][:-1, :-1]).max() for at, (_, _, S1, _) in zip(around, residual)]
        S2s = [abs(S2).max() / abs(g_VV) for _, g_VV, _, S2 in residual]
        V, g_VV, S1, S2 = residual[0]
        moves = any(abs(at[1][-1]).max() > 1e-9 or abs(at[0][:-1, -1]).max() > 1e-9 for at in around)
        removable = bool(max(*S1s, *S2s) <= 1e-9)
        return own | {
            "connection": {
                "name": "christoffel",
                "affinities": listed(L.transpose(1, 2, 0), "{}, {} -> {}".format),
                "torsion": {},
                "curvature": listed(R.transpose(2, 3, 1, 0), "{}, {}: {} -> {}".format, lambda k, l, j, i: k < l),
                "non_metricity": {}, "weak_residual": number(0), "strong_residual": number(0)},
            "constraints": [],
            "time": {"scleronomic": removable, "causes": ["metric"] if moves else [],
                     "directions": [vector(e) for e in np.eye(N - 1)],
                     "S1": [vector(row) for row in S1], "S2": vector(S2),
                     "standard_time_vector": {q: number(v) for q, v in zip(self.coordinates, V)}, "g_VV": number(g_VV),
                     "S1_around": number(max(S1s)), "S2_around": number(max(S2s)), "states": 4},
            "second_fundamental_form": {q: number(0) for q in self.coordinates}}
