"""Two bodies in space whose relative pose is a given function of time: the angular momentum about their mass centre gives
the angular velocity, and so the attitude follows from equations of first order.

The first body has the attitude R, and its frame is at its mass centre. The second body has the attitude R S. Its mass
centre is at d, the rate of d is d', and its angular velocity relative to the first body is sigma. These three vectors are
in axes of the first body.
"""

from computation import *


class TwoBodies:
    def __init__(self, masses, inertias, relative):
        """relative(t) gives S, sigma, d and d'."""
        self.m, self.J, self.relative = masses, inertias, relative
        self.reduced = masses[0] * masses[1] / (masses[0] + masses[1])

    def locked_inertia(self, S, d):
        """Inertia of both bodies about their mass centre, in axes of the first."""
        D_hat = hat(d)
        turned = multiply(multiply(S, self.J[1]), transpose(S))
        return add_matrices(self.J[0], turned, scale_matrix(-self.reduced, multiply(D_hat, D_hat)))

    def relative_momentum(self, S, sigma, d, d_dot):
        """Angular momentum of the relative motion about the mass centre."""
        turned = multiply(multiply(S, self.J[1]), transpose(S))
        return add(apply(turned, sigma), scale(self.reduced, cross(d, d_dot)))

    def momentum(self, t, q, omega):
        """Angular momentum of both bodies about their mass centre, in world axes."""
        S, sigma, d, d_dot = self.relative(t)
        total = add(apply(self.locked_inertia(S, d), omega), self.relative_momentum(S, sigma, d, d_dot))
        return apply(rotation(q), total)

    def angular_velocity(self, t, q, momentum):
        """Angular velocity of the first body, in its own axes, for an angular momentum in world axes."""
        S, sigma, d, d_dot = self.relative(t)
        of_first = apply(transpose(rotation(q)), momentum)
        return solve(self.locked_inertia(S, d), sub(of_first, self.relative_momentum(S, sigma, d, d_dot)))

    def positions(self, t, q, omega, centre, velocity):
        """Positions and velocities of both mass centres for those of the common one, and the angular velocity of the second
        body in its own axes."""
        S, sigma, d, d_dot = self.relative(t)
        R = rotation(q)
        apart, rate = apply(R, d), apply(R, add(d_dot, cross(omega, d)))
        share = self.m[1] / sum(self.m)
        first = sub(centre, scale(share, apart)), sub(velocity, scale(share, rate))
        second = add(first[0], apart), add(first[1], rate)
        return first, second, apply(transpose(S), add(omega, sigma))

    def kinetic_energy(self, t, q, omega):
        """Kinetic energy of the motion relative to the common mass centre."""
        S, sigma, d, d_dot = self.relative(t)
        of_second = apply(transpose(S), add(omega, sigma))
        rate = add(d_dot, cross(omega, d))
        return (dot(omega, apply(self.J[0], omega)) + dot(of_second, apply(self.J[1], of_second))
                + self.reduced * dot(rate, rate)) / 2
