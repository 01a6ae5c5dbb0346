"""Quadcopter under the attitude control of Lee, Leok and McClamroch: the equations of the error.

In the equations of the attitude E = R_d^T R relative to the desired attitude R_d, and of e = Omega - E^T Omega_d, the
gyroscopic terms and the feed-forward cancel: E' = E hat(e) and J e' = -k_R (E - E^T)^vee / 2 - k_Omega e. If (w, u) is
the quaternion of E, the vector (E - E^T)^vee / 2 is 2 w u.
"""

from computation import *

m, J, g = D("1.2"), vec("0.014", "0.016", "0.027"), D("9.81")
height, turning, drag = D(6), D("0.6"), D("0.5")
k_R, k_Omega, k_z, k_v = D("0.9"), D("0.14"), D("3.2"), D(4)
up = vec(0, 0, 1)
desired = scale(turning, up)  # in axes of the world and of the desired attitude


def desired_attitude(t):
    return quaternion_of_turn(up, turning * t)


def projected_lift(t, y):
    E_zz = 1 - 2 * (y[1] ** 2 + y[2] ** 2)
    return (m * g + k_z * (height - y[9]) - k_v * y[12]) * E_zz


def clamps(t, y):
    return [(projected_lift(t, y), D(0), D("Infinity"))]


def rate(t, y, pieces):
    q, e, v = y[:4], y[4:7], y[10:]
    thrust = on_piece(pieces[0], *clamps(t, y)[0])
    z_axis = [row[2] for row in rotation(quaternion_product(desired_attitude(t), q))]
    e_dot = [(-2 * k_R * q[0] * u - k_Omega * x) / j for u, x, j in zip(q[1:], e, J)]
    v_dot = add(scale(thrust / m, z_axis), scale(-drag / m, v), scale(-g, up))
    return quaternion_rate(q, e) + e_dot + v + v_dot


def output(t, y):
    t = D(t)
    omega = add(y[4:7], apply(transpose(rotation(y[:4])), desired))
    return {"t": t, "copter": body(y[7:10], quaternion_product(desired_attitude(t), y[:4]), y[10:], omega)}


def degrees(angle):
    return pi * D(angle) / 180


roll, pitch, yaw = (quaternion_of_turn(vec(*axis), degrees(angle)) for axis, angle in
                    (((1, 0, 0), 172), ((0, 1, 0), 8), ((0, 0, 1), 35)))
q_start, omega_start = quaternion_product(quaternion_product(yaw, pitch), roll), vec("0.4", "-0.6", "1.5")
e_start = sub(omega_start, apply(transpose(rotation(q_start)), desired))
start = q_start + e_start + vec(0, 0, 5) + vec("0.3", "-0.2", 0)
times, step = ["0.58", "1", "2", "4", "8"], "0.02"
states, difference, kinks = integrate_clamped_twice(rate, clamps, start, times, step)
first = output(0, start)
write(
    "quadcopter_attitude",
    "Quadcopter that turns upright and climbs",
    [
        "A body of mass m with the principal moments of inertia J, under gravity. Drag: the force -drag v at the "
        "mass centre. The rotors give a thrust along z of the body and any torque. The desired attitude R_d = "
        "Rz(turning t) has the angular velocity Omega_d = (0, 0, turning). With E = R_d^T R, e_R = (E - E^T)^vee "
        "/ 2 and D = E^T Omega_d, the torque in axes of the body is -k_R e_R - k_Omega (Omega - D) + Omega x J "
        "Omega - J (Omega x D). The thrust is max(0, (m g + k_z (height - z) - k_v z') E_zz), for the mass "
        "centre (x, y, z). The start is R = Rz(35 deg) Ry(8 deg) Rx(172 deg).",
        "kinks: the times at which the thrust begins or ceases to be 0.",
    ],
    {
        "m": m,
        "J": {"principal": J},
        "g": vec(0, 0, -g),
        "height": height,
        "turning": turning,
        "drag": drag,
        "k_R": k_R,
        "k_Omega": k_Omega,
        "k_z": k_z,
        "k_v": k_v,
        "kinks": kinks,
    },
    {"copter": first["copter"]},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [two_steps(step, difference)],
    "the equations of the error of attitude, Gauss collocation of order 24 with 40 digits; the kinks end steps",
)
