"""Runs the Python programs of the README and of docs/python.md, and the examples in docstrings."""

import os
import pathlib
import re
import tempfile
import unittest

import torsor

CHECKOUT = pathlib.Path(os.environ["TORSOR_CHECKOUT"])


class Programs(unittest.TestCase):
    def check(self, text, least):
        programs = [one for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "torsor" in one]
        self.assertGreaterEqual(len(programs), least)
        for program in programs:
            with self.subTest(program.splitlines()[0]):
                exec(compile(program, "program", "exec"), {"torsor": torsor})

    def test_pages(self):
        self.check((CHECKOUT / "README.md").read_text(), 1)
        self.check((CHECKOUT / "docs" / "python.md").read_text(), 2)

    def test_docstrings(self):
        for text in (torsor.__doc__, torsor.Model.__doc__):
            lines = [line.removeprefix(" " * 4).strip() for line in text.splitlines() if line.startswith("    ")]
            kept = ("scene[", "model.", "motion.", "import")
            program = "\n".join(line for line in lines if " = " in line or line.startswith(kept))
            self.assertGreater(len(program.splitlines()), 3)
            exec(compile(program, "docstring", "exec"), {"torsor": torsor})


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tempfile.tempdir:  # pages are written there
        unittest.main()
