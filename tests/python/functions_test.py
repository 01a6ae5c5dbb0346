"""Python functions in the formulas of scenes."""

import gc
import math
import pickle
import unittest
import weakref

import numpy as np

import torsor


def pendulum(**keys):
    model = torsor.Model(gravity=[0, 0, -9.81])
    rod = model.body("rod", mass=2, inertia=[0.2, 0.2, 0.02])
    hinge = model.joint("hinge", "revolute", child=rod, axis=[0, 1, 0], coordinates=1.0,
                        child_frame={"position": [0, 0, 0.5]})
    model.force("drive", "joint-force", joint=hinge, **keys)
    return model


class Functions(unittest.TestCase):
    def test_a_function_and_the_same_formula_give_equal_bits(self):
        formula = pendulum(force="-4*joint.hinge.angle - 0.5*joint.hinge.rate + 0.1*t").scene(end=2, output=0.1)
        for options in ({}, {"formulation": "absolute"}, {"method": "lie-midpoint", "step": 0.01}):
            model = pendulum(force="function.control")
            model.function("control", lambda q, v, t: -4 * q - 0.5 * v + 0.1 * t, "joint.hinge.angle",
                           "joint.hinge.rate", "t")
            wanted, got = formula.run(**options), model.scene(end=2, output=0.1).run(**options)
            np.testing.assert_array_equal(wanted.body("rod").x, got.body("rod").x)
            np.testing.assert_array_equal(wanted.energy, got.energy)

    def test_a_scene_whose_function_refers_to_it_is_collected(self):
        class Controller:
            def __init__(self):
                model = pendulum(force="function.control")
                model.function("control", self.control, "t")
                self.scene = model.scene(end=0.1)

            def control(self, t):
                return -t

        one = Controller()
        self.assertEqual(one.scene.run().status, "reached-end")
        seen = weakref.ref(one)
        del one
        gc.collect()
        self.assertIsNone(seen())

    def test_a_comparison_is_refused_if_formulas_use_functions_and_not_for_a_title_that_names_them(self):
        plain = {"title": "A rod without function.control", "run": {"end": 0.1, "output": 0.1},
                 "body": [{"name": "rod", "mass": 2, "inertia": [0.2, 0.2, 0.02]}],
                 "force": [{"name": "push", "kind": "body-force", "body": "rod", "force": [1, 0, 0]}]}
        functions = {"control": (lambda t: -t, "t")}
        found = torsor.load(plain, functions=functions).compare("rkmk4", steps=[0.01], threads=1)
        self.assertEqual([one["status"] for one in found.runs], ["reached-end"])
        for name in ("control", "'control'", '"control"'):
            plain["force"][0]["force"] = [f"2*function.{name}", 0, 0]
            with self.assertRaisesRegex(ValueError, "without the Python functions that the scene uses"):
                torsor.load(plain, functions=functions).compare("rkmk4", steps=[0.01], threads=1)

    def test_states_samples_and_events_use_functions(self):
        model = pendulum(force="state.torque")
        model.state("torque", "20*(sampled.wish - state.torque)")
        model.sampled("wish", model.function("wish", lambda q, v: -4 * q - v, "joint.hinge.angle", "joint.hinge.rate"),
                      0.02)
        model.event("slow", "expression", expression=model.function("slow", lambda v: abs(v) - 0.5, "joint.hinge.rate"))
        motion = model.scene(end=1, output=0.02).run()
        self.assertEqual(motion.states, ["torque"])
        self.assertEqual(motion.sampled, ["wish"])
        at = motion.joint("hinge")
        np.testing.assert_allclose(motion.sample("wish"), -4 * at.coordinates[:, 0] - at.rates[:, 0], atol=1e-12)
        self.assertTrue(motion.events)
        for name, t in motion.events:
            rate = model.scene(end=t).run().joint("hinge").rates[-1, 0]
            self.assertAlmostEqual(abs(rate), 0.5, 9)

    def test_an_exception_ends_the_run_and_passes_through(self):
        class Broken(Exception):
            pass

        last = 0.5

        def control(t):
            if t > last:
                raise Broken("no signal")
            return 0.0

        model = pendulum(force="function.control")
        model.function("control", control, "t")
        scene = model.scene(end=1)
        with self.assertRaisesRegex(Broken, "no signal"):
            scene.run()
        with self.assertRaisesRegex(Broken, "no signal"):
            scene.geometry(0.8)
        last = -1
        for use in (scene.check, scene.geometry, lambda: scene.run(observer=lambda sample: None)):
            with self.assertRaisesRegex(Broken, "no signal"):
                use()
        self.assertEqual(torsor.load("simple_pendulum").run().status, "reached-end")

    def test_the_exception_that_ends_the_run_passes_through_though_others_follow(self):
        for method in ("rkmk-dopri5", "lie-midpoint", "cf4"):
            for first in range(4, 30):  # from this call on, every call fails with another message
                calls = 0

                def control(t):
                    nonlocal calls
                    calls += 1
                    if calls >= first:
                        raise LookupError(f"no signal in call {calls}")
                    return 0.0

                model = pendulum(force="function.control")
                model.function("control", control, "t")
                options = {"tolerance": 1e-6} if method == "rkmk-dopri5" else {"step": 0.01}
                with self.assertRaises(LookupError):
                    model.scene(end=0.1, output=0.02).run(method=method, **options)

    def test_the_exception_passes_through_though_the_observer_runs_another_scene_after_it(self):
        def control(t):
            if t > 0.5:
                raise LookupError("no signal")
            return 0.0

        model, other = pendulum(force="function.control"), torsor.load("heavy_top_bruls")
        model.function("control", control, "t")
        with self.assertRaisesRegex(LookupError, "no signal"):
            model.scene(end=1).run(observer=lambda sample: other.run(end=0.01, output=0.01).good is None)

    def test_an_exception_at_a_state_that_the_motion_does_not_reach_is_ignored(self):
        model = torsor.Model()
        block = model.body("block", mass=1, inertia=[1, 1, 1])
        slide = model.joint("slide", "prismatic", child=block, axis=[1, 0, 0], rates=-1.0)
        model.force("drive", "joint-force", joint=slide, force="-function.root")
        model.function("root", lambda x: math.sqrt(-x), "joint.slide.displacement")
        model.event("one", "expression", expression="function.root - 1")
        asked = []
        motion = model.scene(end=2, method="rkmk4", step=0.1).run(observer=asked.append)
        self.assertEqual(motion.status, "reached-end")
        self.assertEqual([name for name, _ in motion.events], ["one"])
        self.assertEqual(len(asked), len(motion))

    def test_an_interruption_at_a_state_that_the_motion_does_not_reach_ends_the_run(self):
        model = torsor.Model()
        block = model.body("block", mass=1, inertia=[1, 1, 1])
        slide = model.joint("slide", "prismatic", child=block, axis=[1, 0, 0], rates=-1.0)
        raised = []

        def root(x):
            if x > 0:  # only the first exception is an interruption
                raised.append(ValueError if raised else KeyboardInterrupt)
                raise raised[-1]()
            return math.sqrt(-x)

        model.force("drive", "joint-force", joint=slide, force="-function.root")
        model.function("root", root, "joint.slide.displacement")
        model.event("one", "expression", expression="function.root - 1")
        with self.assertRaises(KeyboardInterrupt):
            model.scene(end=2, method="rkmk4", step=0.1).run()
        self.assertEqual(len(raised), 1)  # the function is not called again

    def test_a_value_that_is_not_a_finite_number_is_refused(self):
        for value in ("one", None, [1.0]):
            model = pendulum(force="function.control")
            model.function("control", lambda: value)
            with self.assertRaises(TypeError) as refused:
                model.scene(end=1).run()
            self.assertEqual(
                str(refused.exception), f'the function "control" must return a number; it returned {value!r}'
            )
        model = pendulum(force="function.control")
        model.function("control", lambda: [0.0] * 1000)
        with self.assertRaisesRegex(TypeError, "must return a number; it returned a list$"):
            model.scene(end=1).run()
        model = pendulum(force="function.control")
        model.function("control", lambda: math.nan)
        with self.assertRaisesRegex(torsor.SceneError, 'force "drive" is not finite'):
            model.scene(end=1).check()

    def test_unknown_functions_and_inputs_are_refused(self):
        with self.assertRaisesRegex(torsor.SceneError, 'function "control": no function of this name is given'):
            pendulum(force="function.control").scene(end=1)
        model = pendulum(force="function.control")
        model.function("control", lambda q: q, "joint.hinges.angle")
        with self.assertRaisesRegex(torsor.SceneError, '"control": unknown joint "hinges".*did you mean "hinge"'):
            model.scene(end=1)

    def test_an_argument_of_a_function_is_no_function(self):
        for argument in ("function.control", "function.other", "function"):
            model = pendulum(force="function.control")
            model.function("control", lambda other: other, argument)
            with self.subTest(argument), self.assertRaises(torsor.SceneError) as refused:
                model.scene(end=1)
            self.assertEqual(
                refused.exception.message,
                f'function "control": its argument "{argument}" is a function; '
                'arguments of functions are "t" or quantities of the motion',
            )
        model = pendulum(force="function.control")
        model.function("control", lambda time: time, "time")
        with self.assertRaisesRegex(torsor.SceneError, 'arguments of functions are "t" or quantities of the motion'):
            model.scene(end=1)

    def test_a_function_cannot_use_its_own_scene_and_can_use_another_one(self):
        other, scene, energies = torsor.load("heavy_top_bruls"), None, []

        def control(t):
            if scene is not None:
                use(scene)
            energies.append(other.run(end=0.01, output=0.01).energy[-1])
            return 0.0

        model = pendulum(force="function.control")
        model.function("control", control, "t")
        scene = model.scene(end=0.01, method="rkmk4", step=0.01)
        for use in (lambda it: it.run(), lambda it: it.check(), lambda it: it.geometry()):
            for run in (scene.run, scene.check):
                with self.assertRaises(ValueError) as refused:
                    run()
                message = 'the function "control" cannot use the scene whose run calls it; '
                self.assertEqual(str(refused.exception), message + "it can use scenes without this function")
        use, energies = lambda it: None, []
        scene.run()
        self.assertEqual(len(set(energies)), 1)
        with self.assertRaisesRegex(ValueError, "an observer cannot use the scene whose run calls it"):
            scene.run(observer=lambda sample: scene.run())

    def test_a_model_has_one_function_of_a_name(self):
        model = pendulum(force="function.control")
        model.function("control", lambda q: -q, "joint.hinge.angle")
        with self.assertRaisesRegex(ValueError, 'the name of function "control" is already used'):
            model.function("control", lambda q: q, "joint.hinge.angle")

    def test_a_comparison_of_a_scene_with_functions_is_refused_with_the_reason(self):
        model = pendulum(force="function.control")
        model.function("control", lambda q: -q, "joint.hinge.angle")
        with self.assertRaisesRegex(ValueError, "a comparison .* without the Python functions that the scene uses"):
            model.scene(end=1).compare("rkmk4", steps=[0.1])
        scene = torsor.load("heavy_top_slow", functions={"unused": (lambda t: t, "t")})
        scene["run.end"] = 0.1
        self.assertEqual(len(scene.compare("rkmk4", steps=[0.05]).runs), 1)

    def test_an_entry_is_a_callable_and_the_names_of_its_arguments(self):
        for entry in (abs, (), (3, "t"), (abs, 3)):
            with self.subTest(entry), self.assertRaisesRegex(TypeError, 'function "f" must be a callable'):
                torsor.load("heavy_top_bruls", functions={"f": entry})

    def test_a_result_with_functions_is_read_without_them(self):
        model = pendulum(force="function.control")
        model.function("control", lambda q: -q, "joint.hinge.angle")
        motion = model.scene(end=1, output=0.25).run()
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            motion.save(f"{folder}/a.h5")
            again = torsor.read(f"{folder}/a.h5")
        np.testing.assert_array_equal(motion.body("rod").x, again.body("rod").x)

    def test_copies_keep_functions(self):
        model = pendulum(force="function.control")
        model.function("control", negative, "joint.hinge.angle")
        scene = model.scene(end=1)
        scene["body.rod.mass"] = 3
        wanted = scene.run().body("rod").x
        for other in (scene.copy(), pickle.loads(pickle.dumps(scene))):
            np.testing.assert_array_equal(wanted, other.run().body("rod").x)


def negative(q):
    return -q


if __name__ == "__main__":
    unittest.main()
