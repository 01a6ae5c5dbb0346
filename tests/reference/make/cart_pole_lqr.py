"""Pole on a cart, kept upright by a linear-quadratic regulator: Lagrange's equations for the displacement and the
angle.

The gains are those of the scene. The script solves the algebraic Riccati equation, by the sign function of the
Hamiltonian matrix (J. D. Roberts, Int. J. Control 32 (1980) 677-687), and requires that the gains agree with the
solution.
"""

from computation import *

M, m, J, half, hinge, g = D("1.2"), D("0.35"), D("0.0236"), D("0.45"), D("0.06"), D("9.81")
gains = vec("6.3245553", "8.6245927", "65.138110", "15.582276")
weights, weight_of_force = vec(20, 5, 50, 5), D("0.5")


def inverse(A):
    return transpose([solve(A, unit) for unit in diagonal(*[1] * len(A))])


def riccati_gains():
    """For the state (x, x', angle, angle'): R^-1 B^T P, with A^T P + P A - P B R^-1 B^T P + Q = 0."""
    mass = [[M + m, m * half], [m * half, J + m * half**2]]
    by_angle, by_force = solve(mass, [D(0), m * g * half]), solve(mass, vec(1, 0))
    A = [vec(0, 1, 0, 0), [D(0), D(0), by_angle[0], D(0)], vec(0, 0, 0, 1), [D(0), D(0), by_angle[1], D(0)]]
    B = [D(0), by_force[0], D(0), by_force[1]]
    upper = [row + [-b * c / weight_of_force for c in B] for row, b in zip(A, B)]
    lower = [scale(-1, q) + scale(-1, a) for q, a in zip(diagonal(*weights), transpose(A))]
    Z = upper + lower
    for _ in range(40):  # Newton's iteration for the sign of Z
        Z = scale_matrix(D(1) / 2, add_matrices(Z, inverse(Z)))
    left = [row[4:] for row in Z[:4]]  # (sign + 1) maps the columns of (1; P) to 0
    right = add_matrices([row[:4] for row in Z[:4]], diagonal(1, 1, 1, 1))
    P = scale_matrix(-1, transpose([solve(left, column) for column in transpose(right)]))
    BtP = [dot(B, column) for column in transpose(P)]
    AtP = multiply(transpose(A), P)
    residual = add_matrices(AtP, transpose(AtP), diagonal(*weights),
                            [[-x * y / weight_of_force for y in BtP] for x in BtP])
    assert max(abs(x) for row in residual for x in row) < D("1e-30")
    return scale(1 / weight_of_force, BtP)


exact = scale(-1, riccati_gains())  # the force of the scene is gains . state; that of the textbook is -K . state
assert all(abs(given / one - 1) < D("1e-8") for given, one in zip(gains, exact)), exact


def push(t):
    return (-(((t - 4) / D("0.15")) ** 2)).exp()


def accelerations(t, y):
    x, v, angle, rate = y
    s, c = sin_cos(angle)
    force = dot(gains, y) + push(t)
    return solve(
        [[M + m, m * half * c], [m * half * c, J + m * half**2]],
        [force + m * half * rate**2 * s, m * g * half * s + 2 * half * c * push(t)],
    )


def rate(t, y):
    of_cart, of_pole = accelerations(t, y)
    return [y[1], of_cart, y[3], of_pole]


def output(t, state):
    x, v, angle, w = state
    s, c = sin_cos(angle)
    zero = D(0)
    return {
        "t": D(t),
        "cart": body([x, zero, zero], vec(1, 0, 0, 0), [v, zero, zero], vec(0, 0, 0)),
        "pole": body(
            [x + half * s, zero, hinge + half * c],
            quaternion_of_turn(vec(0, 1, 0), angle),
            [v + half * w * c, zero, -half * w * s],
            [zero, w, zero],
        ),
        "tip": [x + 2 * half * s, zero, hinge + 2 * half * c],
    }


start = [D(0), D(0), pi / 9, D(0)]
times, step = ["0.25", "1", "4", "4.5", "8"], "0.02"
states, difference = integrate_twice(rate, start, times, step)
first = output(0, start)
write(
    "cart_pole_lqr",
    "Pole on a cart, kept upright by a linear-quadratic regulator",
    [
        "A cart of mass M moves along x. A pole of mass m turns about an axis along y at the height hinge above "
        "the mass centre of the cart; its mass centre is at the distance half from the axis, and J is its "
        "moment of inertia about its own mass centre. The angle is 0 if the pole is upright, and positive to the "
        "side of x > 0. The force on the cart is gains . (x, x', angle, angle'). The gains agree to all their "
        "digits with those of the linear-quadratic regulator with the given weights. The force of a gust, "
        "exp(-((t - 4)/0.15)^2) along x, acts on the top of the pole, at 2 half from the axis.",
        "tip: the top of the pole.",
    ],
    {
        "M": M,
        "m": m,
        "J": J,
        "half": half,
        "hinge": hinge,
        "g": vec(0, 0, -g),
        "gains": gains,
        "weights": weights,
        "weight_of_force": weight_of_force,
    },
    {"cart": first["cart"], "pole": first["pole"]},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [two_steps(step, difference)],
    "Lagrange's equations, Gauss collocation of order 24 with 40 digits",
)
