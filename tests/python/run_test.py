"""Runs: arguments, failures, observers, interruption, threads."""

import json
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

import numpy as np
import torsor

# The force on a ball becomes infinite at 0.5 s.
FAILING = """
[run]
end = 1
output = "10 ms"
[[body]]
name = "ball"
mass = 1
inertia = [1, 1, 1]
[[force]]
name = "push"
kind = "body-force"
body = "ball"
force = ["1/(0.5 - t)", 0, 0]
"""


class Arguments(unittest.TestCase):
    def test_pulses_and_events_of_fast_formulas_are_found_in_long_steps(self):
        crossings = [(math.asin(0.5) if k % 2 == 0 else math.pi - math.asin(0.5)) / 11 + 2 * math.pi / 11 * (k // 2)
                     for k in range(71)]
        crossings = [t for t in crossings if t < 20]
        pulses = sum(min(20, b) - a for a, b in zip(crossings[::2], crossings[1::2] + [20]))
        for variable in ("t", "body.p.position.y"):
            scene = {"run": {"end": 20, "output": 20},
                     "particle": [{"name": "p", "mass": 1, "position": [0, 0, 0], "velocity_world": [0, 1, 0]}],
                     "force": [{"name": "f", "kind": "body-force", "body": "p",
                                "force": [f"if(sin(11*{variable}) > 0.5, 1, 0)", 0, 0]}],
                     "event": [{"name": "cross", "quantity": "expression", "expression": f"sin(11*{variable}) - 0.5"}]}
            for options in ({"method": "rkmk-dopri5"}, {"method": "rkmk-dop853"}, {"method": "rkmk4", "step": 5}):
                motion = torsor.load(scene).run(**options)
                self.assertAlmostEqual(motion.body("p").v[-1, 0], pulses, 7)
                np.testing.assert_allclose([t for _, t in motion.events], crossings, atol=1e-7)
                del scene["force"]
                quiet = torsor.load(scene).run(**options)
                np.testing.assert_allclose([t for _, t in quiet.events], crossings, atol=1e-7)
                scene["force"] = [{"name": "f", "kind": "body-force", "body": "p",
                                   "force": [f"if(sin(11*{variable}) > 0.5, 1, 0)", 0, 0]}]

    def test_events_at_the_time_of_a_stop_are_recorded(self):
        scene = {"run": {"end": 2}, "particle": [{"name": "p", "mass": 1, "velocity_world": [1, 0, 0]}],
                 "event": [{"name": name, "quantity": "expression", "expression": "body.p.position.x - 0.7",
                            **({"action": "stop"} if name == "stop" else {})} for name in ("a", "stop", "b")]}
        motion = torsor.load(scene).run()
        self.assertEqual([name for name, _ in motion.events], ["a", "stop", "b"])

    def test_arguments_hold_for_one_run(self):
        scene = torsor.load("heavy_top_bruls")
        whole = scene.run()
        short = scene.run(method="rkmk4", step=1e-3, end="0.1 s", output=0.05, group="semidirect")
        self.assertEqual(list(short.t), [0, 0.05, 0.1])
        self.assertEqual((short.summary["method"], short.summary["step"]), ("rkmk4", 1e-3))
        self.assertEqual(short.summary["group"], "semidirect")
        self.assertTrue(np.array_equal(scene.run().table, whole.table))
        self.assertEqual(scene.settings, {})

    def test_settings(self):
        heavy = torsor.load("heavy_top_bruls").run(end=0.01, settings={"body.top.mass": 30})
        light = torsor.load("heavy_top_bruls").run(end=0.01)
        self.assertGreater(heavy.energy[0], light.energy[0])

    def test_an_argument_takes_precedence_over_settings(self):
        settings = {"integrator.step": 2e-3, "integrator.tolerance": 1e-6}
        motion = torsor.load("heavy_top_bruls").run(end=0.01, step=1e-3, settings=settings)
        self.assertEqual(motion.summary["step"], 1e-3)

    def test_wrong_arguments_are_refused(self):
        scene = torsor.load("heavy_top_bruls")
        with self.assertRaisesRegex(torsor.SceneError, 'did you mean "rkmk4"'):
            scene.run(method="rkmk44", step=1e-3)
        with self.assertRaises(ValueError):
            torsor.load("fourbar_driven").run(method="lie-verlet", step=1e-3)
        with self.assertRaises(TypeError):
            scene.run(tolerence=1e-3)
        with self.assertRaisesRegex(ValueError, "not both"):
            scene.run(step=1e-3, tolerance=1e-3)


class Failures(unittest.TestCase):
    def test_a_failed_run_raises_and_gives_its_motion(self):
        scene = torsor.loads(FAILING)
        with self.assertRaises(torsor.RunError) as caught:
            scene.run()
        error = caught.exception
        self.assertEqual(error.status, error.motion.status)
        self.assertNotIn(error.status, ("reached-end", "event"))
        self.assertTrue(error.message)
        self.assertGreater(len(error.motion), 10)
        self.assertLess(error.motion.t[-1], 0.51)

    def test_the_error_of_a_failed_run_passes_between_processes_without_its_motion(self):
        with self.assertRaises(torsor.RunError) as caught:
            torsor.loads(FAILING).run()
        copied = pickle.loads(pickle.dumps(caught.exception))
        self.assertIs(type(copied), torsor.RunError)
        self.assertEqual((copied.status, str(copied)), (caught.exception.status, str(caught.exception)))
        self.assertIsNone(copied.motion)

    def test_without_the_check_a_failed_run_returns_its_motion(self):
        motion = torsor.loads(FAILING).run(check=False)
        self.assertFalse(motion.good)
        self.assertTrue(motion.message)

    def test_limits_are_failures(self):
        scene = torsor.load("heavy_top_bruls")
        with self.assertRaises(torsor.RunError) as caught:
            scene.run(settings={"run.max_steps": 5})
        self.assertEqual(caught.exception.status, "step-limit")
        with self.assertRaises(torsor.RunError):
            torsor.loads(FAILING).geometry(at=0.9)


class Observers(unittest.TestCase):
    def test_an_observer_sees_every_output(self):
        scene, seen = torsor.load("heavy_top_bruls"), []

        def observe(at):
            seen.append((float(at.t), at.body("top").x.copy(), float(at.energy)))

        motion = scene.run(end=0.1, observer=observe)
        self.assertEqual([t for t, _, _ in seen], list(motion.t))
        self.assertTrue(np.array_equal(np.array([x for _, x, _ in seen]), motion.body("top").x))
        self.assertEqual([energy for _, _, energy in seen], list(motion.energy))
        self.assertTrue(np.array_equal(scene.run(end=0.1).table, motion.table))

    def test_the_names_of_the_columns_are_read_once_for_all_samples(self):
        seen = []
        with unittest.mock.patch("torsor.scene.Columns", wraps=torsor.motion.Columns) as columns:
            torsor.load("heavy_top_bruls").run(end=0.1, observer=lambda at: seen.append(at.body("top")["z"]))
        self.assertEqual(len(seen), 11)
        self.assertEqual(columns.call_count, 1)

    def test_the_values_of_a_sample_are_numbers_of_python(self):
        seen = []

        def observe(at):
            values = (at.t, at.energy, at.body("top")["z"], at["body.top.v_x"])
            seen.append((hash(at.t), json.dumps(values), [type(one) for one in values], at.body("top").x.shape))

        torsor.load("heavy_top_bruls").run(end=0.01, output=0.01, observer=observe)
        self.assertEqual([types for _, _, types, _ in seen], [[float] * 4] * 2)
        self.assertEqual([shape for *_, shape in seen], [(3,)] * 2)

    def test_an_observer_that_returns_true_ends_the_run(self):
        motion = torsor.load("heavy_top_bruls").run(observer=lambda at: np.bool_(at.t >= 0.05))
        self.assertEqual(motion.status, "cancelled")
        self.assertLess(motion.t[-1], 0.07)

    def test_exceptions_of_an_observer_end_the_run(self):
        def fail(at):
            raise KeyError(f"at {float(at.t)}")

        with self.assertRaisesRegex(KeyError, "at 0.0"):
            torsor.load("heavy_top_bruls").run(observer=fail)

    def test_an_observer_may_run_other_scenes_but_not_its_own(self):
        scene, other = torsor.load("heavy_top_bruls"), torsor.load("heavy_top_bruls")
        scene.run(end=0.01, output=0.01, observer=lambda at: other.run(end=0.01).good is None)
        with self.assertRaisesRegex(ValueError, "scene.copy"):
            scene.run(end=0.01, observer=lambda at: scene.run(end=0.01).good is None)
        self.assertTrue(scene.run(end=0.01).good)


def interrupted(code):
    """The error output of a program that receives the signal of Ctrl-C half a second after it is ready."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"import tempfile, torsor\nprint('ready', flush=True)\n{code}\n"
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        child = subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "TMPDIR": folder}, **pipes)
        try:
            child.stdout.readline()
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            return child.communicate(timeout=60)[1]
        finally:
            child.kill()
            child.communicate()


class Interruption(unittest.TestCase):
    def test_ctrl_c_ends_a_run(self):
        self.assertIn("KeyboardInterrupt", interrupted("torsor.load('heavy_top_bruls').run(end=1e6, output=1e5)"))

    def test_ctrl_c_ends_the_wait_for_another_run(self):
        code = (
            "import os, sys, threading, time\n"
            "scene = torsor.load('heavy_top_bruls')\n"
            "run = lambda: scene.run(end=1e6, output=1e5)\n"
            "threading.Thread(target=run, daemon=True).start()\n"
            "time.sleep(0.2)\n"
            "try:\n"
            "    run()\n"
            "except KeyboardInterrupt:\n"
            "    print('the wait ended', file=sys.stderr, flush=True)\n"
            "    os._exit(0)"
        )
        self.assertIn("the wait ended", interrupted(code))

    def test_ctrl_c_ends_a_comparison(self):
        code = "torsor.load('heavy_top_bruls').compare(['rkmk4', 'cf4', 'cg4'], steps=[1e-6, 2e-6])"
        self.assertIn("KeyboardInterrupt", interrupted(code))

    def test_ctrl_c_ends_a_batch(self):
        code = "torsor.batch('heavy_tops', tempfile.mkdtemp() + '/batch', lanes=False)"
        self.assertIn("KeyboardInterrupt", interrupted(code))

    def test_other_threads_run_meanwhile(self):
        times, stop = [], threading.Event()

        def work():
            while not stop.wait(0.001):
                times.append(time.perf_counter())

        other = threading.Thread(target=work)
        other.start()
        scene, begin = torsor.load("heavy_top_bruls"), time.perf_counter()
        scene.run(end=1000, output=500)
        end = time.perf_counter()
        stop.set()
        other.join()
        self.assertGreater(sum(begin < t < end for t in times), 10)

    def test_threads_may_share_a_scene(self):
        scene, motions = torsor.load("curved_sleigh"), []
        expected = scene.run()
        threads = [threading.Thread(target=lambda: motions.append(scene.run())) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(len(motions), 8)
        for motion in motions:
            self.assertTrue(np.array_equal(motion.table, expected.table))


if __name__ == "__main__":
    unittest.main()
