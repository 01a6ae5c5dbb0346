"""The types of the package and of programs that use it, checked by mypy. Skipped without mypy."""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """import torsor

scene = torsor.load("heavy_top_bruls")
scene["body.top.mass"] = 12
motion = scene.run(tolerance=1e-10, observer=lambda at: bool(at.t > 1))
height = motion.body("top").x[:, 2]
reveal_type(height)
reveal_type(torsor.SO3.exp([[1, 2, 3]]))
scene.run(tolerance="small")  # wrong
"""


def mypy(*arguments, cache):
    command = [*MYPY, "--strict", "--ignore-missing-imports", "--no-error-summary", "--cache-dir", cache, *arguments]
    environment = {**os.environ, "MYPYPATH": os.environ["PYTHONPATH"]}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout + done.stderr


MYPY = ["mypy", "--python-executable", sys.executable]
try:
    subprocess.run([*MYPY[:1], "--version"], capture_output=True, check=True)
except (OSError, subprocess.CalledProcessError):
    print("skipped: no mypy (package mypy)")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    code, text = mypy("-p", "torsor", cache=folder)
    if code != 0:
        sys.exit(text)
    program = pathlib.Path(folder) / "program.py"
    program.write_text(PROGRAM)
    code, text = mypy(str(program), cache=folder)
    errors = [line for line in text.splitlines() if ": error: " in line]
    if len(errors) != 1 or "program.py:9" not in errors[0] or text.count("ndarray") < 2:
        sys.exit(text)
