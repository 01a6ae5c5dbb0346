"""The cart of two scenes: a frame on a smooth skid and on two wheels that roll without slip. Kane's equations for the
speed v of the middle of the axle and the yaw rate w, and the forces of the floor from the balance of moments."""

from computation import *

g, r, b, a, up = D("9.81"), D("0.1"), D("0.2"), D("0.12"), D("0.05")
m, J, m_wheel, across, along = D(6), vec("0.08", "0.12", "0.15"), D("0.8"), D("0.0022"), D("0.004")
skid = D("0.2") + a / 2  # ahead of the axle
x_axis, y_axis, z_axis = vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)

mass = m + 2 * m_wheel + 2 * along / r**2
inertia = m * a * a + J[2] + 2 * m_wheel * b * b + 2 * across + 2 * along * b * b / r**2

GEOMETRY = (
    "Two thin disks of radius r roll without slip on the plane z = 0. They turn about the same axle of "
    "a frame, at the distance b from its middle. The mass centre of the frame is ahead of the middle of "
    "the axle by a and above it by up. A smooth skid under the frame, ahead of the axle by skid, keeps "
    "the frame level. "
)
WHEELS = "Each wheel has the moment of inertia `along` about its axle and `across` about a diameter."
LOADS = (
    "skid_force, wheel_loads: vertical forces of the floor on the skid, and on the left and the right "
    "wheel."
)
PARAMETERS = {
    "m_frame": m,
    "J_frame": {"principal": J},
    "m_wheel": m_wheel,
    "across": across,
    "along": along,
    "r": r,
    "b": b,
    "a": a,
    "up": up,
    "skid": skid,
    "g": vec(0, 0, "-9.81"),
}


def rates(state, accelerations):
    """The rates of x, y, yaw, the angles of the left and the right wheel, v and w."""
    yaw, (v, w) = state[2], state[5:]
    s, c = sin_cos(yaw)
    return [v * c, v * s, w, (v - b * w) / r, (v + b * w) / r, *accelerations]


def output_of(t, state, accelerations):
    x, y, yaw, left, right, v, w = state
    R, axle = turn(z_axis, yaw), [x, y, r]
    v_dot, w_dot = accelerations

    def at(point):  # position and velocity of a point of the frame, from the middle of the axle
        return add(axle, apply(R, point)), apply(R, add(scale(v, x_axis), cross(scale(w, z_axis), point)))

    def wheel(side, angle):
        s, c = sin_cos(angle)
        position, velocity = at(vec(0, side * b, 0))
        q = quaternion_product(quaternion_of_turn(z_axis, yaw), quaternion_of_turn(y_axis, angle))
        return body(position, q, velocity, [-s * w, (v - side * b * w) / r, c * w])

    position, velocity = at([a, D(0), up])
    height = r + up
    # Moments about the point of the floor below the middle of the axle
    forward, aside = v_dot - a * w * w, v * w + a * w_dot  # acceleration of the mass centre of the frame
    on_skid = (a * m * g - height * m * forward - 2 * m_wheel * r * v_dot - 2 * along * v_dot / r) / skid
    both = (m + 2 * m_wheel) * g - on_skid
    unequal = (-height * m * aside - 2 * m_wheel * r * v * w - 2 * along * v * w / r) / b
    return {
        "t": D(t),
        "frame": body(position, quaternion_of_turn(z_axis, yaw), velocity, [D(0), D(0), w]),
        "left": wheel(1, left),
        "right": wheel(-1, right),
        "skid_force": on_skid,
        "wheel_loads": [(both + unequal) / 2, (both - unequal) / 2],
        "energy": (mass * v * v + inertia * w * w) / 2 + (m * height + 2 * m_wheel * r) * g,
    }
