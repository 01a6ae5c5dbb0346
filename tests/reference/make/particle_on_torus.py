"""Particle on a rotating torus: Newton's equation in Cartesian axes of the rotating frame; see rotating_frame.py."""

from rotating_frame import *

m, g, R, r = D("1.3"), D("9.81"), D(1), D("0.4")
Omega, zero, gravity = vec(0, 0, "1.5"), vec(0, 0, 0), vec(0, 0, -g)


def rate(t, state):
    """The torus: F = ((rho - R)^2 + x^2 - r^2) / 2 with the distance rho from the axis x."""
    p, v = state[:3], state[3:6]
    rho = (p[1] ** 2 + p[2] ** 2).sqrt()
    rho_dot = (p[1] * v[1] + p[2] * v[2]) / rho
    outward = 1 - R / rho
    gradient = [p[0], outward * p[1], outward * p[2]]
    curvature = v[0] ** 2 + outward * (v[1] ** 2 + v[2] ** 2) + R * rho_dot**2 / rho
    u_dot = (p[1] * v[2] - p[2] * v[1]) / rho**2
    w_dot = ((rho - R) * v[0] - p[0] * rho_dot) / r**2
    return v + acceleration(p, v, Omega, zero, gravity, gradient, curvature) + [u_dot, w_dot]


def output(t, state):
    p, v, (u, w) = state[:3], state[3:6], state[6:]
    rho = (p[1] ** 2 + p[2] ** 2).sqrt()
    rates = rate(0, state)[6:]
    in_inertial = add(v, cross(Omega, p))
    return {
        "t": D(t),
        "coordinates": {"u": wind(atan2(p[2], p[1]), u), "w": wind(atan2(p[0], rho - R), w)},
        "rates": {"u": rates[0], "w": rates[1]},
        "energy": m * (dot(in_inertial, in_inertial) / 2 + g * p[2]),
    }


def jacobi_integral(state):
    p, v = state[:3], state[3:6]
    return m * (dot(v, v) / 2 + g * p[2] - Omega[2] ** 2 * (p[0] ** 2 + p[1] ** 2) / 2)


(u, w), (u_dot, w_dot) = vec("-0.6", "0.4"), vec("2.5", 2)
(su, cu), (sw, cw) = sin_cos(u), sin_cos(w)
rho, rho_dot = R + r * cw, -r * sw * w_dot
velocity = [r * cw * w_dot, rho_dot * cu - rho * su * u_dot, rho_dot * su + rho * cu * u_dot]
start = [r * sw, rho * cu, rho * su] + velocity + [u, w]
times, step = ["0.5", "1", "2", "5", "10"], "0.02"
states, difference = integrate_twice(rate, start, times, step)
write(
    "particle_on_torus",
    "Particle on a rotating torus",
    [
        "A particle of mass m on a smooth torus. The middle of the tube is a circle of radius R about the "
        "horizontal axis x of a frame, the tube has the radius r. The frame rotates about the vertical z "
        "with the rate Omega. Gravity -g along z.",
        "u: angle around the axis x, from y. w: angle around the tube; the particle is at (r sin w, (R + r "
        "cos w) cos u, (R + r cos w) sin u) in the frame.",
        "energy: kinetic energy in the inertial frame and potential energy.",
    ],
    {"m": m, "g": g, "R": R, "r": r, "Omega": Omega[2], "jacobi_integral": jacobi_integral(start)},
    {"coordinates": {"u": u, "w": w}, "rates": {"u": u_dot, "w": w_dot}},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [
        two_steps(step, difference),
        check("Jacobi's integral is constant", max(abs(jacobi_integral(y) - jacobi_integral(start)) for y in states)),
        check(
            "the integral of the angle's rate gives the same angle as the position",
            max(abs(output(0, y)["coordinates"][k] - a) for y in states for k, a in zip("uw", y[6:])),
        ),
    ],
    "Newton's equation with a multiplier in the rotating frame, Gauss collocation of order 24 with 40 digits",
)
