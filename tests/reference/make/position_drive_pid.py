"""Arm with a position drive: one equation of motion, three states of the control, and values that are sampled every
10 ms."""

from computation import *

m, J, length, damping, g = D(2), D("0.065"), D("0.3"), D("0.12"), D("9.81")
k_P, k_I, k_D, limit = D(36), D(40), D(4), D(11)
lag, time_of_filter, reset, period = D("0.025"), D("0.015"), D("0.3"), D("0.01")


def target(t):
    def ramp(begin, duration):
        return min(max((t - D(begin)) / D(duration), D(0)), D(1))

    return D("2.1") * ramp("0.3", "0.25") - D("2.8") * ramp("2.6", "0.35")


def sampled(t, y):
    """The set angle and the speed."""
    return target(t), (y[0] - y[2]) / time_of_filter


def field(held):
    """The equations between two samples, for the state (angle, angle', filtered, integral, torque)."""
    set_angle, speed = held

    def clamps(t, y):
        return [(k_P * (set_angle - y[0]) + y[3] - k_D * speed, -limit, limit)]

    def rate(t, y, pieces):
        angle, w, filtered, integral, torque = y
        wanted = clamps(t, y)[0]
        command = on_piece(pieces[0], *wanted)
        return [
            w,
            (torque - damping * w - m * g * length * sin(angle)) / (J + m * length**2),
            (angle - filtered) / time_of_filter,
            k_I * (set_angle - angle) + (command - wanted[0]) / reset,
            (command - torque) / lag,
        ]

    return rate, clamps


def motion(times, h):
    """State and held values at the times, which lie between samples, and the kinks between samples."""
    method, y, outputs, kinks, k = Gauss(10), start, [], [], 0
    while len(outputs) < len(times):
        t, end = k * period, (k + 1) * period
        held = sampled(t, y)
        for time in [D(one) for one in times if t < D(one) < end] + [end]:
            y, passed = advance(method, *field(held), t, y, time, h)
            t, kinks = time, kinks + passed
            if time < end:
                outputs.append((y, held))
        k += 1
    return outputs, kinks


def output(t, y, held):
    s, c = sin_cos(y[0])
    w, zero = y[1], D(0)
    return {
        "t": D(t),
        "arm": body(
            [-length * s, zero, -length * c],
            quaternion_of_turn(vec(0, 1, 0), y[0]),
            [-length * w * c, zero, length * w * s],
            [zero, w, zero],
        ),
        "states": dict(zip(("filtered", "integral", "torque"), y[2:])),
        "sampled": dict(zip(("set_angle", "speed"), held)),
    }


start = vec("0.1", "-0.5", "0.1", 0, 0)
times, step = ["0.255", "0.655", "0.665", "1.505", "3.035", "4.995"], "0.01"
found = {}


def states_with(h):
    outputs, found["kinks"] = motion(times, h)
    found["held"] = [held for _, held in outputs]
    return [y + list(held) for y, held in outputs]


states, difference = twice(states_with, step)
first = output(0, start, sampled(D(0), start))
write(
    "position_drive_pid",
    "Arm with a position drive: PID control with limited torque",
    [
        "An arm of mass m turns about an axis along y through the origin. Its mass centre is at `length` from "
        "the axis, J is its moment of inertia about its own mass centre. The angle is 0 if the arm hangs down. A "
        "motor and the friction -damping angle' act about the axis.",
        "At t = 0, 0.01 s, 0.02 s, ... the set angle becomes the target, 2.1 r((t - 0.3)/0.25) - 2.8 r((t - "
        "2.6)/0.35) with r(x) = min(max(x, 0), 1), and the speed becomes (angle - filtered)/time_of_filter; both "
        "are held until the next sample. filtered' = (angle - filtered)/time_of_filter. wanted = k_P error + "
        "integral - k_D speed, with the error (set angle - angle). command = clamp(wanted, -limit, limit). "
        "integral' = k_I error + (command - wanted)/reset. torque' = (command - torque)/lag, for the torque of "
        "the motor.",
        "kinks: the times between samples at which the wanted torque passes the limit.",
    ],
    {
        "m": m,
        "J": J,
        "length": length,
        "damping": damping,
        "g": vec(0, 0, -g),
        "k_P": k_P,
        "k_I": k_I,
        "k_D": k_D,
        "limit": limit,
        "lag": lag,
        "time_of_filter": time_of_filter,
        "reset": reset,
        "period": period,
        "kinks": [t for t, _ in found["kinks"]],
    },
    {key: first[key] for key in ("arm", "states")},
    [output(t, y[:5], held) for t, y, held in zip(times, states, found["held"])],
    18,
    [two_steps(step, difference)],
    "one equation of motion, Gauss collocation of order 20 with 40 digits; samples and kinks end steps",
)
