# %% [markdown]
# # Batches and statistics
#
# How does the height of a top at 0.5 s depend on its spin? A study runs many cases on all processors, and its table
# comes as arrays.

# %%
import pathlib
import tempfile

import numpy as np
import torsor

study = """
scene = "{scene}"
seed = 1
draws = 200

[[parameter]]
kind = "normal"
key = "body.top.angular_velocity_body.1"
unit = "rad/s"
mean = 150
deviation = 15

[keep]
columns = ["body.top.z"]
times = [0.25, 0.5]
"""

with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    scene = torsor.load("heavy_top_bruls")
    scene.update({"run.end": 0.5, "integrator.tolerance": 1e-8})
    (folder / "top.toml").write_text(scene.to_toml())
    (folder / "spins.toml").write_text(study.format(scene="top.toml"))
    table = torsor.batch(folder / "spins.toml", folder / "batch").table()

print(list(table))

# %%
spin = table["body.top.angular_velocity_body.1"]
height = table["body.top.z@0.5"]
print(f"spin   {spin.mean():8.3f} +- {spin.std():.3f} rad/s")
print(f"height {height.mean():8.5f} +- {height.std():.5f} m")
print("correlation:", np.corrcoef(spin, height)[0, 1])
assert len(spin) == 200 and set(table["status"]) == {"reached-end"}

# %% [markdown]
# A case gives the same bits as a single run of the scene with the values of the case. For a few runs, a loop does as
# well.

# %%
motion = scene.run(settings={"body.top.angular_velocity_body.1": spin[0]})
print("case 0:", height[0], "m, and by itself:", motion.body("top").x[-1, 2], "m")
assert motion.body("top").x[-1, 2] == height[0]
