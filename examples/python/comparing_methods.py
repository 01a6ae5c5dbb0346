# %% [markdown]
# # Comparing methods
#
# Which method is the cheapest for a given accuracy? `compare` runs a scene with several methods and measures the error
# of each against a run of much higher accuracy.

# %%
import tempfile

import torsor

scene = torsor.load("heavy_top_slow")
scene["run.end"] = 0.5
found = scene.compare(["rkmk4", "cf4", "lie-midpoint"], steps=[0.02, 0.01, 0.005, 0.0025])
print(found)
print(found.reference)

# %% [markdown]
# The observed order is the slope of the error over the step size, both on logarithmic axes.

# %%
for label, order in found.observed_orders.items():
    print(f"{label:14} order {order:.2f}")
assert abs(found.observed_orders["rkmk4"] - 4) < 0.5
assert abs(found.observed_orders["lie-midpoint"] - 2) < 0.2

# %% [markdown]
# The runs are a list of dictionaries; `found.to_pandas()` gives them as a table. In a notebook, `found` shows diagrams
# of the error over computing time, evaluations and step size.

# %%
for run in found.runs:
    cost = f"{run['evaluations']:.0f} evaluations"
    print(f"{run['label']:14} step {run['step']:<7} error {run['error']:.2e} {found.unit}, {cost}")
with tempfile.TemporaryDirectory() as folder:
    found.save(f"{folder}/comparison.html")

# %% [markdown]
# The group of free bodies is a setting like any other: R^3 x SO(3) or SE(3).

# %%
body = torsor.load("spatial_body_direct")
groups = body.compare("rkmk4", groups=["direct", "semidirect"], steps=[0.02, 0.01])
for run in groups.runs:
    print(f"{run['label']:18} step {run['step']:<5} error {run['error']:.2e} {groups.unit}")
