# %% [markdown]
# # A first motion
#
# A shipped scene is loaded by its name, changed, and run. Results are NumPy arrays.

# %%
import numpy as np
import torsor

scene = torsor.load("heavy_top_bruls")
print(scene)
print("degrees of freedom:", scene.check()["freedoms"])

# %% [markdown]
# Values are set as with `torsor run --set`: the key names the part, and a string may have a unit.

# %%
scene["body.top.mass"] = "14 kg"
motion = scene.run(tolerance=1e-10, output="5 ms")
print(motion)

# %% [markdown]
# Arrays have one row for each output. The centre of mass keeps its distance of 1 m from the pivot, and the energy is
# constant up to the errors of the steps.

# %%
top = motion.body("top")
print("lowest point:", motion.t[np.argmin(top.x[:, 2])], "s,", top.x[:, 2].min(), "m")
print("greatest force in the pivot:", np.linalg.norm(motion.joint("pivot").force, axis=1).max(), "N")

distance = np.linalg.norm(top.x, axis=1)
assert np.all(np.abs(distance - 1) < 1e-12)
assert np.all(np.abs(motion.drift) < 1e-6)

# %% [markdown]
# An observer is called at each output. Here it ends the run when the top has made a quarter turn about the vertical.


# %%
def quarter_turn(at):
    x, y, _ = at.body("top").x
    return bool(np.arctan2(-x, y) > np.pi / 2)


short = scene.run(observer=quarter_turn)
print("a quarter turn takes", short.t[-1], "s")
assert short.status == "cancelled" and short.t[-1] < 2

# %% [markdown]
# `motion.view()` opens a replay in the browser, `motion.save("top.h5")` writes a file, and `motion.plot()` draws
# with matplotlib. In a notebook, a cell that ends with a motion shows the replay of the motion.
