"""Motions: arrays, parts, files, pages, tables of pandas and plots."""

import copy
import gc
import pathlib
import pickle
import tempfile
import unittest
import unittest.mock

import numpy as np
import torsor


class Arrays(unittest.TestCase):
    def setUp(self):
        self.motion = torsor.load("heavy_top_bruls").run(end=0.1)

    def test_arrays_are_views_of_one_table(self):
        table = self.motion.table
        self.assertEqual(table.shape, (11, len(self.motion.columns)))
        self.assertFalse(table.flags.owndata)
        top = self.motion.body("top")
        for array in (self.motion.t, top.x, top.q, self.motion.joint("pivot").force, self.motion.energy):
            self.assertTrue(np.shares_memory(array, table))
            self.assertFalse(array.flags.writeable)

    def test_an_array_keeps_the_motion_alive(self):
        x = self.motion.body("top").x
        expected = x.copy()
        del self.motion
        gc.collect()
        others = [torsor.load("heavy_top_bruls").run(end=0.1, tolerance=1e-4) for _ in range(20)]
        self.assertEqual(len(others), 20)
        self.assertTrue(np.array_equal(x, expected))

    def test_parts_agree_with_their_columns(self):
        top, pivot = self.motion.body("top"), self.motion.joint("pivot")
        for k, axis in enumerate("xyz"):
            self.assertTrue(np.array_equal(top.x[:, k], self.motion[f"body.top.{axis}"]))
            for name in ("v", "Omega", "vdot", "Omegadot"):
                self.assertTrue(np.array_equal(getattr(top, name)[:, k], top[f"{name}_{axis}"]))
            self.assertTrue(np.array_equal(pivot.rates[:, k], pivot[f"Omega_{axis}"]))
            self.assertTrue(np.array_equal(pivot.accelerations[:, k], pivot[f"Omegadot_{axis}"]))
            self.assertTrue(np.array_equal(pivot.torque[:, k], pivot[f"torque_{axis}"]))
        turned = torsor.SO3.matrix(pivot.coordinates) - torsor.SO3.matrix(top.q)
        self.assertTrue(np.all(np.abs(turned) < 1e-14))
        self.assertEqual(self.motion.units["body.top.v_x"], "m/s")

    def test_the_columns_of_a_part_are_those_that_begin_with_its_name(self):
        motion = torsor.load("slider_crank_spatial").run(end=1e-3)
        for kind, names in (("body", motion.bodies), ("joint", motion.joints), ("constraint", motion.constraints)):
            begins = [column.split(".")[1] for column in motion.columns if column.startswith(kind + ".")]
            self.assertEqual(names, list(dict.fromkeys(begins)))
            for name in names:
                part, prefix = getattr(motion, kind)(name), f"{kind}.{name}."
                expected = [column for column in motion.columns if column.startswith(prefix)]
                self.assertEqual([prefix + column for column in part.columns], expected)

    def test_the_end_is_that_of_the_summary(self):
        summary, top = self.motion.summary, self.motion.body("top")
        self.assertEqual(list(top.x[-1]), summary["bodies"]["top"]["x"])
        self.assertEqual(list(top.q[-1]), summary["bodies"]["top"]["q"])
        self.assertEqual(list(self.motion.angular_momentum[-1]), summary["momentum"]["angular"])
        self.assertEqual(self.motion.steps, summary["steps"]["accepted"])
        self.assertEqual(self.motion.evaluations, summary["evaluations"])
        self.assertEqual(max(abs(self.motion.drift)), summary["energy"]["max_drift"])

    def test_unknown_names_are_refused_with_the_nearest(self):
        for ask in (
            lambda: self.motion.body("to"),
            lambda: self.motion["body.to.x"],
            lambda: self.motion.joint("pivo"),
        ):
            with self.assertRaisesRegex(torsor.ResultError, "did you mean"):
                ask()
        with self.assertRaisesRegex(torsor.ResultError, 'did you mean "body.top.x"'):
            self.motion["body.top.X"]

    def test_columns_are_named_by_strings(self):
        for call in (lambda: self.motion[0], lambda: self.motion[1:3], lambda: list(self.motion)):
            with self.assertRaisesRegex(TypeError, "a column is named by a string"):
                call()
        with self.assertRaisesRegex(TypeError, "a body is named by a string, not by 0"):
            self.motion.body(0)

    def test_a_state_may_have_dots_in_its_name(self):
        columns = [("t", "s"), ("body.a.x", "m"), ("body.a.y", "m")]
        columns += [("state.spring.extension", "m"), ("state.spring", "1")]
        values = torsor.Sample(lambda: torsor.motion.Columns((columns, {})), lambda: np.array([0.0, 1, 2, 3, 4]))
        self.assertEqual(values.bodies, ["a"])
        self.assertEqual(values.states, ["spring.extension", "spring"])
        self.assertEqual(values.state("spring.extension"), 3)
        self.assertEqual(values.state("spring"), 4)

    def test_repr_tells(self):
        self.assertRegex(repr(self.motion), "heavy_top_bruls: reached-end, 11 samples, [0-9]+ steps")
        self.assertIn("Omega_x", repr(self.motion.body("top")))


class Kinds(unittest.TestCase):
    def test_a_system_in_coordinates(self):
        motion = torsor.load("curved_sleigh").run()
        for name in motion.coordinates:
            self.assertTrue(np.array_equal(motion.coordinate(name).rate, motion[f"coordinate.{name}.rate"]))
        blade = motion.constraint("blade")
        self.assertEqual(blade.multiplier.shape, motion.t.shape)
        self.assertEqual(blade.multipliers.shape, (len(motion), 1))
        self.assertTrue(np.array_equal(blade.multipliers[:, 0], blade.multiplier))
        self.assertEqual(motion.bodies, [])

    def test_particles_and_constraints(self):
        motion = torsor.load("ten_particles").run(end=0.01)
        particle = motion.body(motion.bodies[0])
        self.assertEqual(particle.x.shape, (len(motion), 3))
        self.assertEqual(particle.reaction.shape, (len(motion), 3))
        constraint = motion.constraint(motion.constraints[0])
        self.assertEqual(constraint.multipliers.shape, (len(motion), 1))
        self.assertTrue(np.array_equal(constraint.multipliers[:, 0], constraint["multiplier_0"]))


class Files(unittest.TestCase):
    def test_a_saved_motion_is_read_with_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("governor", "ball_on_incline", "moving_pendulum_chart", "fourbar_driven"):
                motion, file = torsor.load(name).run(), pathlib.Path(folder) / f"{name}.h5"
                motion.save(file)
                again = torsor.read(file)
                self.assertEqual(again.columns, motion.columns)
                self.assertTrue(np.array_equal(again.table, motion.table, equal_nan=True))
                self.assertEqual(again.status, motion.status)
                self.assertEqual(again.events, motion.events)
                found, expected = again.summary, motion.summary
                for one in (found, expected):
                    del one["wall_s"]
                self.assertEqual(found, expected)
                self.assertEqual(again.notes, ["; ".join(motion.notes)] if motion.notes else [])

    def test_a_file_keeps_the_status_of_a_run_that_failed(self):
        scene = torsor.load("spherical_motion_313")
        scene["chart.connection"] = {
            "base": "christoffel",
            "affinities": {"w1, w2 -> w3": "(1 + sign(0.8 - theta))/20"},  # wrong where theta < 0.8
        }
        motion = scene.run(check=False)
        self.assertEqual(motion.status, "connection-lost")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "lost.h5"
            motion.save(file)
            again = torsor.read(file)
            self.assertEqual(again.status, motion.status)
            self.assertFalse(again.good)

    def test_the_name_of_a_file_has_no_nul_character(self):
        motion = torsor.load("heavy_top_bruls").run(end=0.1)
        with tempfile.TemporaryDirectory() as place:
            name = place + "/one\0two.h5"
            for use in (motion.save, torsor.read, torsor.load, torsor.Batch, lambda file: torsor.batch("heavy_tops", file)):
                with self.assertRaisesRegex(ValueError, "NUL character"):
                    use(name)
            self.assertEqual(list(pathlib.Path(place).iterdir()), [])

    def test_files_of_other_kinds_are_not_replaced(self):
        motion = torsor.load("heavy_top_bruls").run(end=0.01)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "notes.csv"
            file.write_text("my notes\n")
            with self.assertRaisesRegex(torsor.FileError, "another kind has this name; force=True replaces it"):
                motion.save(file)
            self.assertEqual(file.read_text(), "my notes\n")
            motion.save(file, force=True)
            motion.save(file)  # a table of Torsor
            with self.assertRaises(ValueError):
                motion.save(file.with_suffix(".txt"))
            with self.assertRaises(torsor.ResultError):
                torsor.read(file)

    def test_pages(self):
        motion = torsor.load("heavy_top_bruls").run(end=0.1)
        with tempfile.TemporaryDirectory() as folder:
            page = motion.view(pathlib.Path(folder) / "replay.html", open=False)
            self.assertIn("<!-- Made by torsor view.", page.read_text())
            self.assertEqual(motion.view(page, open=False), page)
            scene = pathlib.Path(folder) / "scene.toml"
            scene.write_text("# mine\n")
            with self.assertRaisesRegex(torsor.FileError, "has this name; force=True replaces it"):
                motion.view(scene, open=False)
            self.assertEqual(scene.read_text(), "# mine\n")
            motion.view(scene, open=False, force=True)
            result = pathlib.Path(folder) / "result.h5"
            motion.save(result)
            with self.assertRaisesRegex(torsor.FileError, "it is the input"):
                torsor.read(result).view(result, open=False, force=True)
        self.assertIn("<iframe srcdoc=", motion._repr_html_())
        self.assertIn("Heavy top of Bruls", motion.report())
        self.assertEqual(motion.warnings(), [])

    def test_a_single_name_is_a_list_of_one(self):
        motion = torsor.load("heavy_top_bruls").run(end=0.1)
        self.assertEqual(motion.replay("energy"), motion.replay(["energy"]))
        self.assertNotEqual(motion.replay("energy"), motion.replay())
        with tempfile.TemporaryDirectory() as folder:
            page = motion.view(pathlib.Path(folder) / "replay.html", columns="energy", open=False)
            self.assertEqual(page.read_text(), motion.replay(["energy"]))
        for names in (4, [4], None):
            with self.assertRaisesRegex(TypeError, "columns must be a name or a list of names, which are strings; "):
                motion.replay(names)

    def test_pickles_of_motions_are_complete(self):
        failed = torsor.load("heavy_top_bruls").run(method="lie-midpoint", step=0.5, check=False)
        scene = torsor.load("heavy_top_bruls").to_dict()
        scene["event"] = [{"name": "low", "quantity": "expression", "expression": "body.top.position.x"}]
        with_events = torsor.load(scene).run(end=0.5)
        for motion in (torsor.load("heavy_top_bruls").run(end=0.1), failed, with_events):
            again = pickle.loads(pickle.dumps(motion))
            self.assertTrue(np.array_equal(again.table, motion.table, equal_nan=True))
            self.assertFalse(again.table.flags.writeable)
            for name in ("name", "scene", "status", "message", "notes", "events", "units", "summary", "evaluations"):
                self.assertEqual(getattr(again, name), getattr(motion, name), name)
            self.assertEqual(again.warnings(), motion.warnings())
            self.assertEqual(again.replay(), motion.replay())
        self.assertTrue(failed.message)
        self.assertTrue(with_events.events)

    def test_copies_and_pickles_of_motions_their_parts_and_samples(self):
        samples = []
        motion = torsor.load("heavy_top_bruls").run(end=0.1, observer=samples.append)
        for copied in (copy.copy(motion), copy.deepcopy(motion)):
            self.assertTrue(np.array_equal(copied.table, motion.table))
        for make in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
            self.assertTrue(np.array_equal(make(motion.body("top")).x, motion.body("top").x))
            sample = make(samples[-1])
            self.assertEqual((sample.t, sample.energy), (motion.t[-1], motion.energy[-1]))
            self.assertEqual(sample.columns, motion.columns)

    def test_view_opens_a_page(self):
        with unittest.mock.patch("webbrowser.open") as opened:
            page = torsor.load("heavy_top_bruls").run(end=0.01).view()
        opened.assert_called_once_with(page.resolve().as_uri())
        self.assertTrue(page.exists())
        page.unlink()
        page.parent.rmdir()

    def test_a_scene_name_cannot_lead_the_page_out_of_its_folder(self):
        motion = torsor.load("heavy_top_bruls").run(end=0.01)
        with tempfile.TemporaryDirectory() as folder:
            notes = pathlib.Path(folder) / "notes.html"
            notes.write_text("my notes\n")
            for name in (str(notes.with_suffix("")), "../notes"):  # a file may hold any name
                with unittest.mock.patch.object(torsor.Motion, "name", name):
                    page = motion.view(open=False)
                self.assertEqual(page.parent.parent, pathlib.Path(tempfile.gettempdir()))
                self.assertTrue(page.parent.name.startswith("torsor-"))
                page.unlink()
                page.parent.rmdir()
            self.assertEqual(notes.read_text(), "my notes\n")

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas (python3-pandas)")
        motion = torsor.load("heavy_top_bruls").run(end=0.1)
        frame = motion.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(frame.index.name, "t")
        self.assertTrue(np.array_equal(frame["body.top.z"].to_numpy(), motion["body.top.z"]))
        self.assertEqual(list(motion.to_pandas(["energy"]).columns), ["energy"])
        self.assertEqual(list(motion.to_pandas("energy").columns), ["energy"])

    def test_plots(self):
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            self.skipTest("no matplotlib (python3-matplotlib)")
        motion = torsor.load("heavy_top_bruls").run(end=0.1)
        self.assertEqual(len(motion.plot()), 2)
        height, speed = motion.plot("body.top.z", "body.top.v_z")
        self.assertEqual((height.get_ylabel(), speed.get_ylabel()), ("m", "m/s"))
        self.assertTrue(np.array_equal(height.lines[0].get_ydata(), motion["body.top.z"]))
        _, axes = plt.subplots()
        self.assertIs(motion.plot("body.top.z", "drift", "body.top.qw", axes=axes), axes)
        self.assertEqual(axes.get_ylabel(), "")  # the curves have different units
        legend = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(legend, ["body.top.z, m", "drift, J", "body.top.qw"])
        self.assertEqual(motion.plot("body.top.qw").get_ylabel(), "")
        with self.assertRaisesRegex(torsor.ResultError, "did you mean"):
            motion.plot("body.top.zz")


if __name__ == "__main__":
    unittest.main()
