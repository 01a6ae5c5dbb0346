# %% [markdown]
# # Geometry and groups
#
# The maps of SO(3) and SE(3) for arrays of elements, their use on the results of runs, and the geometry of a scene.

# %%
import numpy as np
import torsor

SO3, SE3 = torsor.SO3, torsor.SE3

# %% [markdown]
# A million rotation vectors are mapped to rotations (quaternions, scalar first) and back.

# %%
w = np.random.default_rng(1).normal(size=(1_000_000, 3))
q = SO3.exp(w)
shorter = np.linalg.norm(w, axis=1) < np.pi  # log gives the shorter of two turns
print("greatest error of log(exp(w)):", np.abs(SO3.log(q) - w)[shorter].max())
assert np.abs(SO3.log(q) - w)[shorter].max() < 1e-13

# %% [markdown]
# The mean of rotations: the rotation m for which the logarithms of m^-1 q sum to zero.

# %%
near = SO3.compose(SO3.exp([0.3, -0.2, 0.9]), SO3.exp(0.2 * w[:1000]))
mean = near[0]
for _ in range(10):
    mean = SO3.compose(mean, SO3.exp(SO3.log(SO3.compose(SO3.inverse(mean), near)).mean(axis=0)))
print("mean rotation vector:", SO3.log(mean))
assert np.linalg.norm(SO3.log(SO3.compose(SO3.inverse(mean), near)).mean(axis=0)) < 1e-14

# %% [markdown]
# The angular velocity of a run follows from its attitudes: for each output, the logarithm of the rotation from the
# previous output to the next, divided by the time between them. The result differs from the angular velocity at the
# output by O(h^2), where h is the time between outputs.

# %%
motion = torsor.load("dzhanibekov").run(output=0.001)
body = motion.body(motion.bodies[0])
turns = SO3.log(SO3.compose(SO3.inverse(body.q[:-2]), body.q[2:]))
measured = turns / (motion.t[2:] - motion.t[:-2])[:, None]
error = np.abs(measured - body.Omega[1:-1]).max() / np.abs(body.Omega).max()
print("relative error of the measured angular velocity:", error)
assert error < 1e-3

# %% [markdown]
# A screw motion: the pose exp(t xi) of SE(3), which the scene `se3_screw_motion` runs.

# %%
screw = torsor.load("se3_screw_motion").run()
pose = np.hstack([screw.body(screw.bodies[0]).x, screw.body(screw.bodies[0]).q])
moved = SE3.log(SE3.compose(SE3.inverse(pose[0]), pose[1]))
again = SE3.compose(pose[0], SE3.exp(np.arange(5)[:, None] * moved))
print("distance from exp(t xi):", np.abs(again[:, :3] - pose[:5, :3]).max(), "m")
assert np.abs(again[:, :3] - pose[:5, :3]).max() < 1e-9

# %% [markdown]
# The geometry of a scene ([docs/geometry.md](../../docs/geometry.md)): groups, connection, constraints, screws.

# %%
geometry = torsor.load("chaplygin_sleigh").geometry(at=0.5)
print(geometry["groups"])
print(geometry["constraints"])
