"""Cart with one driven wheel: see cart.py."""

from cart import *


def accelerations(t, y):
    v, w = y[5:]
    drive = D("0.15") * sin(D("0.8") * t) / r
    return (m * a * w * w + drive) / mass, (-m * a * v * w - b * drive) / inertia


def rate(t, y):
    return rates(y, accelerations(t, y))


def output(t, y):
    return output_of(t, y, accelerations(D(t), y))


start = vec(0, 0, 0, 0, 0, "0.4", "0.5")
times, step = ["1", "2", "5", "10"], "0.05"
states, difference = integrate_twice(rate, start, times, step)
first = output(0, start)
write(
    "two_wheeled_cart",
    "Cart with one driven wheel",
    [GEOMETRY + "A motor between the frame and the left wheel has the torque 0.15 sin(0.8 t). " + WHEELS, LOADS],
    PARAMETERS,
    {part: first[part] for part in ("frame", "left", "right")},
    [output(t, y) for t, y in zip(times, states)],
    18,
    [two_steps(step, difference)],
    "Kane's equations for speed and yaw rate, Gauss collocation of order 24 with 40 digits",
)
