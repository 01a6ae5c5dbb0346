"""Foucault's pendulum: Newton's equation in Cartesian axes of the room (east, north, up); see rotating_frame.py."""

from rotating_frame import *

m, g, L, amplitude, day = D(1), D("9.8"), D("9.8"), D("0.05"), 120 * pi
s, c = sin_cos(D("48.85") * pi / 180)
Omega = scale(2 * pi / day, [D(0), c, s])
rest, gravity = vec(0, 0, -L), vec(0, 0, -g)  # the point of rest, from the support


def rate(t, state):
    """On the sphere F = |p|^2 / 2 - L^2 / 2 = 0. `gravity` includes the centrifugal force at the point of rest."""
    p, v = state[:3], state[3:]
    return v + acceleration(p, v, Omega, rest, gravity, p, dot(v, v))


def output(t, state):
    p, v = state[:3], state[3:]
    in_inertial = add(v, cross(Omega, sub(p, rest)))
    return {
        "t": D(t),
        "coordinates": {"x": p[0], "y": p[1]},
        "rates": {"x": v[0], "y": v[1]},
        "energy": m * (dot(in_inertial, in_inertial) / 2 + g * (p[2] + L)),
    }


start = rest + [amplitude * L * (g / L).sqrt(), D(0), D(0)]
times, step = ["10", "60", "180", "376"], "0.5"
states, difference = integrate_twice(rate, start, times, step)
write(
    "foucault_pendulum",
    "Foucault's pendulum over one day",
    [
        "A particle of mass m on a rod of length L. The room turns with the rate 2 pi / day about an axis "
        "in its plane of north and up, at the angle of the latitude above north. The axes of the room have "
        "their origin at the point of rest. There gravity and the centrifugal force have the sum (0, 0, -g) "
        "in axes of the room; away from it, the centrifugal force differs.",
        "x: east, y: north. Start at the point of rest with a speed to the east.",
        "energy: kinetic energy in axes that have the origin of the room and do not rotate, and m g times "
        "the height in the room.",
    ],
    {"m": m, "g": g, "L": L, "day": day, "latitude": D("48.85") * pi / 180, "amplitude": amplitude},
    {"coordinates": {"x": D(0), "y": D(0)}, "rates": {"x": start[3], "y": D(0)}},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [
        two_steps(step, difference),
        check("the length of the rod is constant", max(abs(dot(y[:3], y[:3]).sqrt() - L) for y in states)),
    ],
    "Newton's equation with a multiplier in the axes of the room, Gauss collocation of order 24 with 40 "
    "digits",
)
