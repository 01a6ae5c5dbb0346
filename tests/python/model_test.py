"""Models written in Python."""

import unittest

import numpy as np
import torsor


class Models(unittest.TestCase):
    def test_a_model_is_the_scene_with_the_same_tables(self):
        model = torsor.Model(gravity=[0, 0, -9.81])
        inertia, spin = [0.234375, 0.46875, 0.234375], [0, 150, -4.61538]
        top = model.body("top", mass="15 kg", inertia=inertia, angular_velocity_body=spin)
        model.joint("pivot", "spherical", child=top, child_frame={"position": [0, -1, 0]})
        scene = model.scene(end=2, output=0.01, method="rkmk-fehlberg78", tolerance=1e-10, name="heavy_top_bruls")
        self.assertTrue(np.array_equal(scene.run().table, torsor.load("heavy_top_bruls").run().table))

    def test_bodies_particles_joints_forces_points_and_events(self):
        model = torsor.Model(gravity=[0, 0, -9.81], title="Two particles on a beam")
        beam = model.body("beam", mass=2, inertia=[0.1, 0.1, 0.01])
        hinge = model.joint("hinge", "revolute", child=beam)
        bob = model.particle("bob", mass=1, position=np.array([1.0, 0, -1]))
        model.force("spring", "spring", from_=beam.at([0, 0, 0.5]), to=bob.at(), stiffness=10, rest_length=1)
        model.point("end", body=beam, position=[0, 0, 1])
        model.event("down", "joint-coordinate", joint=hinge, value=0.1)
        motion = model.scene(end=0.1).run()
        self.assertEqual(motion.bodies, ["beam", "bob"])
        self.assertEqual(motion.points, ["end"])
        self.assertAlmostEqual(motion.force("spring")[0], 10 * (np.hypot(1, 1.5) - 1), places=12)
        self.assertEqual(motion.joint("hinge")["angle"].shape, motion.t.shape)

    def test_a_scene_takes_the_tables_run_and_integrator_of_its_model(self):
        body = [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}]
        model = torsor.Model(run={"begin": 1, "end": 9, "output": 0.5}, integrator={"step": 0.25}, body=body)
        scene = model.scene(end=2, method="rkmk4")
        self.assertEqual(scene["run"], {"begin": 1, "end": 2, "output": 0.5})
        self.assertEqual(scene["integrator"], {"step": 0.25, "method": "rkmk4"})
        self.assertEqual(list(scene.run().t), [1, 1.5, 2])
        self.assertEqual(model.scene(tolerance=1e-9)["integrator"], {"tolerance": 1e-9})
        self.assertEqual(model.scene(begin="3 s")["run"], {"begin": "3 s", "end": 9, "output": 0.5})

    def test_a_model_shares_nothing_with_its_arguments_and_dictionaries(self):
        inertia = np.array([1.0, 1, 1])
        base = {"gravity": [0, 0, -9.81], "body": [{"name": "a", "mass": 1, "inertia": inertia}]}
        first, second = torsor.Model(**base), torsor.Model(**base)
        first.body("b", mass=1, inertia=inertia)
        first.to_dict()["body"][0]["mass"] = 2
        first.to_dict()["gravity"][2] = 0
        inertia[0] = 3
        self.assertEqual(len(base["body"]), 1)
        self.assertEqual(len(second.to_dict()["body"]), 1)
        self.assertEqual(first.to_dict()["body"][0]["mass"], 1)
        self.assertEqual(first.to_dict()["gravity"], [0, 0, -9.81])
        self.assertEqual([list(one["inertia"]) for one in first.to_dict()["body"]], [[1, 1, 1], [1, 1, 1]])

    def test_errors_of_a_model_name_the_part(self):
        model = torsor.Model()
        model.body("a", mass=1, inertia=[1, 1, 3])
        with self.assertRaisesRegex(torsor.SceneError, '"a"'):
            model.scene(end=1)
        with self.assertRaisesRegex(torsor.SceneError, 'did you mean "mass"'):
            other = torsor.Model()
            other.body("a", mas=1, inertia=[1, 1, 1])
            other.scene(end=1)


if __name__ == "__main__":
    unittest.main()
