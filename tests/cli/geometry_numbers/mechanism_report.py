"""The expected output of `torsor geometry --json` for a mechanism."""

import math
import sys

import numpy as np

from comparison import DIFFERENCES, EXACT, differences, exponential, number, rotation, skew, vector
from connections import christoffel, connection, group, inertia
from mechanism import Joint, Mechanism

GROUPS = {"revolute": "SO(2)", "universal": "SO(2) x SO(2)"}


class MechanismReport(Mechanism):
    def compatibility(self, state):
        """The residuals of compatibility with the constrained manifold, relative to the greatest affinity of the bodies,
        and the number of allowed directions."""
        X, nu = self.allowed(state), self.offset(state)
        m, speed = X.shape[1], math.sqrt(nu @ self.G @ nu)
        all_X = np.column_stack([X, nu / speed]) if speed > 0 else X
        D, scale = 0, 0  # D[i, j, a] = G(D(X_i, X_a), X_j), where X_i and X_j may be nu
        for b, body in enumerate(self.bodies):
            here = all_X[6 * b:6 * b + 6].copy()
            if body.semidirect:
                here[:3] = state[1][b].T @ here[:3]
            strong, root = christoffel(body.c, body.G), np.linalg.cholesky(body.G)
            D += np.einsum("lj,lk,kpq,pi,qa->ija", here, body.G, body.c - strong, here, here[:, :m])
            for L in (body.c, strong):  # in a basis that is orthonormal in the metric of the body
                along = np.einsum("ki,kpq,pn,ql->nil", root, L, here, np.linalg.inv(root).T)
                scale = max(scale, abs(along).max())
        return number(abs(D + D.transpose(1, 0, 2)).max() / scale), number(abs(D).max() / scale), m

    def levels(self, state):
        """The bracket test, in a state with another heading. Rows on velocities count as integrable only if all of them are."""
        turned = rotation([0, 0, 0.7])
        x, R, t = state
        state = (x @ turned.T, np.array([turned @ part for part in R[:-1]] + [R[-1]]), t)

        def forms(at):
            A, a0 = self.rows(at)
            return np.column_stack([A, a0])
        here = forms(state)
        _, sizes, directions = np.linalg.svd(here / np.linalg.norm(here, axis=1, keepdims=True))
        D = directions[np.sum(sizes > 1e-9):]  # the allowed directions of events
        rate = np.array([self.along(forms, state, X[:-1], X[-1]) for X in D])
        curve = np.einsum("irk,jk->rij", rate, D) - np.einsum("jrk,ik->rij", rate, D)
        for i, X in enumerate(D):
            for j, Y in enumerate(D):
                bracket = np.zeros(self.size + 1)
                for b in range(3, self.size, 6):
                    bracket[b:b + 3] = np.cross(X[b:b + 3], Y[b:b + 3])
                curve[:, i, j] -= here @ bracket
        size = abs(curve).max(axis=(1, 2), initial=0)
        return ["integrable" if size.max(initial=0) < 1e-8 else "nonholonomic" if part > 1e-4 else "undecided"
                for part in size]

    def constraint_rows(self, state, V):
        J = self.tree(state)

        def fibres(at, keep):
            J, (A, _) = self.tree(at), self.rows(at, self.constraints)
            A = A[keep] @ J
            inverse = np.linalg.inv(J.T @ self.G @ J)
            M = np.linalg.inv(A @ inverse @ A.T)
            return np.vstack([inverse @ A.T @ M, np.diag(M)])  # the columns c_R above m_RR
        A, a0 = self.rows(state, self.constraints)
        inverse, n, keep = np.linalg.inv(J.T @ self.G @ J), J.shape[1], []
        for row in range(len(A)):  # a row is redundant if the rows before it span it
            B = A[keep + [row]] @ J
            B = B / np.sqrt(np.einsum("ri,ij,rj->r", B, inverse, B))[:, None]
            if np.linalg.eigvalsh(B @ inverse @ B.T).min() > 1e-12:
                keep.append(row)
        here = fibres(state, keep)
        m_rate = self.along(lambda at: fibres(at, keep), state, V)[n]
        c_rate = self.along(lambda at: fibres(at, keep), state, np.zeros(self.size))[:n]
        names = [(item, label, k) for item in self.constraints for k, label in enumerate(item.labels)]
        levels, out = self.levels(state), []
        levels = levels[len(levels) - len(names):]
        for row, (item, label, k) in enumerate(names):
            holonomic = k < item.holonomic
            m = rate = damping = stiffness = growth = 0.0
            if row in keep:
                place = keep.index(row)
                c, m, rate = here[:n, place], here[n, place], m_rate[place]
                damping = -c_rate[:, place] @ J.T @ self.G @ J @ c  # no load here depends on velocities
                if holonomic:
                    stiffness = -self.along(lambda at: self.tree(at).T @ self.loads(at), state, J @ c, 0.0) @ c
                drag = (damping + rate) / m
                growth = -drag / 2 + math.sqrt(max(drag * drag / 4 - stiffness / m, 0)) if holonomic else -drag
            own = {"name": item.name, "row": label, "level": "holonomic" if holonomic else levels[row],
                   "rheonomic": item.rheonomic, "offset": number(a0[row]), "inertia": number(m)}
            least = 1e-3 * max(m, 1)  # the rounding of these differences of inertias is relative to m
            by_differences = {"inertia_rate": rate, "damping": damping, "stiffness": stiffness, "growth": growth}
            own |= {key: number(value, DIFFERENCES, max(abs(value), least)) for key, value in by_differences.items()}
            out.append(own)
        return out

    def time(self, state):
        offsets = {item.name: self.item_rows(item, state)[1] for item in self.constraints}
        causes = [item.name for item in self.constraints if item.rheonomic or np.any(offsets[item.name] != 0)]
        early, late = self.names(0.3), self.names(0.8)
        forces = [force["name"] for force in self.scene.get("force", [])
                  if np.any(early.value(force["force"]) != late.value(force["force"]))]
        around = [(0.0, 0.0, 0.0)]
        if causes:
            around = [self.time_residuals(state)]
            for prime in (2, 5, 11):  # the residuals depend on driven joints, not on the place and attitude of a root
                x, R, t = state[0].copy(), state[1].copy(), state[2] + 0.1 * math.sqrt(prime)
                for joint in self.joints:
                    drivers = [item for item in self.constraints if item.kind == "driver" and item.joint is joint]
                    joint.place(x, R, [driver.value(t) for driver in drivers])
                around.append(self.time_residuals((x, R, t)))
        S1, S2, energy = np.array(around).T
        size = max(S2.max(), 1e-3 * energy.max())
        return {"scleronomic": bool(S1.max() < 1e-8 and S2.max() < 1e-8), "S1": number(S1[0], DIFFERENCES),
                "S2": number(S2[0], DIFFERENCES, size), "S1_around": number(S1.max(), DIFFERENCES),
                "S2_around": number(S2.max(), DIFFERENCES, size), "states": len(around), "sampled": False,
                "kinetic_energy_of_offset": number(energy[0] / 2), "constraints": causes, "forces": forces}

    def in_use(self, b):
        if self.bodies[b].joint is None:
            return "screw" if self.bodies[b].semidirect else "line"
        path, at = [], b
        while at >= 0 and self.bodies[at].joint is not None:
            path.append(GROUPS[self.bodies[at].joint.kind])
            at = self.bodies[at].joint.parent
        if at >= 0:
            path.append(self.bodies[at].group_name)
        return f"exp of {', '.join(reversed(path))}" if len(path) <= 3 else f"exp of {len(path)} joints"

    def screw(self, b, state, V):
        x, v, omega = state[0][b], V[6 * b:6 * b + 3], state[1][b] @ V[6 * b + 3:6 * b + 6]
        turn = np.linalg.norm(omega)
        direction, point, pitch = (np.zeros(3), x, 0.0) if turn == 0 else (
            omega / turn, x + np.cross(omega, v) / turn**2, v @ omega / turn**2)
        if turn == 0 and np.any(v != 0):
            sys.exit("failed: a translation is not expected in these scenes")
        return {"product": "semidirect" if self.bodies[b].semidirect else "direct", "in_use": self.in_use(b),
                "turn": number(turn), "direction": vector(direction),
                "semidirect": {"point": vector(point), "pitch": number(pitch)},
                "direct": {"centre": vector(x), "velocity": vector(v)}}

    def transport(self, b, state, V):
        """The transport u' = -Gamma_n u over one turn: Gamma_n has the eigenvalues +-i rate, and 0 for the vector that
        is kept."""
        J, n = self.bodies[b].J, V[6 * b + 3:6 * b + 6]
        c = self.bodies[b].c[3:, 3:, 3:]
        Gamma = np.einsum("kij,i->kj", christoffel(c, J), n)
        duration = 2 * math.pi / np.linalg.norm(n)
        angle = duration * abs(np.linalg.eigvals(Gamma).imag).max()
        kept = np.linalg.svd(Gamma)[2][2]
        e = np.cross(kept, [0.3, -0.5, 0.8])
        kept = kept * np.sign(np.linalg.det(np.array([e, Gamma @ e, kept])))
        turn = exponential(-duration * Gamma)  # a rotation in the metric J
        if abs(np.trace(turn) - 1 - 2 * math.cos(angle)) > EXACT or abs(turn @ kept - kept).max() > EXACT:
            sys.exit("failed: the matrix exponential is not the rotation by its eigenvalues")
        return {"duration": number(duration), "christoffel": number(angle), "kept": vector(state[1][b] @ kept)}

    def second_fundamental_form(self, state, V):
        free, _ = self.accelerate(state, V, np.zeros(self.size))
        N = (free + self.G_inverse @ self.gyroscopic(V)).reshape(-1, 6)
        weak, strong, directions = self.compatibility(state)
        return {"tangential": number(0), "weak_residual": weak, "strong_residual": strong, "directions": directions,
                "sampled": False, "bodies": {body.name: {"linear": vector(part[:3]), "angular": vector(part[3:])}
                                             for body, part in zip(self.bodies, N)}}

    def reactions(self, state, V):
        """Reactions that are unique are compared. The others have to be reactions of their joint or constraint, and all
        together have to give the wrench on each body. The part of the loads includes drives of joints."""
        (x, R, _), (A, _) = state, self.rows(state)
        of_N = self.accelerate(state, V, np.zeros(self.size))[1]
        of_loads = self.accelerate(state, V, self.loads(state))[1] - of_N
        kernel = np.linalg.svd(A.T)[2][np.linalg.matrix_rank(A, 1e-9):] if len(A) else np.zeros((0, 0))

        def on_body(covector, body, at):
            """The force and the torque at the point `at`, world axes."""
            return np.concatenate([covector[:3], R[body] @ covector[3:] + skew(x[body] - at) @ covector[:3]])
        # The error of each reaction is relative to the greatest one, since all solve one system.
        scale = {"bending": abs(A.T @ of_N).max(initial=0), "load": abs(A.T @ of_loads).max(initial=0)}
        own, units, begin, driven = {}, {}, 0, np.zeros(self.size)
        for item in self.items:
            rows = slice(begin, begin + len(self.item_rows(item, state)[1]))
            begin, body = rows.stop, item.ends[0]
            at = x[body] + R[body] @ item.q if isinstance(item, Joint) else x[body]
            unit = on_body(A[rows, 6 * body:6 * body + 6].T, body, at)  # columns: of unit multipliers
            unique = abs(kernel[:, rows]).max(initial=0) < 1e-9
            drive = self.drive(item, state) if isinstance(item, Joint) else np.zeros(self.size)
            driven += drive
            drive = on_body(drive[6 * body:6 * body + 6], body, at)
            wrenches = {"bending": unit @ of_N[rows], "load": unit @ of_loads[rows] + drive}
            own[item.name] = {f"{part}_{key}": vector(w[half], scale=scale[part]) if unique
                              else lambda printed: len(printed) == 3
                              for part, w in wrenches.items()
                              for key, half in (("force", slice(3)), ("torque", slice(3, 6)))}
            own[item.name] |= {} if unique else {"unique": False}
            units[item.name] = unit, at, {"bending": np.zeros(6), "load": drive}

        def balanced(printed, part):
            covectors = (A.T @ of_N if part == "bending" else A.T @ of_loads + driven).reshape(-1, 6)
            left = np.array([on_body(covector, b, x[b]) for b, covector in enumerate(covectors)])
            size, good = max(1, abs(left).max()), True
            for item in self.items:
                w = np.array(printed[item.name][f"{part}_force"] + printed[item.name][f"{part}_torque"])
                unit, at, drive = units[item.name]
                reaction = w - drive[part]
                good &= abs(reaction - unit @ np.linalg.lstsq(unit, reaction, rcond=1e-12)[0]).max() < EXACT * size
                for b, sign in zip(item.ends, (1, -1)):
                    if b >= 0:
                        left[b] -= sign * np.append(w[:3], w[3:] + np.cross(at - x[b], w[:3]))
            return good and abs(left).max() < EXACT * size
        return lambda printed: (not list(differences(own, printed)) and balanced(printed, "bending")
                                and balanced(printed, "load"))

    def report(self, name, row, version):
        state, V = self.read(row)
        groups = {self.bodies[b].name: group(self.bodies[b].group_name, self.bodies[b].c) for b in self.roots}
        groups |= {joint.name: group(GROUPS[joint.kind]) for joint in self.joints}
        rows = self.constraint_rows(state, V)
        bodies = list(enumerate(self.bodies))
        return {"scene": name, "version": version, "t": number(state[2]), "freedoms": self.tree(state).shape[1],
                "rows": len(rows), "groups": groups, "inertia": {body.name: inertia(body.J) for body in self.bodies},
                "connections": {body.name: connection(body) for body in self.bodies}, "constraints": rows,
                "time": self.time(state), "screws": {body.name: self.screw(b, state, V) for b, body in bodies},
                "transport": {body.name: self.transport(b, state, V) for b, body in bodies
                              if np.any(V[6 * b + 3:6 * b + 6] != 0)},
                "second_fundamental_form": self.second_fundamental_form(state, V),
                "reactions": self.reactions(state, V), "rigid_particles": {}}
