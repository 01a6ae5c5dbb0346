"""Vector fields of users on groups, integrated by Lie-group methods."""

import unittest

import numpy as np

import torsor

GROUPS = (torsor.SO2, torsor.SO3, torsor.SE2, torsor.SE3)


def twist(group, seed):
    return np.random.default_rng(seed).normal(size=group.dof)


def distance(group, a, b):
    return np.linalg.norm(group.log(group.compose(group.inverse(a), b)))


class Fields(unittest.TestCase):
    def test_the_times_of_a_curve_are_its_own(self):
        t = np.array([0.0, 1.0])
        curve = torsor.SO3.integrate(lambda t, at: [0, 0, 1], torsor.SO3.identity, t)
        t *= 1000
        np.testing.assert_array_equal(curve.t, [0, 1])

    def test_a_constant_field_gives_exponentials_in_both_directions(self):
        for group in GROUPS:
            xi, g = twist(group, 1), group.exp(twist(group, 2))
            for times in ([0, 0.3, 1.7], [1, 0.2, -2]):
                curve = group.integrate(lambda t, at: xi, g, times)
                self.assertEqual(curve.status, "reached-end")
                for t, at in zip(curve.t, curve.g):
                    self.assertLess(distance(group, at, group.compose(g, group.exp((t - times[0]) * xi))), 1e-7)

    def test_methods_have_their_order(self):
        # g(t) = exp(a sin t) exp(b t^2): the left-trivialised rate is Ad(exp(-b t^2)) a cos t + 2 b t.
        for group in GROUPS[1:]:
            a, b = twist(group, 3) / 2, twist(group, 4) / 2

            def exact(t):
                return group.compose(group.exp(a * np.sin(t)), group.exp(b * t * t))

            def field(t, g):
                return group.Ad(group.exp(-b * t * t), a * np.cos(t)) + 2 * b * t

            def error(**control):
                return distance(group, group.integrate(field, exact(0), [0, 0.5, 2], **control).g[-1], exact(2))

            for method, order, n in (("rkmk4", 4, 10), ("cf4", 4, 10), ("rkmk-dopri5", 5, 10), ("rkmk-dop853", 8, 3)):
                errors = [error(method=method, steps=steps) for steps in (n, 2 * n)]
                self.assertGreater(np.log2(errors[0] / errors[1]), order - 0.4, (group.name, method))
            for method in ("rkmk-dopri5", "rkmk-dop853"):
                self.assertLess(error(method=method, tolerance=1e-6), 1e-4)
                self.assertLess(error(method=method, tolerance=1e-10), 1e-8)

    def test_steps_do_not_depend_on_the_order_of_the_axes(self):
        def steps_with(method, turned):
            def field(t, g):
                return np.roll([3 * np.cos(9 * t), 0.1 * t, np.sin(t)], turned)

            curve = torsor.SO3.integrate(field, torsor.SO3.identity, [0, 4], method=method, tolerance=1e-9)
            return curve.accepted, curve.rejected

        for method in ("rkmk-dopri5", "rkmk-dop853"):
            self.assertEqual(steps_with(method, 0), steps_with(method, 1), method)
            self.assertEqual(steps_with(method, 0), steps_with(method, 2), method)

    def test_outputs_do_not_change_the_steps(self):
        def field(t, g):
            return [np.cos(t), g[1], 1.0]

        g = torsor.SO3.identity
        few, many = (torsor.SO3.integrate(field, g, np.linspace(0, 3, n)) for n in (2, 40))
        np.testing.assert_array_equal(few.g[-1], many.g[-1])
        self.assertEqual((few.accepted, few.rejected), (many.accepted, many.rejected))
        self.assertRegex(repr(few), "<Curve to t = 3: reached-end, [0-9]+ steps, [0-9]+ evaluations>")

    def test_a_field_that_is_not_finite_after_the_start_rejects_the_step(self):
        times = np.linspace(0, 3, 7)
        for method in ("rkmk-dopri5", "rkmk-dop853"):
            evaluations = torsor.SO2.integrate(lambda t, g: [np.cos(t)], [1, 0], times, method=method).evaluations
            for bad in range(2, evaluations + 1):
                calls = 0

                def field(t, g):
                    nonlocal calls
                    calls += 1
                    return [np.nan if calls == bad else np.cos(t)]

                curve = torsor.SO2.integrate(field, [1, 0], times, method=method)
                self.assertEqual((curve.status, len(curve.t)), ("reached-end", 7), (method, bad))
                exact = torsor.SO2.exp(np.sin(times)[:, None])
                self.assertLess(distance(torsor.SO2, curve.g, exact), 1e-6, (method, bad))

    def test_a_field_that_is_finite_at_the_start_only_gives_the_start(self):
        for method in ("rkmk-dopri5", "rkmk-dop853"):
            curve = torsor.SO2.integrate(lambda t, g: [np.nan if t > 0 else 1.0], [1, 0], [0, 1], method=method)
            self.assertEqual((curve.status, list(curve.t)), ("underflow", [0]))
            self.assertIn("the field must return finite numbers", curve.message)

    def test_the_field_is_evaluated_only_between_the_first_and_the_last_time(self):
        times = []

        def field(t, g):
            times.append(t)
            return [1e-4 * t]

        for start, end in ((0, 1), (1, 0)):
            torsor.SO2.integrate(field, [1, 0], [start, end])
        self.assertEqual((min(times), max(times)), (0, 1))

    def test_exceptions_pass_through(self):
        def field(t, g):
            if t > 0.5:
                raise KeyError("no signal")
            return [0.0, 0.0, 1.0]

        with self.assertRaisesRegex(KeyError, "no signal"):
            torsor.SO3.integrate(field, torsor.SO3.identity, [0, 1])

    def test_wrong_arguments_and_values_are_refused(self):
        g = torsor.SO3.identity
        cases = (
            (lambda t, at: [1.0, 2.0], g, [0, 1], {}, ValueError, r"must return a twist of SO3, an array of shape \(3,\)"),
            (lambda t, at: np.ma.array([1, 2, 3], mask=[0, 1, 0]), g, [0, 1], {}, ValueError, "without masked entries"),
            (lambda t, at: "left", g, [0, 1], {}, TypeError, "must return real numbers"),
            (lambda t, at: [1, 2, np.nan], g, [0, 1], {}, ValueError, "must return finite numbers"),
            (lambda t, at: at[1:], [1, 0, 0], [0, 1], {}, ValueError, r"needs one element, an array of shape \(4,\)"),
            (lambda t, at: at[1:], [2, 0, 0, 0], [0, 1], {}, ValueError, "its rotation does not have length 1"),
            (lambda t, at: at[1:], g, [0], {}, ValueError, "two or more finite times"),
            (lambda t, at: at[1:], g, [0, 1, 1], {}, ValueError, "which increase or decrease"),
            (lambda t, at: at[1:], g, [[0, 1], [2, 3]], {}, ValueError, "in a one-dimensional array"),
            (lambda t, at: at[1:], g, [0, 1], {"method": "rk4"}, ValueError, 'unknown method "rk4"'),
            (lambda t, at: at[1:], g, [0, 1], {"method": "cf4"}, ValueError, "give steps"),
            (lambda t, at: at[1:], g, [0, 1], {"steps": -1}, ValueError, "^steps must be 0 or the number of steps"),
            (lambda t, at: at[1:], g, [0, 1], {"tolerance": 0}, ValueError, "tolerance of integrate must be positive"),
        )
        for field, start, t, options, kind, message in cases:
            with self.assertRaisesRegex(kind, message):
                torsor.SO3.integrate(field, start, t, **options)


if __name__ == "__main__":
    unittest.main()
