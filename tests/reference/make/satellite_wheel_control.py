"""Satellite that turns by three reaction wheels: the constant angular momentum and the spins of the wheels.

A wheel that is symmetric about its axis i, an axis of the satellite, has along the axis the angular momentum J_a s_i,
where s_i = Omega_i + theta_i' is its spin in space, and J_a s_i' is the torque of its motor. The angular momentum H
about the common mass centre is constant: R^T H = (I - J_a) Omega + J_a s, with the inertia I of all bodies, gives
Omega.
"""

from computation import *

m, m_wheel, J_a, J_t = D(24), D("1.5"), D("0.012"), D("0.0065")
J = [vec("2.1", "0.06", "-0.04"), vec("0.06", "1.7", "0.05"), vec("-0.04", "0.05", "1.3")]
axes, wheels = diagonal(1, 1, 1), [vec("0.28", 0, "0.05"), vec("0.05", "0.28", 0), vec(0, "-0.05", "0.33")]
limit, k_R, k_Omega = D("0.12"), D("1.2"), D("2.6")

mass = m + 3 * m_wheel
centre = scale(m_wheel / mass, add(*wheels))  # of all bodies, from the mass centre of the satellite


def displaced(weight, p):
    P = hat(p)
    return scale_matrix(-weight, multiply(P, P))


# The moments of inertia of the three wheels about their own mass centres add up to J_a + 2 J_t about every axis.
of_wheels = diagonal(*[J_a + 2 * J_t] * 3)
inertia = add_matrices(J, of_wheels, *(displaced(m_wheel, p) for p in wheels), displaced(-mass, centre))
carried = add_matrices(inertia, diagonal(*[-J_a] * 3))


def angular_velocity(y):
    return solve(carried, sub(apply(transpose(rotation(y[:4])), momentum), scale(J_a, y[4:7])))


def clamps(t, y):
    return [(2 * k_R * y[0] * u + k_Omega * x, -limit, limit) for u, x in zip(y[1:4], angular_velocity(y))]


def rate(t, y, pieces):
    omega = angular_velocity(y)
    torques = [on_piece(piece, *one) for piece, one in zip(pieces, clamps(t, y))]
    return quaternion_rate(y[:4], omega) + scale(1 / J_a, torques) + sub(y[4:7], omega)


def output(t, y):
    t, q, R, omega, spin = D(t), y[:4], rotation(y[:4]), angular_velocity(y), y[4:7]
    x = add(centre_start, scale(t, centre_velocity), scale(-1, apply(R, centre)))
    v = sub(centre_velocity, apply(R, cross(omega, centre)))
    turning = sub(spin, omega)
    energy = (dot(omega, apply(inertia, omega)) + 2 * J_a * dot(omega, turning) + J_a * dot(turning, turning)
              + mass * dot(centre_velocity, centre_velocity)) / 2
    bodies = {"satellite": body(x, q, v, omega)}
    for name, axis, p, angle, s in zip("xyz", axes, wheels, y[7:], spin):
        of_wheel = apply(transpose(turn(axis, angle)), add(omega, scale(s - dot(axis, omega), axis)))
        bodies[f"wheel_{name}"] = body(
            add(x, apply(R, p)),
            quaternion_product(q, quaternion_of_turn(axis, angle)),
            add(v, apply(R, cross(omega, p))),
            of_wheel,
        )
    total = add(momentum, scale(mass, cross(centre_start, centre_velocity)))
    return {"t": t, **bodies, "energy": energy, "angular_momentum": total}


q_start, omega_start = quaternion_of_turn([D(2) / 3, D(-2) / 3, D(1) / 3], 140 * pi / 180), vec("0.15", "0.35", "-0.25")
R_start, spin_start = rotation(q_start), add(omega_start, vec(0, 0, 10))
momentum = apply(R_start, add(apply(carried, omega_start), scale(J_a, spin_start)))
# The mass centre of the satellite starts at rest at the origin. The common mass centre then moves with the constant
# velocity Omega x centre.
centre_start, centre_velocity = apply(R_start, centre), apply(R_start, cross(omega_start, centre))
start = q_start + spin_start + vec(0, 0, 0)
times, step = ["2", "4.3", "5", "10", "14.1", "40"], "0.2"
states, difference, kinks = integrate_clamped_twice(rate, clamps, start, times, step)
first = output(0, start)
write(
    "satellite_wheel_control",
    "Satellite that turns by three reaction wheels",
    [
        "A satellite with three wheels, no forces. The wheels are symmetric about their axes, which are parallel "
        "to x, y and z of the satellite. The wheel i has its mass centre at p_i in axes of the satellite, the "
        "moment of inertia J_a about its axis and J_t across it. The motor turns it by the torque clamp(k_R e_i "
        "+ k_Omega Omega_i, -limit, limit) with e = (R - R^T)^vee / 2, where R and Omega are those of the "
        "satellite. The satellite starts at 140 deg about (2, -2, 1) / 3; the wheel z starts with 10 rad/s in "
        "the satellite.",
        "kinks: the times at which a torque reaches or leaves its limit. angular_momentum: of all bodies about the "
        "origin, world axes.",
    ],
    {
        "m": m,
        "m_wheel": m_wheel,
        "J_satellite": {"matrix_rows": J},
        "J_a": J_a,
        "J_t": J_t,
        "p": wheels,
        "limit": limit,
        "k_R": k_R,
        "k_Omega": k_Omega,
        "kinks": kinks,
    },
    {name: first[name] for name in ("satellite", "wheel_x", "wheel_y", "wheel_z")},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [two_steps(step, difference)],
    "the constant angular momentum gives the angular velocity; Gauss collocation of order 24 with 40 digits; the "
    "kinks end steps",
)
