"""Mechanisms in absolute coordinates: positions x and attitudes R of all bodies, the ground last, and the time t."""

import math
import sys

import numpy as np

from comparison import Names, central_difference, rotation, skew
from connections import structure_coefficients


class Body:
    def __init__(self, table, names):
        self.name, self.mass = table["name"], names.value(table["mass"])
        J = names.value(table["inertia"])
        self.J = np.diag(J) if J.ndim == 1 else J
        self.G = np.diag([self.mass] * 3 + [0.0] * 3)
        self.G[3:, 3:] = self.J
        self.semidirect = table.get("group") == "semidirect"
        self.group_name = "SE(3)" if self.semidirect else "R^3 x SO(3)"
        self.c = structure_coefficients(self.semidirect)
        self.joint = None  # the joint that carries it


def attitude(table, names):
    """R of the keys that these scenes use; None if no attitude is given."""
    def about(axis, angle):
        return rotation(angle * np.eye(3)["xyz".index(axis)])
    if "euler_zxz" in table:
        table = {"euler": {"axes": "zxz", "angles": table["euler_zxz"]}}
    if "euler" in table:
        a, b, c = (about(*pair) for pair in zip(table["euler"]["axes"], names.value(table["euler"]["angles"])))
        return a @ b @ c
    if "rotation_vector" in table:
        return rotation(names.value(table["rotation_vector"]))
    if "axis" in table:  # the shortest rotation from z
        axis = names.value(table["axis"]) / np.linalg.norm(names.value(table["axis"]))
        K = skew(np.cross([0, 0, 1], axis))
        return np.eye(3) + K + K @ K / (1 + axis[2])
    return None


class Joint:
    """A revolute or universal joint, between the points p of the parent and q of the child. `ends`: the child first."""

    def __init__(self, table, names, index):
        self.name, self.kind = table["name"], table["kind"]
        self.parent, self.child = index.get(table.get("parent", "ground"), -1), index[table["child"]]
        self.ends = [self.child, self.parent]
        frames = [table.get("parent_frame", {}), table.get("child_frame", {})]
        self.p, self.q = (names.value(frame.get("position", [0, 0, 0])) for frame in frames)
        both = attitude(table, names)
        self.F, self.M = (attitude(frame, names) if both is None else both for frame in frames)
        self.F, self.M = (np.eye(3) if R is None else R for R in (self.F, self.M))
        self.axes = "z" if self.kind == "revolute" else "xy"

    def turn(self, R):
        """The attitude of the child's frame M in the parent's frame F."""
        return self.F.T @ R[self.parent].T @ R[self.child] @ self.M

    def angles(self, x, R):
        """Arc tangents that allow complex steps."""
        turn = self.turn(R)
        pairs = [(turn[1, 0], turn[0, 0])] if self.kind == "revolute" else [(turn[2, 1], turn[1, 1]),
                                                                           (turn[0, 2], turn[0, 0])]
        near = [math.atan2(s.real, c.real) for s, c in pairs]
        return np.array([a + np.arctan((s * math.cos(a) - c * math.sin(a)) / (c * math.cos(a) + s * math.sin(a)))
                         for a, (s, c) in zip(near, pairs)])

    def positions(self, x, R, t):
        """Both points coincide; z of M is z of F (revolute), or y of M is perpendicular to x of F (universal)."""
        gap = x[self.child] + R[self.child] @ self.q - x[self.parent] - R[self.parent] @ self.p
        turn = self.turn(R)
        return np.concatenate([gap, turn[:2, 2] if self.kind == "revolute" else turn[:1, 1]])

    def place(self, x, R, angles):
        """Sets the pose of the child."""
        turn = np.eye(3)
        for axis, angle in zip(self.axes, angles):
            turn = turn @ rotation(angle * np.eye(3)["xyz".index(axis)])
        R[self.child] = R[self.parent] @ self.F @ turn @ self.M.T
        x[self.child] = x[self.parent] + R[self.parent] @ self.p - R[self.child] @ self.q


class Constraint:
    """A constraint on its `ends`: `positions` are the rows that configurations have to satisfy, `velocities` the rows
    that constrain velocities alone. All planes are z = 0."""

    def __init__(self, table, mechanism):
        self.name, self.kind, self.table, self.mechanism = table["name"], table["kind"], table, mechanism
        names, index = mechanism.names(0), mechanism.index
        self.labels, self.holonomic = ["gap", "slip 1", "slip 2"], 1  # the number of `positions`
        self.rolls = self.kind.startswith("rolling")
        if self.kind == "driver":
            self.joint = next(joint for joint in mechanism.joints if joint.name == table["joint"])
            self.ends, self.coordinate, self.labels = self.joint.ends, table.get("coordinate", 0), ["coordinates"]
        else:
            at = table.get("point", table)
            self.ends, self.point = [index[at["body"]]], names.value(at.get("position", [0, 0, 0]))
        if self.kind == "point-on-plane":
            self.labels = ["distance"]
        elif self.kind == "spin":
            self.labels, self.holonomic, self.direction = ["velocities"], 0, names.value(table["direction"])
        elif self.kind == "rolling-disk":
            self.axis, self.radius = names.value(table["axis"]), names.value(table["radius"])
        elif self.kind == "rolling-ellipsoid":
            self.semi_axes = names.value(table["semi_axes"])
        self.rheonomic = bool(self.value(0.3) != self.value(0.8))

    def value(self, t):
        return self.mechanism.names(t).value(self.table.get("value", 0))

    def lowest(self, R):
        """From the centre to the lowest point of the surface, body axes: the least z of R y over its points y."""
        down = -R[self.ends[0]][2]
        if self.kind == "rolling-disk":
            down = down - self.axis * (self.axis @ down)
            return self.radius * down / np.sqrt(down @ down)
        scaled = self.semi_axes * down
        return self.semi_axes * scaled / np.sqrt(scaled @ scaled)

    def positions(self, x, R, t):
        if self.kind == "driver":
            return np.array([self.joint.angles(x, R)[self.coordinate] - self.value(t)])
        if self.kind == "spin":
            return np.zeros(0)
        body = self.ends[0]
        return (x[body] + R[body] @ (self.point + (self.lowest(R) if self.rolls else 0)))[2:]

    def velocities(self, x, R, V, t):
        v, Omega = V.reshape(-1, 6)[self.ends[0], :3], V.reshape(-1, 6)[self.ends[0], 3:]
        if self.kind == "spin":
            return np.array([self.direction @ Omega - self.value(t)])
        if self.rolls:
            return (v + R[self.ends[0]] @ np.cross(Omega, self.point + self.lowest(R)))[:2]
        return np.zeros(0)


class Mechanism:
    def __init__(self, scene):
        self.scene = scene
        names = self.names(0)
        self.bodies = [Body(table, names) for table in scene["body"]]
        self.index = {body.name: i for i, body in enumerate(self.bodies)}
        self.joints = [Joint(table, names, self.index) for table in scene.get("joint", [])]
        for joint in self.joints:
            self.bodies[joint.child].joint = joint
        self.roots = [i for i, body in enumerate(self.bodies) if body.joint is None]
        self.constraints = [Constraint(table, self) for table in scene.get("constraint", [])]
        self.items = self.joints + self.constraints
        self.size = 6 * len(self.bodies)
        self.G = np.zeros((self.size, self.size))
        for i, body in enumerate(self.bodies):
            self.G[6 * i:6 * i + 6, 6 * i:6 * i + 6] = body.G
        self.G_inverse = np.linalg.inv(self.G)

    def names(self, t):
        return Names(self.scene.get("definitions", {}), t=t)

    # -- kinematics: a state is (x, R, t), with the ground as last body

    def moved(self, state, V, by, time=1.0):
        x, R, t = state[0].copy(), state[1].copy(), state[2] + by * time
        for i, row in enumerate(V.reshape(-1, 6)):
            x[i] += by * row[:3]
            R[i] = R[i] @ rotation(by * row[3:])
        return x, R, t

    def along(self, function, state, V, time=1.0):
        """The derivative along (V, time): central differences of order 8."""
        return central_difference(lambda by: function(self.moved(state, V, by, time)), 1e-3 / max(1, abs(V).max()))

    def step(self, function, state, V, time):
        """The derivative of a function of (x, R, t) along (V, time): a complex step."""
        x, R, t = state
        V, tiny = V.reshape(-1, 6), 1e-30
        x, R = x.astype(complex), R.astype(complex)
        for i in np.flatnonzero(V.any(axis=1)):
            x[i] += 1j * tiny * V[i, :3]
            R[i] += 1j * tiny * R[i] @ skew(V[i, 3:])
        return function(x, R, t + 1j * tiny * time).imag / tiny

    def item_rows(self, item, state):
        """A and a0 of A V + a0 = 0 for one joint or constraint."""
        def rate(V, time):
            rows = self.step(item.positions, state, V, time)
            return rows if isinstance(item, Joint) else np.append(rows, item.velocities(*state[:2], V, state[2]))
        none = np.zeros(self.size)
        still, a0 = rate(none, 0.0), rate(none, 1.0)
        A = np.zeros((len(a0), self.size))
        for j in range(self.size):
            if j // 6 in item.ends:
                A[:, j] = rate(np.eye(self.size)[j], 0.0) - still
        return A, a0

    def rows(self, state, items=None):
        blocks = [self.item_rows(item, state) for item in (self.items if items is None else items)]
        if not blocks:
            return np.zeros((0, self.size)), np.zeros(0)
        return np.vstack([A for A, _ in blocks]), np.concatenate([a0 for _, a0 in blocks])

    def tree(self, state):
        """J: bodies' velocities from those of the tree, which are velocities of the roots and joint rates."""
        fixed, _ = self.rows(state, self.joints)
        free = []
        for root in self.roots:
            selector = np.zeros((6, self.size))
            selector[:, 6 * root:6 * root + 6] = np.eye(6)
            if self.bodies[root].semidirect:
                selector[:3, 6 * root:6 * root + 3] = state[1][root].T
            free.append(selector)
        free += [self.joint_rates(joint, state) for joint in self.joints]
        K = np.vstack([fixed, *free])
        return np.linalg.inv(K)[:, len(fixed):]

    def joint_rates(self, joint, state):
        """The matrix that maps V to the rates of the joint's angles."""
        return np.array([self.step(lambda x, R, t: joint.angles(x, R), state, e, 0.0) for e in np.eye(self.size)]).T

    # -- the state

    def read(self, row):
        """The state and the velocities of a row of the table of results."""
        x, R, V = np.zeros((len(self.bodies) + 1, 3)), np.zeros((len(self.bodies) + 1, 3, 3)), []
        R[-1] = np.eye(3)
        for i, body in enumerate(self.bodies):
            of = [[float(row[f"body.{body.name}.{key}"]) for key in keys.split()]
                  for keys in ("x y z", "qw qx qy qz", "v_x v_y v_z Omega_x Omega_y Omega_z")]
            w, u = of[1][0], np.array(of[1][1:])
            x[i], R[i] = of[0], np.eye(3) + 2 * w * skew(u) + 2 * skew(u) @ skew(u)
            V += of[2]
        state, V = (x, R, float(row["t"])), np.array(V)
        self.require(state, V)
        return state, V

    def require(self, state, V):
        """Checks that joints and constraints are satisfied, and that the start is that of the scene."""
        x, R, t = state
        wrong = [np.concatenate([item.positions(x, R, t) for item in self.items] + [np.zeros(1)])]
        A, a0 = self.rows(state)
        wrong.append(A @ V + a0)
        names, given_now = self.names(0), t == 0
        for i, table in enumerate(self.scene["body"] if given_now else []):
            given = {"position": x[i], "velocity_world": V[6 * i:6 * i + 3],
                     "angular_velocity_body": V[6 * i + 3:6 * i + 6]}
            wrong += [names.value(table[key]) - value for key, value in given.items() if key in table]
            if attitude(table, names) is not None:
                wrong.append((attitude(table, names) - R[i]).ravel())
        for joint, table in zip(self.joints, self.scene.get("joint", []) if given_now else []):
            rates = self.joint_rates(joint, state) @ V
            wrong += [names.value(table["coordinates"]) - joint.angles(x, R)] if "coordinates" in table else []
            wrong += [names.value(table["rates"]) - rates] if "rates" in table else []
        if not all(np.all(abs(part) < 1e-12 * max(1, abs(V).max())) for part in wrong):
            sys.exit(f"failed: the state at t = {t} does not satisfy the scene: {wrong}")

    # -- motion and reactions

    def drive(self, joint, state):
        """The generalised force of the joint's `joint-force`."""
        forces = [force["force"] for force in self.scene.get("force", []) if force.get("joint") == joint.name]
        value = sum(self.names(state[2]).value(force) for force in forces)
        return value * self.joint_rates(joint, state)[0] if forces else np.zeros(self.size)

    def loads(self, state):
        """Generalised forces on V: gravity, forces in body axes, drives of joints."""
        names, W = self.names(state[2]), sum((self.drive(joint, state) for joint in self.joints), np.zeros(self.size))
        for i, body in enumerate(self.bodies):
            W[6 * i:6 * i + 3] += body.mass * names.value(self.scene.get("gravity", [0, 0, 0]))
        for force in self.scene.get("force", []):
            if force["kind"] == "body-force":
                i = self.index[force["body"]]
                W[6 * i:6 * i + 3] += state[1][i] @ names.value(force["force"])
        return W

    def gyroscopic(self, V):
        out = np.zeros(self.size)
        for i, body in enumerate(self.bodies):
            Omega = V[6 * i + 3:6 * i + 6]
            out[6 * i + 3:6 * i + 6] = np.cross(Omega, body.J @ Omega)
        return out

    def row_inertia(self, A):
        """(A G^-1 A^T)^-1, or the pseudo-inverse if rows are redundant."""
        return np.linalg.pinv(A @ self.G_inverse @ A.T, rcond=1e-11, hermitian=True)

    def accelerate(self, state, V, W):
        """V' and the multipliers of all rows under the loads W."""
        A, _ = self.rows(state)

        def residual(at):
            A, a0 = self.rows(at)
            return A @ V + a0
        gamma = self.along(residual, state, V)
        free = self.G_inverse @ (W - self.gyroscopic(V))
        multipliers = -self.row_inertia(A) @ (gamma + A @ free)
        return free + self.G_inverse @ A.T @ multipliers, multipliers

    # -- directions that the rows allow

    def offset(self, state):
        """nu: the velocity of least kinetic energy that the rows allow."""
        A, a0 = self.rows(state)
        return -self.G_inverse @ A.T @ self.row_inertia(A) @ a0

    def allowed(self, state):
        """Columns: the unit velocities of the tree, projected on the allowed ones, orthonormal in G by Gram-Schmidt."""
        A, _ = self.rows(state)
        normal = self.G_inverse @ A.T @ self.row_inertia(A) @ A
        basis = []
        for unit in self.tree(state).T:
            X = unit - normal @ unit
            for _ in range(2):
                for other in basis:
                    X = X - (other @ self.G @ X) * other
            if math.sqrt(X @ self.G @ X) > 1e-8 * math.sqrt(unit @ self.G @ unit):
                basis.append(X / math.sqrt(X @ self.G @ X))
        return np.array(basis).T.reshape(self.size, -1)

    def time_residuals(self, state):
        """The spectral radius of S1 = L_V g and the length of S2 = d g(V, V) in the allowed directions X, for
        V = d/dt + nu, and G(nu, nu)."""
        nu, X = self.offset(state), self.allowed(state)
        change = np.array([self.along(self.offset, state, direction, 0.0) for direction in X.T]).T  # X(nu)
        against = change.copy()  # -[nu, X] = X(nu) - nu x X, for X with constant components
        for i in range(3, self.size, 6):
            against[i:i + 3] -= skew(nu[i:i + 3]) @ X[i:i + 3]
        half = X.T @ self.G @ against
        return abs(np.linalg.eigvalsh(half + half.T)).max(), np.linalg.norm(2 * nu @ self.G @ change), nu @ self.G @ nu
