"""Heavy gyrostat in a gimbal: Routh's equations in the three angles of the gimbal. The momenta conjugate to the angles
of the outer ring and of the rotor are constants."""

from computation import *

g, m, l = D("9.81"), D(2), D("0.03")  # mass of the body; distance of its mass centre from the pivot
outer, inner = vec("0.07", "0.04", "0.05"), vec("0.02", "0.035", "0.025")
J, rotor_across, rotor_along = vec("0.015", "0.02", "0.012"), D("0.002"), D("0.0035")
n = scale(1 / D(3), vec(2, -1, 2))  # axis of the rotor in the body
about_pivot = [J[0] + m * l * l, J[1] + m * l * l, J[2]]
# Inertia of body and rotor without the moment of inertia of the rotor about its axis
N = hat(n)
locked = add_matrices(diagonal(*about_pivot), scale_matrix(-rotor_across, multiply(N, N)))


def axes(b, c):
    """The axes of the angles a, b and c in body axes, for R = Rz(a) Rx(b) Rz(c). The sum of rate times axis is the
    angular velocity of the body."""
    (sb, cb), (sc, cc) = sin_cos(b), sin_cos(c)
    return [sb * sc, sb * cc, cb], [cc, -sc, D(0)], vec(0, 0, 1)


def angular_velocity(b, c, rates):
    return add(*(scale(rate, axis) for rate, axis in zip(rates, axes(b, c))))


def ring(b):
    sb, cb = sin_cos(b)
    return outer[2] + inner[1] * sb * sb + inner[2] * cb * cb


def momenta(b, c, rates, spin):
    """The momenta conjugate to a, b and c; spin is the angular momentum of the rotor about its axis."""
    total = add(apply(locked, angular_velocity(b, c, rates)), scale(spin, n))
    p = [dot(axis, total) for axis in axes(b, c)]
    return [p[0] + ring(b) * rates[0], p[1] + inner[0] * rates[1], p[2]]


def rates_of(b, c, p, spin):
    e = axes(b, c)
    M = [[dot(x, apply(locked, y)) for y in e] for x in e]
    M[0][0] += ring(b)
    M[1][1] += inner[0]
    return solve(M, [p_i - spin * dot(n, axis) for p_i, axis in zip(p, e)])


start_angles, start_rates = vec(0, "0.7", 0, 0), vec("0.8", "-0.5", 6, 90)
omega = angular_velocity(start_angles[1], start_angles[2], start_rates[:3])
spin = rotor_along * (dot(n, omega) + start_rates[3])
p_start = momenta(start_angles[1], start_angles[2], start_rates[:3], spin)


def rate(t, y):
    a, b, c, d = y[:4]
    rates = rates_of(b, c, [p_start[0]] + y[4:], spin)
    omega = angular_velocity(b, c, rates)
    total = add(apply(locked, omega), scale(spin, n))
    (sb, cb), (sc, cc) = sin_cos(b), sin_cos(c)
    by_b = scale(rates[0], [cb * sc, cb * cc, -sb])
    by_c = add(scale(rates[0], [sb * cc, -sb * sc, D(0)]), scale(rates[1], [-sc, -cc, D(0)]))
    p_b = dot(total, by_b) + (inner[1] - inner[2]) * sb * cb * rates[0] ** 2 + m * g * l * sb
    return rates + [spin / rotor_along - dot(n, omega), p_b, dot(total, by_c)]


def output(t, y):
    a, b, c, d = y[:4]
    rates = rates_of(b, c, [p_start[0]] + y[4:], spin)
    omega = angular_velocity(b, c, rates)
    (sb, cb), (sd, cd) = sin_cos(b), sin_cos(d)
    q_outer = quaternion_of_turn(vec(0, 0, 1), a)
    q_inner = quaternion_product(q_outer, quaternion_of_turn(vec(1, 0, 0), b))
    q_body = quaternion_product(q_inner, quaternion_of_turn(vec(0, 0, 1), c))
    # The shortest rotation from z to n
    to_axis = scale(1 / (2 * (1 + n[2])).sqrt(), [1 + n[2], -n[1], n[0], D(0)])
    q_rotor = quaternion_product(quaternion_product(q_body, to_axis), quaternion_of_turn(vec(0, 0, 1), d))
    of_inner = [rates[1], rates[0] * sb, rates[0] * cb]
    R, zero = rotation(q_body), vec(0, 0, 0)
    centre = vec(0, 0, l)
    of_rotor = add(omega, scale(spin / rotor_along - dot(n, omega), n))
    of_rotor = apply(transpose(rotation(q_rotor)), apply(R, of_rotor))
    total = add(apply(locked, omega), scale(spin, n))
    momentum = add(
        vec(0, 0, outer[2] * rates[0]),
        apply(rotation(q_inner), [J_i * w for J_i, w in zip(inner, of_inner)]),
        apply(R, total),
    )
    of_rings = outer[2] * rates[0] ** 2 + sum(J_i * w * w for J_i, w in zip(inner, of_inner))
    kinetic = (of_rings + dot(omega, apply(locked, omega)) + spin**2 / rotor_along) / 2
    return {
        "t": D(t),
        "outer_ring": body(zero, q_outer, zero, vec(0, 0, rates[0])),
        "inner_ring": body(zero, q_inner, zero, of_inner),
        "body": body(apply(R, centre), q_body, apply(R, cross(omega, centre)), omega),
        "rotor": body(zero, q_rotor, zero, of_rotor),
        "energy": kinetic + m * g * l * cb,
        "angular_momentum": momentum,
    }


start = start_angles + p_start[1:]
times, step = ["0.5", "1", "2", "5"], "0.02"
states, difference = integrate_twice(rate, start, times, step)
first = output(0, start)
outputs = [output(t, y) for t, y in zip(times, states)]
write(
    "gyrostat_in_gimbal",
    "Heavy gyrostat in a gimbal",
    [
        "Four revolute joints in a row, all axes through the origin: the outer ring turns about z by a, the "
        "inner ring in it about x by b, the body in it about z by c, the rotor in the body about n by d. "
        "The mass centre of the body is at (0, 0, l) from the origin in body axes; the other mass centres "
        "are at the origin. The frame of the rotor is that of the body, turned from z to n by the shortest "
        "rotation, then about its own z by d.",
        "angular_momentum: of all bodies about the origin, in world axes; its vertical component is "
        "constant.",
    ],
    {
        "m": m,
        "l": l,
        "n": n,
        "J_outer": {"principal": outer},
        "J_inner": {"principal": inner},
        "J_body": {"principal": J},
        "J_rotor": {"principal": [rotor_across, rotor_across, rotor_along]},
        "g": vec(0, 0, "-9.81"),
    },
    {"angles": start_angles, "rates": start_rates},
    outputs,
    18,
    [
        two_steps(step, difference),
        check("the energy is constant", max(abs(o["energy"] - first["energy"]) for o in outputs)),
    ],
    "Routh's equations in the angles of the gimbal, Gauss collocation of order 24 with 40 digits",
)
