"""Torsor: multibody motion on Lie groups.

    import torsor

    scene = torsor.load("heavy_top_bruls")    # a shipped scene, a file or a dictionary
    scene["body.top.mass"] = 12               # as `torsor run --set`
    motion = scene.run(tolerance=1e-10)
    motion.t, motion.body("top").x            # NumPy arrays
    motion.view()                             # a replay in the browser

docs/python.md describes the package.
"""

from __future__ import annotations

from ._build import VERSION as __version__
from .batches import Batch, batch, studies
from .comparison import Comparison, compare
from .errors import Diagnostic, FileError, ResultError, RunError, SceneError
from .groups import SE2, SE3, SO2, SO3
from .model import Model
from .motion import Motion, Sample, read
from .scene import Scene, load, loads, methods, scenes

__all__ = [
    "Batch",
    "Comparison",
    "Diagnostic",
    "FileError",
    "Model",
    "Motion",
    "ResultError",
    "RunError",
    "SE2",
    "SE3",
    "SO2",
    "SO3",
    "Sample",
    "Scene",
    "SceneError",
    "__version__",
    "batch",
    "compare",
    "load",
    "loads",
    "methods",
    "read",
    "scenes",
    "studies",
]
