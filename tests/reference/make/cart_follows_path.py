"""Cart that follows a curve: see cart.py. The control is written without arc tangents: with the slopes p of the curve
and d of the approach, the sine of the error of the heading is an algebraic function of p, d and the sine and cosine of
the heading."""

from cart import *

amplitude, wave, speed = D("0.8"), D("1.5"), D("0.6")
approach, k_heading, k_speed, k_turning = D("1.5"), D(3), D(12), D("2.5")


def wanted_turning(x, y, yaw):
    s, c = sin_cos(wave * x)
    p, d = amplitude * wave * c, approach * (y - amplitude * s)
    length, of_approach = (1 + p * p).sqrt(), (1 + d * d).sqrt()
    curvature = -amplitude * wave**2 * s / length**3
    s, c = sin_cos(yaw)  # the wanted heading has the direction (1 + p d, p - d)
    error = (s * (1 + p * d) - c * (p - d)) / (length * of_approach)
    return speed * curvature - k_heading * error


def accelerations(y):
    """The motors balance the terms m a w^2 and -m a v w of the equations."""
    v, w = y[5:]
    return k_speed * (speed - v) / mass, k_turning * (wanted_turning(*y[:3]) - w) / inertia


def rate(t, y):
    return rates(y, accelerations(y))


def output(t, y):
    return output_of(t, y, accelerations(y))


start = [D(0), D("0.6"), -pi / 9, D(0), D(0), D(0), D(0)]
times, step = ["1", "3", "6", "12"], "0.05"
states, difference = integrate_twice(rate, start, times, step)
first = output(0, start)
write(
    "cart_follows_path",
    "Cart that follows a curve",
    [
        GEOMETRY
        + "Motors between the frame and the wheels have the torques r (F - T/b)/2 on the left and r (F + T/b)/2 on "
        "the right wheel, with F = k_speed (speed - v) - m_frame a w^2 and T = k_turning (W - w) + m_frame a v "
        "w, for the speed v of the middle of the axle and the yaw rate w. The curve is y = amplitude sin(wave "
        "x); p and kappa are its slope and its curvature at the x of the middle of the axle, and e is the "
        "offset along y of the middle of the axle from the curve. W = speed kappa - k_heading sin(yaw - atan p + "
        "atan(approach e)). "
        + WHEELS,
        LOADS,
    ],
    PARAMETERS
    | {
        "amplitude": amplitude,
        "wave": wave,
        "speed": speed,
        "approach": approach,
        "k_heading": k_heading,
        "k_speed": k_speed,
        "k_turning": k_turning,
    },
    {part: first[part] for part in ("frame", "left", "right")},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [two_steps(step, difference)],
    "Kane's equations for speed and yaw rate, Gauss collocation of order 24 with 40 digits",
)
