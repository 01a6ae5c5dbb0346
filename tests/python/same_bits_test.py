"""The motions of the package agree bit for bit with the motions of the command, for every shipped scene."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import torsor

COMMAND = os.environ["TORSOR_COMMAND"]


def repeatable(table):
    """The lines of a table without the wall time, and without the commit, which differs between two builds."""
    return [line for line in table.splitlines() if not line.startswith(("# wall_s:", "# git:"))]


class SameBits(unittest.TestCase):
    def test_every_shipped_scene(self):
        self.assertGreater(len(torsor.scenes()), 60)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for name in torsor.scenes():
                with self.subTest(name):
                    run = [COMMAND, "run", name, "--format", "csv", "--quiet", "-o", str(folder / "command")]
                    subprocess.run(run, capture_output=True)
                    expected = (folder / "command" / f"{name}.csv").read_text()
                    motion = torsor.load(name).run(check=False)
                    motion.save(folder / f"{name}.csv")
                    self.assertEqual(repeatable((folder / f"{name}.csv").read_text()), repeatable(expected))
                    rows = [line.split(",") for line in expected.splitlines()[1:] if not line.startswith("#")]
                    numbers = np.array(rows, dtype=float)
                    self.assertTrue(np.array_equal(numbers, motion.table, equal_nan=True))


if __name__ == "__main__":
    unittest.main()
