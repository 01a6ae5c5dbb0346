"""Satellite with an unbalanced reaction wheel: see two_bodies.py."""

from two_bodies import *

axis, bearing = vec(0, 0, 1), vec(0, 0, "0.5")
offset = vec("0.02", 0, 0)  # of the wheel's mass centre from its axis
masses = vec(20, 3)
inertias = [
    [vec("1.2", "0.05", "-0.03"), vec("0.05", "0.9", "0.04"), vec("-0.03", "0.04", "0.7")],
    [vec("0.02", "0.002", "0.003"), vec("0.002", "0.024", "-0.001"), vec("0.003", "-0.001", "0.038")],
]


def angle(t):
    return 6 * t + D("1.5") * t * t - 2 * sin(t)


def angle_rate(t):
    return 6 + 3 * t - 2 * cos(t)


def relative(t):
    S = turn(axis, angle(t))
    sigma = scale(angle_rate(t), axis)
    arm = apply(S, offset)
    return S, sigma, add(bearing, arm), cross(sigma, arm)


system = TwoBodies(masses, inertias, relative)
q_start, omega_start, zero = vec(1, 0, 0, 0), vec("0.05", "-0.2", "0.1"), vec(0, 0, 0)
momentum = system.momentum(D(0), q_start, omega_start)
# The mass centre of the satellite starts at rest at the origin. The common mass centre moves with a constant velocity.
first, second, of_wheel = system.positions(D(0), q_start, omega_start, zero, zero)
centre_start, centre_velocity = scale(-1, first[0]), scale(-1, first[1])
mass = sum(masses)


def rate(t, q):
    return quaternion_rate(q, system.angular_velocity(t, q, momentum))


def kinetic_energy(t, q):
    omega = system.angular_velocity(t, q, momentum)
    return system.kinetic_energy(t, q, omega) + mass * dot(centre_velocity, centre_velocity) / 2


def driving_torque(t, q):
    """The power of the torque is the rate of the kinetic energy: a central difference of order 8."""
    h = D("1e-4")

    def later(s):
        return integrate(lambda u, y: scale(s, rate(t + s * u, y)), q, ["1"], "1")[0]

    weights = {1: D(4) / 5, 2: D(-1) / 5, 3: D(4) / 105, 4: D(-1) / 280}
    change = [kinetic_energy(t + k * h, later(k * h)) - kinetic_energy(t - k * h, later(-k * h)) for k in weights]
    return dot(list(weights.values()), change) / h / angle_rate(t)


def output(t, q):
    t = D(t)
    omega = system.angular_velocity(t, q, momentum)
    centre = add(centre_start, scale(t, centre_velocity))
    first, second, of_wheel = system.positions(t, q, omega, centre, centre_velocity)
    q_wheel = quaternion_product(q, quaternion_of_turn(axis, angle(t)))
    return {
        "t": t,
        "satellite": body(first[0], q, first[1], omega),
        "wheel": body(second[0], q_wheel, second[1], of_wheel),
        "energy": kinetic_energy(t, q),
        "angular_momentum": add(momentum, scale(mass, cross(centre_start, centre_velocity))),
        "driving_torque": driving_torque(t, q),
    }


times, step = ["1", "2", "5", "10"], "0.05"
states, difference = integrate_twice(rate, q_start, times, step)
first = output(0, q_start)
write(
    "satellite_reaction_wheel",
    "Satellite with an unbalanced reaction wheel",
    [
        "Satellite and wheel, no forces. The wheel turns about an axis through p in satellite axes, "
        "parallel to z of both bodies, by the angle theta(t) = 6 t + 1.5 t^2 - 2 sin t. Its mass centre is "
        "at e from the axis, in wheel axes.",
        "angular_momentum: of both bodies about the origin, world axes. driving_torque: of the drive on the "
        "wheel.",
    ],
    {
        "m": masses,
        "J_satellite": {"matrix_rows": inertias[0]},
        "J_wheel": {"matrix_rows": inertias[1]},
        "p": bearing,
        "e": offset,
    },
    {"satellite": first["satellite"], "wheel": first["wheel"]},
    [output(t, q) for t, q in zip(times, states)],
    18,
    [two_steps(step, difference)],
    "the constant angular momentum gives the angular velocity; Gauss collocation of order 24 with 40 digits",
)
