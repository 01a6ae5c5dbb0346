"""Scenes: loading, settings, errors, checks and geometry, compared with the command."""

import copy
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import tomllib
import unittest
import unittest.mock

import numpy as np
import torsor

COMMAND = os.environ["TORSOR_COMMAND"]
SCENES = pathlib.Path(os.environ["TORSOR_CHECKOUT"]) / "scenes"
BODY = '[[body]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n'
BALL = {
    "gravity": [0, 0, -9.81],
    "run": {"end": 1.0, "output": 0.1},
    "body": [{"name": "ball", "position": np.array([0.0, 0, 1]), "mass": "430 g", "inertia": np.full(3, 2e-3)}],
}


def command(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


class Loading(unittest.TestCase):
    def test_by_name_by_path_by_text_and_as_a_dictionary(self):
        named, file = torsor.load("heavy_top_bruls"), SCENES / "heavy_top_bruls.toml"
        self.assertEqual(named.title, "Heavy top of Bruls and Cardona")
        energy = named.run().energy
        for other in (torsor.load(file), torsor.loads(file.read_text()), torsor.load(named.to_dict())):
            self.assertTrue(np.array_equal(other.run().energy, energy))

    def test_all_shipped_scenes_are_listed_with_their_titles(self):
        self.assertEqual(sorted(torsor.scenes()), sorted(path.stem for path in SCENES.glob("*.toml")))
        self.assertEqual(torsor.scenes()["simple_pendulum"], torsor.load("simple_pendulum").title)
        self.assertIn("heavy_tops", torsor.studies())

    def test_a_dictionary_may_hold_arrays_units_and_tables(self):
        motion = torsor.load(BALL, name="ball").run()
        self.assertEqual(motion.name, "ball")
        self.assertAlmostEqual(motion.body("ball").x[-1, 2], 1 - 9.81 / 2, places=12)

    def test_numbers_of_a_dictionary_keep_their_bits(self):
        scene = copy.deepcopy(BALL)
        scene["body"][0]["mass"] = 0.1 + 0.2
        self.assertEqual(torsor.load(scene)["body.ball.mass"], 0.1 + 0.2)

    def test_a_value_without_a_form_in_toml_is_refused(self):
        with self.assertRaises(TypeError):
            torsor.load({**BALL, "title": object()})

    def test_scenes_of_ones_own_folder_come_first(self):
        pathlib.Path("own").mkdir()
        pathlib.Path("own/simple_pendulum.toml").write_text('title = "Mine"\n[run]\nend = 1\n' + BODY)
        os.environ["TORSOR_SCENES"] = "own"
        try:
            self.assertEqual(torsor.load("simple_pendulum").title, "Mine")
            self.assertEqual(torsor.scenes()["simple_pendulum"], "Mine")
        finally:
            del os.environ["TORSOR_SCENES"]
        self.assertNotEqual(torsor.load("simple_pendulum").title, "Mine")

    def test_a_scene_keeps_its_tables_when_the_folder_or_the_file_changes(self):
        push = {"name": "push", "kind": "body-force", "body": "ball", "force": ["table('push.csv', 'f', t)", 0, 0]}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "push.csv"
            table.write_text("t,f\n0,1\n1,2\n")
            os.chdir(folder)
            try:
                scene = torsor.load({**BALL, "force": [push]})
                expected = scene.run().table
                saved = pickle.dumps(scene)
                table.write_text("t,f\n0,5\n1,5\n")
                os.chdir(before)
                scene["body.ball.mass"] = "430 g"
                for one in (scene, scene.copy(), pickle.loads(saved)):
                    self.assertTrue(np.array_equal(one.run().table, expected))
                table.unlink()
                for one in (scene, scene.copy(), pickle.loads(saved)):
                    self.assertTrue(np.array_equal(one.run(settings={"run.max_steps": 10**6}).table, expected))
            finally:
                os.chdir(before)

    def test_unknown_names_are_refused_with_the_nearest(self):
        with self.assertRaisesRegex(torsor.SceneError, 'did you mean "heavy_top_bruls"'):
            torsor.load("heavy_top_brul")


class Settings(unittest.TestCase):
    def setUp(self):
        self.scene = torsor.load("heavy_top_bruls")

    def test_settings_act_as_the_option_set_of_the_command(self):
        self.scene["body.top.mass"] = 12
        self.scene["integrator.step"] = "1 ms"  # replaces the tolerance
        self.scene["run.end"] = 0.5
        settings = [f"--set={key}={value}" for key, value in self.scene.settings.items()]
        expected = json.loads(command("run", "heavy_top_bruls", "--json", *settings).stdout)
        found = self.scene.run().summary
        del expected["wall_s"], found["wall_s"]
        self.assertEqual(found, expected)

    def test_values_are_read_back(self):
        self.scene["body.top.mass"] = 12
        self.assertEqual(self.scene["body.top.mass"], 12)
        self.assertEqual(self.scene["joint.pivot.child_frame.position"], [0, -1, 0])
        self.assertEqual(self.scene["joint.pivot.child_frame.position.1"], -1)
        for key in ("body.bottom.mass", "body.top.colour", "nothing"):
            with self.assertRaises(KeyError):
                self.scene[key]

    def test_many_values_are_read_from_one_reading_of_the_scene(self):
        with unittest.mock.patch("torsor.scene.tomllib.loads", wraps=tomllib.loads) as read:
            for _ in range(3):
                position = self.scene["joint.pivot.child_frame.position"]
                self.assertEqual(position, [0, -1, 0])
                position[0] = 7  # a copy
            self.assertEqual(read.call_count, 1)
            self.scene["joint.pivot.child_frame.position"] = [0, -2, 0]
            self.assertEqual(self.scene["joint.pivot.child_frame.position.1"], -2)
            self.assertEqual(read.call_count, 2)

    def test_keys_are_strings_and_can_be_looked_for(self):
        scene = torsor.load("heavy_top_bruls")
        self.assertIn("body.top.mass", scene)
        for key in ("body.top.colour", "body.7", "body.\u00b2"):
            self.assertNotIn(key, scene)
        for call in (lambda: scene[0], lambda: scene.update({3: 4}), lambda: 3 in scene, lambda: list(scene)):
            with self.assertRaisesRegex(TypeError, 'a key of a scene is a string such as "body.top.mass"'):
                call()

    def test_errors_agree_with_the_command_and_leave_the_scene_unchanged(self):
        before = self.scene.to_toml()
        for key, value in (("body.top.mas", 3), ("body.tip.mass", 3), ("body.top.mass", "3 m"), ("body.top.mass", -1)):
            with self.assertRaises(torsor.SceneError) as caught:
                self.scene[key] = value
            given = f"{key}={json.dumps(value)}"
            expected = command("check", str(SCENES / "heavy_top_bruls.toml"), "--set", given).stderr
            self.assertEqual(str(caught.exception).strip(), expected.strip())
            self.assertEqual(self.scene.to_toml(), before)

    def test_several_values_are_set_together(self):
        with self.assertRaises(torsor.SceneError):
            self.scene["run.begin"] = 100  # after the end
        self.scene.update({"run.begin": 100, "run.end": 101})
        self.assertEqual((self.scene["run.begin"], self.scene["run.end"]), (100, 101))

    def test_step_and_tolerance_replace_each_other(self):
        self.scene["run.end"] = 0.01
        for key, value in (("step", 1e-3), ("tolerance", 1e-8), ("step", 2e-3)):
            self.scene["integrator." + key] = value
            summary = self.scene.run().summary
            self.assertEqual(summary[key], value)
            self.assertNotIn("tolerance" if key == "step" else "step", summary)

    def test_copies_and_pickles_have_settings_of_their_own(self):
        self.scene["body.top.mass"] = 12
        for other in (self.scene.copy(), pickle.loads(pickle.dumps(self.scene))):
            self.assertEqual(other["body.top.mass"], 12)
            other["body.top.mass"] = 13
            self.assertEqual(self.scene["body.top.mass"], 12)


class Errors(unittest.TestCase):
    def test_all_errors_of_a_file_with_their_places(self):
        text = "gravity = [0, 0]\n[run]\nend = 1\n[[body]]\nname = 'a'\nmas = 1\n"
        with self.assertRaises(torsor.SceneError) as caught:
            torsor.loads(text, name="wrong")
        error = caught.exception
        self.assertEqual((error.file, error.line), ("wrong.toml", 1))
        self.assertGreater(error.column, 0)
        self.assertGreater(len(error.diagnostics), 1)
        self.assertTrue(any('did you mean "mass"' in one.message for one in error.diagnostics))
        self.assertTrue(all(one.text in str(error) for one in error.diagnostics))
        self.assertIsInstance(pickle.loads(pickle.dumps(error)), torsor.SceneError)

    def test_an_unknown_name_refers_to_the_list_of_the_package(self):
        with self.assertRaises(torsor.SceneError) as caught:
            torsor.load("xylophone")
        self.assertEqual(caught.exception.message, "no such file or scene; torsor.scenes lists the names")

    def test_a_start_that_is_not_finite_is_refused_by_check(self):
        pathlib.Path("fast.toml").write_text("[run]\nend = 1\n" + BODY + "velocity_world = [1e200, 0, 0]\n")
        with self.assertRaises(torsor.SceneError) as caught:
            torsor.load("fast.toml").check()
        self.assertEqual(str(caught.exception).strip(), command("check", "fast.toml").stderr.strip())

    def test_files_that_must_be_refused_give_the_messages_of_the_command(self):
        files = sorted((SCENES.parent / "tests" / "invalid_scenes").glob("*.toml"))
        self.assertGreater(len(files), 20)
        for file in files[::10]:
            with self.subTest(file.name), self.assertRaises(torsor.SceneError) as caught:
                torsor.load(file).check()
            self.assertEqual(str(caught.exception).strip(), command("check", str(file)).stderr.strip())


class Reports(unittest.TestCase):
    def test_check(self):
        found = torsor.load("heavy_top_bruls").check()
        self.assertEqual((found["freedoms"], found["rows"], found["redundant"]), (3, 0, []))
        self.assertEqual(found["start"]["bodies"]["top"]["x"], [0, 1, 0])
        found = torsor.load("bennett").check()
        self.assertEqual(found["freedoms"], 1)
        self.assertTrue(found["redundant"])
        self.assertTrue(any("redundan" in note or "depend" in note for note in found["notes"]))
        self.assertEqual(torsor.load("chaplygin_sleigh").check()["rows"], 1)

    def test_check_counts_degrees_of_freedom_as_the_command_does(self):
        circle = {"name": "circle", "position": "x^2 + y^2 - 1"}
        chart = {
            "coordinates": ["x", "y", "z"],
            "start": [1, 0, 0],
            "rates": [0, 1, 0.3],
            "particle": [{"mass": 1, "position": ["x", "y", "z"]}],
            "constraint": [circle, {"name": "again", "position": "(x^2 + y^2 - 1)*1e-9"}],
        }
        twice = torsor.load({"run": {"end": 1}, "chart": chart}).check()
        self.assertEqual((twice["freedoms"], twice["rows"], twice["redundant"]), (2, 2, ["again"]))
        for name in ("curved_sleigh", "curved_sleigh_viscous", "rolling_disk_exact", "rolling_disk_viscous_1e-2"):
            with self.subTest(name):
                freedoms = torsor.load(name).check()["freedoms"]
                self.assertIn(f", {freedoms} degrees of freedom\n", command("check", name).stdout)

    def test_geometry_agrees_with_the_command(self):
        for name, at in (("heavy_top_bruls", 0.1), ("chaplygin_sleigh", None)):
            expected = command("geometry", name, "--json", *([] if at is None else ["--at", str(at)])).stdout
            self.assertEqual(torsor.load(name).geometry(at), json.loads(expected))
        with self.assertRaisesRegex(ValueError, "before the start"):
            torsor.load("heavy_top_bruls").geometry(at=-1)

    def test_methods(self):
        names = [method["name"] for method in torsor.methods()]
        self.assertEqual(names, [one["name"] for one in json.loads(command("methods", "--json").stdout)])
        self.assertEqual(torsor.methods(), json.loads(command("methods", "--json").stdout))

    def test_version(self):
        self.assertEqual(command("--version").stdout.split()[1], torsor.__version__)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main()
