"""Comparisons and batches."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import torsor

STUDY = """scene = "{scene}"
draws = 6
[[parameter]]
kind = "uniform"
key = "body.top.mass"
unit = "kg"
from = 10
to = 20
"""


def short_top(folder):
    """The scene of a top for 0.01 s, also written to top.toml in the folder."""
    scene = torsor.load("heavy_top_slow")
    scene["run.end"] = 0.01
    (folder / "top.toml").write_text(scene.to_toml())
    return scene


class Comparisons(unittest.TestCase):
    def test_orders_are_observed(self):
        scene = torsor.load("heavy_top_slow")
        scene["run.end"] = 0.2
        found = scene.compare(["rkmk4", "lie-midpoint"], steps=[0.02, 0.01, 0.005, 0.0025], threads=1)
        orders = found.observed_orders
        self.assertAlmostEqual(orders["rkmk4"], 4, delta=0.3)
        self.assertAlmostEqual(orders["lie-midpoint"], 2, delta=0.2)
        self.assertEqual(len(found.runs), 8)
        self.assertIn("<svg", found._repr_html_())
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("csv", "svg", "html"):
                found.save(pathlib.Path(folder) / f"compare.{kind}")
            with self.assertRaises(ValueError):
                found.save(pathlib.Path(folder) / "compare.txt")

    def test_connections_are_compared(self):
        scene = torsor.load("heavy_top_slow")
        scene["run.end"] = 0.1
        found = scene.compare(connections=["canonical-plus", "christoffel"], steps=[0.01], threads=1)
        self.assertEqual([one["connection"] for one in found.combinations], ["canonical-plus", "christoffel"])
        self.assertEqual(found.combinations[1]["method"], "geodesic-verlet")

    def test_a_motion_may_be_the_reference(self):
        scene = torsor.load("heavy_top_slow")
        scene["run.end"] = 0.1
        found = scene.compare("rkmk4", steps=[0.01], reference=scene.run(tolerance=1e-12), threads=1)
        self.assertLess(found.runs[0]["error"], 1e-3)

    def test_the_numbers_of_a_run_that_failed_are_nan(self):
        scene = torsor.load("heavy_top_slow")
        scene["run.end"] = 2
        good, failed = scene.compare("lie-midpoint", steps=[0.01, 1], threads=1).runs
        self.assertEqual(failed["status"], "rejected")
        for name in ("error", "cpu_s", "evaluations", "steps", "drift", "position_residual"):
            self.assertGreaterEqual(good[name], 0)
            self.assertTrue(np.isnan(failed[name]), name)

    def test_steps_and_tolerances_are_lists_of_numbers(self):
        scene = torsor.load("heavy_top_slow")
        scene["run.end"] = 0.02
        for steps, message in (
            (["1 ms"], "steps must be a list of numbers of seconds; '1 ms' is not a number"),
            ("1 ms", "steps must be a list of numbers of seconds, not '1 ms'"),
            (0.01, "steps must be a list of numbers of seconds, not 0.01"),
        ):
            with self.subTest(steps=steps), self.assertRaises(TypeError) as refused:
                scene.compare("rkmk4", steps=steps)
            self.assertEqual(str(refused.exception), message)
        with self.assertRaisesRegex(TypeError, "tolerances must be a list of numbers; None is not a number"):
            scene.compare("rkmk4", tolerances=[1e-6, None])
        with self.assertRaisesRegex(TypeError, "methods must be a name or a list of names, .*; 4 is not a string"):
            scene.compare(["rkmk4", 4], steps=[0.01])
        found = scene.compare("rkmk4", steps=np.array([0.01], dtype=np.float32), threads=1)
        self.assertEqual(found.runs[0]["step"], float(np.float32(0.01)))

    def test_comparisons_and_batches_that_cannot_run_are_refused(self):
        with self.assertRaises(ValueError):
            torsor.load("fourbar_driven").compare("lie-verlet", steps=[0.01])
        scene = torsor.load("heavy_top_slow")
        with self.assertRaisesRegex(ValueError, "steps or tolerances, not both"):
            scene.compare("rkmk4", steps=np.array([0.01, 0.02]), tolerances=[1e-6])
        with self.assertRaisesRegex(ValueError, "empty name"):
            scene.compare(["", "rkmk4"], steps=[0.01])
        with self.assertRaisesRegex(ValueError, "threads must be 0.*not -1"):
            scene.compare("rkmk4", steps=[0.01], threads=-1)
        for limit in (0, -1, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "case_wall_limit must be a positive number of seconds, not "):
                scene.compare("rkmk4", steps=[0.01], case_wall_limit=limit)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ValueError, "threads must be 0.*not -2"):
                torsor.batch("heavy_tops", pathlib.Path(folder) / "batch", threads=-2)
            with self.assertRaisesRegex(ValueError, "or 1 to 4096, not 5000"):
                torsor.batch("heavy_tops", pathlib.Path(folder) / "batch", threads=5000)
            self.assertEqual(os.listdir(folder), [])


class Batches(unittest.TestCase):
    def test_a_study(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            scene = short_top(folder)
            (folder / "masses.toml").write_text(STUDY.format(scene="top.toml"))
            batch = torsor.batch(folder / "masses.toml", folder / "batch", threads=2)
            table = batch.table()
            self.assertEqual(set(table["status"]), {"reached-end"})
            masses = table["body.top.mass"]
            self.assertTrue(np.all((10 <= masses) & (masses <= 20)))
            self.assertEqual(list(table["message"]), [""] * len(masses))
            heights = batch.table("body.top.z")["body.top.z"]
            for mass, height in zip(masses, heights):
                self.assertEqual(scene.run(settings={"body.top.mass": mass}).body("top").x[-1, 2], height)
            heavy = batch.table("body.top.mass", where="body.top.mass > 15")["body.top.mass"]
            self.assertTrue(np.array_equal(heavy, masses[masses > 15]))
            with self.assertRaises(ValueError):
                batch.table("body.top.zz")
            with self.assertRaises(ValueError):
                torsor.batch(folder / "masses.toml", folder / "batch")  # it is there already

    def test_messages_name_arguments_and_functions_of_python(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            short_top(folder)
            study, made = folder / "masses.toml", folder / "batch"
            study.write_text(STUDY.format(scene="top.toml"))
            torsor.batch(study, made, threads=1)
            with self.assertRaisesRegex(ValueError, "holds a batch already; resume=True continues it"):
                torsor.batch(study, made)
            study.write_text(study.read_text() + "[keep]\nstatistics = false\n")
            with self.assertRaisesRegex(ValueError, "cannot be resumed: .*; force=True resumes it anyway"):
                torsor.batch(study, made, resume=True)
            with self.assertRaisesRegex(torsor.ResultError, "not the result of a run; torsor.Batch reads it"):
                torsor.read(made)
            with self.assertRaisesRegex(torsor.SceneError, "this is a study, not a scene; torsor.batch runs it"):
                torsor.load(study)
            with self.assertRaisesRegex(torsor.SceneError, "this is a scene, not a study; torsor.load loads it"):
                torsor.batch(folder / "top.toml", folder / "other")

    def test_where_is_a_condition_only(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            short_top(folder)
            (folder / "masses.toml").write_text(STUDY.format(scene="top.toml"))
            batch = torsor.batch(folder / "masses.toml", folder / "batch", threads=1)
            for where in (
                "1=1) union select sql from sqlite_master --",
                "1=1) union select 1, 2 where (1=1",
                "1=1) --",
                "(1=1",
                "status = 'reached-end",
                "1=1; delete from cases",
            ):
                with self.subTest(where), self.assertRaisesRegex(ValueError, "is not a valid condition"):
                    batch.table("case", "status", where=where)
            masses = batch.table("body.top.mass")["body.top.mass"]
            heavy = batch.table("body.top.mass", where="case when body.top.mass > 15 then 1 else 0 end")
            self.assertTrue(np.array_equal(heavy["body.top.mass"], masses[masses > 15]))
            self.assertEqual(list(batch.table("case", where="case > 2 and case < 5")["case"]), [3, 4])

    def test_texts_that_look_like_numbers_stay_texts(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            short_top(folder)
            (folder / "titles.toml").write_text(
                'scene = "top.toml"\n[[parameter]]\nkind = "list"\nkey = "title"\nvalues = ["1_0", "2_0"]\n'
                '[[parameter]]\nkind = "list"\nkey = "body.top.color"\nvalues = ["#112233"]\n'
            )
            batch = torsor.batch(folder / "titles.toml", folder / "batch", threads=1)
            self.assertEqual(list(batch.table("title")["title"]), ["1_0", "2_0"])
            self.assertEqual(list(batch.table("body.top.color")["body.top.color"]), 2 * [" 112233"])

    def test_progress_is_told_to_a_function_whose_exception_stops_the_batch(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            short_top(folder)
            study = folder / "masses.toml"
            study.write_text(STUDY.format(scene="top.toml"))

            def stop(state):
                raise ArithmeticError("enough")

            with self.assertRaisesRegex(ArithmeticError, "enough"):
                torsor.batch(study, folder / "batch", threads=1, progress=stop)
            states = []
            batch = torsor.batch(study, folder / "batch", threads=1, resume=True, progress=states.append)
            cases = len(batch.table("case")["case"])
            self.assertEqual(
                {key: states[-1][key] for key in ("cases", "done", "failed", "left", "left_s")},
                {"cases": cases, "done": cases, "failed": 0, "left": 0, "left_s": 0},
            )
            done = [state["done"] for state in states]
            self.assertEqual(done, sorted(done))

    def test_a_batch_of_another_build_of_the_module_is_not_resumed(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            package = folder / "torsor"
            shutil.copytree(pathlib.Path(torsor.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
            scene = short_top(folder)
            (folder / "masses.toml").write_text(STUDY.format(scene="top.toml"))

            def resume():
                script = "import torsor; torsor.batch('masses.toml', 'batch', threads=1, resume=True)"
                return subprocess.run(
                    [sys.executable, "-c", script],
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": place},
                    capture_output=True,
                    text=True,
                )

            for _ in range(2):
                same = resume()
                self.assertEqual(same.returncode, 0, same.stderr)
            (module,) = package.glob("_core*.so")
            with module.open("ab") as file:
                file.write(b"another build")
            self.assertIn("it was begun by another program", resume().stderr)


if __name__ == "__main__":
    unittest.main()
