"""Groups: laws of the maps, agreement with matrices, and the shapes of arrays."""

import unittest

import numpy as np
import torsor

GROUPS = (torsor.SO2, torsor.SO3, torsor.SE2, torsor.SE3)
random = np.random.default_rng(7)


def close(a, b, tolerance=1e-13):
    return np.shape(a) == np.shape(b) and bool(np.all(np.abs(a - b) <= tolerance))  # false for NaN


def twists(group, n=1000, greatest=3.0):
    """Twists with norms from 0 to `greatest`, some of them small."""
    xi = random.normal(size=(n, group.dof))
    size = random.choice([0, 1e-12, 1e-6, 1e-2, 1, greatest], size=(n, 1))
    return size * xi / np.linalg.norm(xi, axis=1, keepdims=True)


class Laws(unittest.TestCase):
    def test_log_undoes_exp(self):
        for group in GROUPS:
            with self.subTest(group.name):
                xi = twists(group)
                self.assertTrue(close(group.log(group.exp(xi)), xi, 1e-12))

    def test_elements_act_and_compose_as_their_matrices(self):
        for group in GROUPS:
            with self.subTest(group.name):
                g, h = group.exp(twists(group)), group.exp(twists(group))
                G, H = group.matrix(g), group.matrix(h)
                self.assertTrue(close(group.matrix(group.compose(g, h)), G @ H, 1e-12))
                identity = np.broadcast_to(group.identity, g.shape)
                self.assertTrue(close(group.compose(g, group.inverse(g)), identity, 1e-12))
                unit = np.broadcast_to(np.eye(group.size), G.shape)
                self.assertTrue(close(group.matrix(group.inverse(g)) @ G, unit, 1e-12))
                n = 3 if group in (torsor.SO3, torsor.SE3) else 2
                p = random.normal(size=(1000, n))
                moved = np.einsum("kij,kj->ki", G[:, :n, :n], p)
                if group in (torsor.SE2, torsor.SE3):
                    moved = moved + G[:, :n, n]
                self.assertTrue(close(group.act(g, p), moved, 1e-12))

    def test_exp_of_a_conjugate(self):
        for group in GROUPS:
            with self.subTest(group.name):
                g, xi = group.exp(twists(group)), twists(group, greatest=1)
                left = group.matrix(group.exp(group.Ad(g, xi)))
                right = group.matrix(group.compose(group.compose(g, group.exp(xi)), group.inverse(g)))
                self.assertTrue(close(left, right, 1e-12))

    def test_dexp_is_the_derivative_of_exp(self):
        h = 1e-5
        for group in GROUPS:
            with self.subTest(group.name):
                xi, w = twists(group), twists(group, greatest=1)
                inverse = group.inverse(group.exp(xi))
                ahead, back = (group.log(group.compose(inverse, group.exp(xi + s * h * w))) for s in (1, -1))
                self.assertTrue(close(group.dexp(xi, w), (ahead - back) / (2 * h), 1e-8))
                self.assertTrue(close(group.dexp_inv(xi, group.dexp(xi, w)), w, 1e-12))

    def test_matrices_of_rotations(self):
        q = torsor.SO3.exp(twists(torsor.SO3))
        again = torsor.SO3.from_matrix(torsor.SO3.matrix(q))
        self.assertTrue(close(again * np.sign(np.sum(again * q, axis=1, keepdims=True)), q, 1e-12))

    def test_arguments_that_are_not_rotations_are_refused(self):
        for group, scaled in (
            (torsor.SO2, [2, 0]),
            (torsor.SO3, [1, 1, 0, 0]),
            (torsor.SE2, [1, 2, 0, 3]),
            (torsor.SE3, [1, 2, 3, 0, 0, 0.5, 0]),
        ):
            pair, point = [group.identity, scaled], np.zeros(2 if group in (torsor.SO2, torsor.SE2) else 3)
            for name, call in (
                ("log", lambda: group.log(pair)),
                ("inverse", lambda: group.inverse(pair)),
                ("matrix", lambda: group.matrix(pair)),
                ("act", lambda: group.act(pair, point)),
                ("Ad", lambda: group.Ad(pair, np.zeros(group.dof))),
                ("compose", lambda: group.compose(pair, group.identity)),
            ):
                message = f"{group.name}.{name}: element 1, counted from 0, is not in the group: its rotation does not"
                with self.assertRaisesRegex(ValueError, message):
                    call()
            with self.assertRaisesRegex(ValueError, "element 1, .* of the second argument is not in the group"):
                group.compose(group.identity, pair)
            accepted = group.normalized(scaled)
            self.assertTrue(close(group.compose(accepted, group.inverse(accepted)), group.identity))
        many = np.tile(torsor.SO3.identity, (3000, 1))
        many[2500] *= 1.01
        with self.assertRaisesRegex(ValueError, "SO3.inverse: element 2500, counted from 0, is not in the group"):
            torsor.SO3.inverse(many)
        near = torsor.SO3.exp([0.3, 0.2, 0.1]) * (1 + 1e-9)
        self.assertTrue(close(torsor.SO3.log(near), np.array([0.3, 0.2, 0.1]), 1e-7))
        self.assertTrue(np.all(np.isnan(torsor.SO3.log(np.full(4, np.nan)))))
        self.assertTrue(np.all(np.isnan(torsor.SO3.compose(near, np.full(4, np.nan)))))
        ones = np.ones((3, 3))
        for R in (2 * np.eye(3), np.diag([1, 1, -1]), -np.eye(3), 0 * ones, ones, 1e200 * ones):
            with self.assertRaisesRegex(ValueError, "SO3.from_matrix: element 1, .* is not a rotation matrix"):
                torsor.SO3.from_matrix([np.eye(3), R])

    def test_rotations_of_every_length_are_normalized(self):
        for size in (1e-310, 1e-200, 1e-150, 1, 1e150, 1e200, 1e308):
            with self.subTest(size=size):
                q = torsor.SO3.normalized([size, 0, size, 0])
                self.assertTrue(close(q, np.array([1, 0, 1, 0]) / np.sqrt(2)))
                g = torsor.SE2.normalized([5, 6, 0, -size])
                self.assertTrue(close(g, np.array([5.0, 6, 0, -1])))
        self.assertTrue(np.all(np.isnan(torsor.SO3.normalized(np.zeros(4)))))

    def test_a_quaternion_has_its_scalar_first(self):
        self.assertTrue(close(torsor.SO3.exp([0, 0, np.pi / 2]), np.array([1, 0, 0, 1]) / np.sqrt(2)))
        self.assertTrue(close(torsor.SE3.exp([1, 2, 3, 0, 0, 0]), np.array([1.0, 2, 3, 1, 0, 0, 0])))
        self.assertTrue(close(torsor.SO3.normalized([2, 0, 0, 0]), torsor.SO3.identity))

    def test_elements_have_the_layout_of_motions(self):
        body = torsor.load("heavy_top_bruls").run(end=0.1).body("top")
        arm = np.array([0, 1.0, 0])  # from the pivot to the centre of mass, in the body
        self.assertTrue(close(torsor.SO3.act(body.q, arm), body.x, 1e-12))


class Shapes(unittest.TestCase):
    def test_every_shape_of_elements(self):
        xi = random.normal(size=(4, 5, 6))
        g = torsor.SE3.exp(xi)
        self.assertEqual(g.shape, (4, 5, 7))
        self.assertEqual(torsor.SE3.exp(xi[0, 0]).shape, (7,))
        self.assertEqual(torsor.SE3.matrix(g).shape, (4, 5, 4, 4))
        self.assertEqual(torsor.SE3.act(g, [1, 2, 3]).shape, (4, 5, 3))
        self.assertEqual(torsor.SE3.compose(g, g[0]).shape, (4, 5, 7))
        self.assertEqual(torsor.SO3.exp(np.empty((0, 3))).shape, (0, 4))

    def test_an_element_does_not_depend_on_its_neighbours(self):
        for n in (1, 2, 7, 255, 256, 257, 1000):
            xi = random.normal(size=(n, 6))
            for group, part in ((torsor.SE3, xi), (torsor.SO3, xi[:, 3:])):
                g = group.exp(part)
                for k in (0, n // 2, n - 1):
                    self.assertTrue(np.array_equal(group.exp(part[k]), g[k]))
                    self.assertTrue(np.array_equal(group.log(g[k]), group.log(g)[k]))
                    self.assertTrue(np.array_equal(group.dexp_inv(part[k], part[0]), group.dexp_inv(part, part[0])[k]))

    def test_other_layouts_and_types_are_converted(self):
        xi = random.normal(size=(10, 3))
        expected = torsor.SO3.exp(xi)
        self.assertTrue(np.array_equal(torsor.SO3.exp(np.asfortranarray(xi)), expected))
        self.assertTrue(np.array_equal(torsor.SO3.exp(np.repeat(xi, 2, axis=0)[::2]), expected))
        self.assertTrue(np.array_equal(torsor.SO3.exp(xi.tolist()), expected))
        self.assertTrue(np.array_equal(torsor.SO3.exp(np.array([[1, 2, 3]])), torsor.SO3.exp([[1.0, 2.0, 3.0]])))
        single = xi.astype(np.float32)
        self.assertTrue(np.array_equal(torsor.SO3.exp(single), torsor.SO3.exp(single.astype(float))))

    def test_wrong_shapes_are_refused(self):
        with self.assertRaisesRegex(ValueError, "SO3.exp needs an array whose last axis has 3 components"):
            torsor.SO3.exp(np.zeros((3, 4)))
        for call in (
            lambda: torsor.SO3.exp(1.0),
            lambda: torsor.SO3.compose(np.zeros((3, 4)), np.zeros((2, 4))),
            lambda: torsor.SO3.act(torsor.SO3.identity, [1, 2]),
            lambda: torsor.SO3.from_matrix(np.eye(4)),
        ):
            with self.assertRaises(ValueError):
                call()

    def test_complex_numbers_are_refused(self):
        for call in (
            lambda: torsor.SO3.exp([1j, 2, 3]),
            lambda: torsor.SO3.from_matrix(np.eye(3, dtype=complex)),
            lambda: torsor.SO3.integrate(lambda t, g: [0, 0, 1], torsor.SO3.identity + 0j, [0, 1]),
        ):
            with self.assertRaisesRegex(ValueError, "real numbers, not complex ones"):
                call()

    def test_masked_entries_are_refused(self):
        one = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])
        for call in (
            lambda: torsor.SO3.exp(one),
            lambda: torsor.SO3.exp([[0, 0, 1], one]),
            lambda: torsor.SO3.exp([[[0, 0, 1], one]]),
            lambda: torsor.SO3.act(torsor.SO3.identity, one),
            lambda: torsor.SO3.exp([1.0, np.ma.masked, 3.0]),
            lambda: torsor.SO3.from_matrix(np.ma.array(np.eye(3), mask=np.eye(3))),
            lambda: torsor.SO3.integrate(lambda t, g: [0, 0, 1], np.ma.array([1, 0, 0, 0], mask=[0, 0, 0, 1]), [0, 1]),
            lambda: torsor.SO3.integrate(lambda t, g: [0, 0, 1], torsor.SO3.identity, np.ma.array([0, 1], mask=[0, 1])),
        ):
            with self.assertRaisesRegex(ValueError, "arrays without masked entries"):
                call()
        unmasked = np.ma.array([1.0, 2.0, 3.0], mask=[0, 0, 0])
        self.assertTrue(close(torsor.SO3.exp(unmasked), torsor.SO3.exp([1, 2, 3]), 0))
        self.assertIs(type(torsor.SO3.exp(unmasked)), np.ndarray)

    def test_no_program_can_change_the_identity(self):
        for group in GROUPS:
            with self.subTest(group.name):
                with self.assertRaises(ValueError):
                    group.identity[0] = 2
                moved = group.identity.copy()
                moved[0] = 2
                self.assertTrue(close(group.exp(np.zeros(group.dof)), group.identity, 0))
                self.assertTrue(close(group.log(group.identity), np.zeros(group.dof), 0))


if __name__ == "__main__":
    unittest.main()
