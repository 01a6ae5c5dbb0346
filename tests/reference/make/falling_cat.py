"""Falling cat: the attitude along the loop of shapes, by the mechanical connection of zero angular momentum; see
two_bodies.py. The loop is a circle with the parameter phi; only the outputs use the law phi(t)."""

from two_bodies import *

A, g, masses, height = D("1.25"), D("9.81"), vec("1.8", "2.2"), D("1.4")
inertias = [diagonal("0.011", "0.011", "0.0035"), diagonal("0.0135", "0.0135", "0.0045")]
arm, zero, T = vec(0, 0, "0.125"), vec(0, 0, 0), D("0.5")


def shape(phi):
    """The pose of the rear half in the front half, and its derivative by phi: S = Rx(a) Ry(b)."""
    s, c = sin_cos(phi)
    a, b, a_rate, b_rate = A * c, A * s, -A * s, A * c
    Rx = turn(vec(1, 0, 0), a)
    S = multiply(Rx, turn(vec(0, 1, 0), b))
    sigma = add([a_rate, D(0), D(0)], scale(b_rate, [row[1] for row in Rx]))
    from_joint = scale(-1, apply(S, arm))
    return S, sigma, sub(from_joint, arm), cross(sigma, from_joint)


cat = TwoBodies(masses, inertias, shape)
q_start = quaternion_product(
    quaternion_of_turn(vec(0, 0, 1), pi / 2), quaternion_of_turn(vec(1, 0, 0), pi / 2 - A / 2)
)


def along_loop(phi, q):
    return quaternion_rate(q, cat.angular_velocity(phi, q, zero))


def direction(t):
    return 2 * pi * t / T - sin(2 * pi * t / T)


def output(t, q):
    t = D(t)
    phi, rate = direction(t), 2 * pi / T * (1 - cos(2 * pi * t / T))
    omega = cat.angular_velocity(phi, q, zero)  # for phi' = 1
    s, c = sin_cos(phi)
    first, second, of_rear = cat.positions(phi, q, omega, [D(0), D(0), height - g * t * t / 2], zero)
    fall = [D(0), D(0), -g * t]
    bend = quaternion_product(quaternion_of_turn(vec(1, 0, 0), A * c), quaternion_of_turn(vec(0, 1, 0), A * s))
    q_rear = quaternion_product(q, bend)
    return {
        "t": t,
        "front": body(first[0], q, add(fall, scale(rate, first[1])), scale(rate, omega)),
        "rear": body(second[0], q_rear, add(fall, scale(rate, second[1])), scale(rate, of_rear)),
        "energy": rate**2 * cat.kinetic_energy(phi, q, omega) + sum(masses) * g * height,
        "angular_momentum": zero,
    }


times, step = ["0.125", "0.25", "0.375", "0.5"], "0.1"
states, difference = integrate_twice(along_loop, q_start, [direction(D(t)) for t in times], step)
first = output(0, q_start)
turned = quaternion_product([q_start[0]] + scale(-1, q_start[1:]), states[-1])
write(
    "falling_cat",
    "Falling cat: a turn without angular momentum",
    [
        "Front and rear half, joined by a universal joint at (0, 0, -arm) of the front and (0, 0, arm) of "
        "the rear half: the rear half has the attitude Rx(a) Ry(b) in the front half. a = A cos(phi), b = A "
        "sin(phi), phi = 2 pi t / T - sin(2 pi t / T). Gravity (0, 0, -9.81). The common mass centre "
        "falls from rest at (0, 0, height); the angular momentum about it is zero.",
        "holonomy: the attitude at the end in the axes of the front half at the start, a unit quaternion.",
    ],
    {
        "m": masses,
        "J_front": {"principal": vec("0.011", "0.011", "0.0035")},
        "J_rear": {"principal": vec("0.0135", "0.0135", "0.0045")},
        "arm": arm[2],
        "A": A,
        "T": T,
        "height": height,
        "g": vec(0, 0, -g),
        "holonomy": turned,
    },
    {"front": first["front"], "rear": first["rear"]},
    [output(t, q) for t, q in zip(times, states)],
    18,
    [check(f"the same equations with steps of {D(step)} and {D(step) / 2} in phi", difference)],
    "the mechanical connection, integrated along the loop by Gauss collocation of order 24 with 40 digits",
)
