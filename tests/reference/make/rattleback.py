"""Rattleback: the balance of moments about the mass centre, with the force of the floor eliminated, and the position of the
contact as a function of the vertical in body axes."""

from computation import *

m, g, h = D(1), D("9.81"), D("0.01")
semi_axes = vec("0.2", "0.03", "0.02")
J = [vec("2e-4", "-2e-5", 0), vec("-2e-5", "1.6e-3", 0), vec(0, 0, "1.7e-3")]
up = vec(0, 0, 1)
squares = [a * a for a in semi_axes]


def contact(n):
    """The lowest point for the vertical n, in body axes from the mass centre."""
    across = [s * x for s, x in zip(squares, n)]
    return sub(vec(0, 0, h), scale(1 / dot(n, across).sqrt(), across))


def contact_rate(n, n_dot):
    across, rate = [s * x for s, x in zip(squares, n)], [s * x for s, x in zip(squares, n_dot)]
    length = dot(n, across).sqrt()
    return sub(scale(dot(across, n_dot) / length**3, across), scale(1 / length, rate))


def motion(q, omega):
    """Vertical, contact, angular acceleration and force of the floor, in body axes. The mass centre has the velocity
    r x omega, so its acceleration is r' x omega + r x omega' + omega x (r x omega)."""
    n = apply(transpose(rotation(q)), up)
    r = contact(n)
    known = add(cross(contact_rate(n, cross(n, omega)), omega), cross(omega, cross(r, omega)), scale(g, n))
    # J omega' + omega x J omega = r x m (known + r x omega')
    R = hat(r)
    A = add_matrices(J, scale_matrix(-m, multiply(R, R)))
    acceleration = solve(A, sub(scale(m, cross(r, known)), cross(omega, apply(J, omega))))
    force = scale(m, add(known, cross(r, acceleration)))
    return n, r, acceleration, force


def rate(t, y):
    q, omega = y[2:6], y[6:9]
    n, r, acceleration, force = motion(q, omega)
    v = apply(rotation(q), cross(r, omega))
    return v[:2] + quaternion_rate(q, omega) + acceleration


def output(t, y):
    q, omega = y[2:6], y[6:9]
    n, r, acceleration, force = motion(q, omega)
    R = rotation(q)
    f = apply(R, force)
    height = -dot(n, r)
    v = cross(r, omega)
    return {
        "t": D(t),
        "stone": body(y[:2] + [height], q, apply(R, v), omega),
        "contact_force": [f[2], f[0], f[1]],
        "energy": (m * dot(v, v) + dot(omega, apply(J, omega))) / 2 + m * g * height,
    }


tilt = D("0.5") * pi / 180
tilted = quaternion_product(quaternion_of_turn(vec(1, 0, 0), tilt), quaternion_of_turn(vec(0, 1, 0), tilt))
start = vec(0, 0) + tilted + vec(0, 0, -5)
times, step = ["0.5", "1", "2", "3", "4"], "0.002"
states, difference = integrate_twice(rate, start, times, step)
first = output(0, start)
outputs = [output(t, y) for t, y in zip(times, states)]
write(
    "rattleback",
    "Rattleback that reverses its spin",
    [
        "A rigid body rolls without slip on the plane z = 0 with the surface of an ellipsoid, whose centre "
        "is above the mass centre by h in body axes. Gravity (0, 0, -9.81). The axes of inertia are turned "
        "about z against those of the surface.",
        "Parameters of T. R. Kane, D. A. Levinson, Int. J. Non-Linear Mechanics 17 (1982) 175-186, without "
        "friction.",
        "contact_force: force of the floor on the body, components z, x, y.",
    ],
    {"m": m, "J": {"matrix_rows": J}, "semi_axes": semi_axes, "h": h, "g": vec(0, 0, "-9.81")},
    {"stone": first["stone"]},
    outputs,
    17,
    [
        two_steps(step, difference),
        check("the energy is constant", max(abs(o["energy"] - first["energy"]) for o in outputs)),
    ],
    "Newton's and Euler's equations with eliminated contact force, Gauss collocation of order 24 with 40 "
    "digits",
)
