# %% [markdown]
# # A controller of your own
#
# A pole on a cart is held upright by a linear-quadratic regulator. The controller is a Python function. First it
# acts at every instant, then only at sampling instants, as a digital controller does.
# [Feedback and control](../../docs/control.md) lists the names of the measured quantities.

# %%
import numpy as np
import torsor

quantities = ["joint.rail.displacement", "joint.hinge.angle", "joint.rail.rate", "joint.hinge.rate"]


def cart_pole(force="0 N", lean="3 deg"):
    model = torsor.Model(gravity=[0, 0, -9.81], title="Pole on a cart")
    cart = model.body("cart", mass=1.0, inertia=[0.01, 0.01, 0.01])
    pole = model.body("pole", mass=0.2, inertia=[0.0167, 0.0167, 1e-4])
    rail = model.joint("rail", "prismatic", child=cart, axis=[1, 0, 0])
    model.joint("hinge", "revolute", parent=cart, child=pole, axis=[0, 1, 0], coordinates=lean,
                child_frame={"position": [0, 0, -0.5]})
    model.force("motor", "joint-force", joint=rail, force=force)
    return model


# %% [markdown]
# The regulator needs the linear equations x' = A x + B u near the upright pole. Differences of the accelerations of the
# mechanism give them.

# %%
scene = cart_pole(lean=0).scene(end=1e-3)


def accelerations(x, u):
    scene.update({"joint.rail.coordinates": x[0], "joint.hinge.coordinates": x[1], "joint.rail.rates": x[2],
                  "joint.hinge.rates": x[3], "force.motor.force": u})
    motion = scene.run()
    return np.array([motion.joint("rail").accelerations[0, 0], motion.joint("hinge").accelerations[0, 0]])


h, rest = 1e-4, np.zeros(4)
A, B = np.zeros((4, 4)), np.zeros((4, 1))
A[:2, 2:] = np.eye(2)
for k in range(4):
    step = h * np.eye(4)[k]
    A[2:, k] = (accelerations(step, 0) - accelerations(-step, 0)) / (2 * h)
B[2:, 0] = (accelerations(rest, h) - accelerations(rest, -h)) / (2 * h)
print("A =", np.round(A, 3), "B =", np.round(B.T, 3), sep="\n")

# %% [markdown]
# The gains K minimise the integral of x^T Q x + R u^2. They follow from the solution P of the Riccati equation. The
# stable eigenvectors of the Hamiltonian matrix give P.

# %%
Q, R = np.diag([10.0, 1.0, 1.0, 0.1]), 0.1
values, vectors = np.linalg.eig(np.block([[A, -B @ B.T / R], [-Q, -A.T]]))
stable = vectors[:, values.real < 0]
P = np.real(stable[4:] @ np.linalg.inv(stable[:4]))
K = (B.T @ P / R)[0]
assert np.max(np.abs(A.T @ P + P @ A - P @ B @ B.T @ P / R + Q)) < 1e-8
print("gains:", np.round(K, 3))


def control(*x):
    return -float(K @ x)


# %% [markdown]
# The cost is a state of the model: its rate is the integrand. For small motions the cost is x(0)^T P x(0).

# %%
def controlled(period=None, lean="3 deg"):
    force = "sampled.force" if period else "function.control"
    model = cart_pole(force, lean)
    model.function("control", control, *quantities)
    if period:
        model.sampled("force", "function.control", period, unit="N")
    squares = [f"{weight}*{name}^2" for weight, name in zip(np.diag(Q), quantities)]
    model.state("cost", " + ".join([*squares, f"{R}*{force}^2"]))
    return model.scene(end=8, output=0.02, tolerance=1e-9)


small = controlled(lean=1e-3).run()
start = np.array([0, 1e-3, 0, 0])
print("cost", small.state("cost")[-1], "expected", start @ P @ start)
assert abs(small.state("cost")[-1] / (start @ P @ start) - 1) < 1e-4

held = controlled().run()
print(f"at the end: cart at {held.joint('rail')['displacement'][-1]:.1e} m, pole at {held.joint('hinge')['angle'][-1]:.1e} rad")
assert abs(held.joint("hinge")["angle"][-1]) < 1e-3

# %% [markdown]
# A digital controller holds its force constant between samples. A longer period costs more, and with a period of 0.4 s
# the controller cannot hold the pole upright.

# %%
costs = []
for period in (0.005, 0.02, 0.05, 0.1):
    motion = controlled(period).run()
    costs.append(motion.state("cost")[-1])
    print(f"period {period:5} s: cost {costs[-1]:.4f}, greatest force {np.max(np.abs(motion.sample('force'))):.2f} N")
assert np.all(np.diff([held.state("cost")[-1], *costs]) > 0)
fallen = controlled(0.4).run(end=1.6)
print(f"period   0.4 s: in 1.6 s the pole leans by up to {np.max(np.abs(fallen.joint('hinge')['angle'])):.2f} rad")
assert np.max(np.abs(fallen.joint("hinge")["angle"])) > 0.3
