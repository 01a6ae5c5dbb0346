"""A particle on a surface that is fixed in a rotating frame: Newton's equation in the Cartesian axes of the frame, with the
centrifugal and the Coriolis force and one multiplier."""

from computation import *


def acceleration(p, v, Omega, centre, gravity, gradient, curvature):
    """The surface is F = 0. gradient is the gradient of F at p, and curvature is the second derivative of F along v.
    The force of the surface keeps F'' = gradient . p'' + curvature at zero. The centrifugal force is that of the
    displacement of p from `centre`."""
    free = sub(gravity, add(scale(2, cross(Omega, v)), cross(Omega, cross(Omega, sub(p, centre)))))
    multiplier = -(dot(gradient, free) + curvature) / dot(gradient, gradient)
    return add(free, scale(multiplier, gradient))


def wind(angle, last):
    """The angle plus the full turns that bring it nearest to `last`."""
    return angle + 2 * pi * ((last - angle) / (2 * pi)).to_integral_value()
