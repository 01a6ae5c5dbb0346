# %% [markdown]
# # A mechanism of your own
#
# A double pendulum with a damper between its rods, written in Python. The keys are those of
# [scene files](../../docs/scene.md).

# %%
import numpy as np
import torsor

length, mass = 0.8, 2.0
inertia = mass * length**2 / 12 * np.array([1, 0.001, 1])  # a slender rod along y


def pendulum(damping):
    model = torsor.Model(gravity=[0, -9.81, 0], title="Double pendulum with a damper")
    rods = [model.body(name, mass=mass, inertia=inertia) for name in ("upper", "lower")]
    top, bottom = [0, length / 2, 0], [0, -length / 2, 0]
    model.joint("shoulder", "revolute", child=rods[0], child_frame={"position": top}, coordinates="120 deg")
    elbow = model.joint(
        "elbow",
        "revolute",
        parent=rods[0],
        child=rods[1],
        parent_frame={"position": bottom},
        child_frame={"position": top},
    )
    model.force("damper", "joint-force", joint=elbow, damping=damping)
    model.point("tip", body=rods[1], position=bottom)
    return model.scene(end=5, output=0.002, tolerance=1e-10)


# %% [markdown]
# The damper takes energy out of the motion. Energy minus work stays constant.

# %%
free, damped = pendulum(damping=0).run(), pendulum(damping=0.5).run()
for name, motion in (("free", free), ("damped", damped)):
    print(f"{name:7} energy {motion.energy[0]:.4f} -> {motion.energy[-1]:.4f} J, work {motion.work[-1]:.4f} J")
assert np.all(np.abs(free.energy - free.energy[0]) < 1e-7)
assert damped.energy[-1] < damped.energy[0] - 1
assert np.all(np.abs(damped.drift) < 1e-6)

# %% [markdown]
# The power of the damper is the product of its torque and the rate of the joint.

# %%
power = damped.force("damper") * damped.joint("elbow")["angle_rate"]
work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(damped.t))])
print("greatest difference from the work of the run:", np.max(np.abs(work - damped.work)), "J, by the trapezoidal rule")
assert np.max(np.abs(work - damped.work)) < 2e-3

# %% [markdown]
# An error names the part. For a misspelt key it suggests the most similar valid key.

# %%
wrong = torsor.Model()
wrong.body("rod", mas=1, inertia=inertia)
try:
    wrong.scene(end=1)
except torsor.SceneError as error:
    print(error)
