"""Functions that the scripts of this folder share: integration with forty digits, vectors, and the reference file.

The scripts compute motions independently of the library: from other equations, by another method, with more digits.
`python3 NAME.py` writes tests/reference/NAME.json and needs only the standard library of Python. magnetic_bottle.py
uses nothing from here: that script needs mpmath and prints the reference file.
"""

import decimal
import json
import pathlib

D = decimal.Decimal
decimal.getcontext().prec = 40


def atan(x):
    """atan x = 2 atan(x / (1 + sqrt(1 + x^2))) until x is small, then the series."""
    doublings = 0
    while abs(x) > D("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        doublings += 1
    power, total, k = x, x, 1
    while abs(power) > D("1e-42"):
        power *= -x * x
        k += 2
        total += power / k
    return total * 2**doublings


pi = 4 * atan(D(1))


def atan2(y, x):
    if abs(x) < abs(y):
        return (pi / 2 if y > 0 else -pi / 2) - atan(x / y)
    return atan(y / x) + (0 if x > 0 else pi if y >= 0 else -pi)


def sin_cos(x):
    """Sine and cosine: the series at x / 64, then six doublings of the angle."""
    x = (D(x) % (2 * pi)) / 64
    s, c, term, k = D(0), D(1), D(1), 0
    while abs(term) > D("1e-45"):
        k += 1
        term *= x / k
        if k % 2 == 1:
            s += term if k % 4 == 1 else -term
        else:
            c += term if k % 4 == 0 else -term
    for _ in range(6):
        s, c = 2 * s * c, 1 - 2 * s * s
    return s, c


def sin(x):
    return sin_cos(x)[0]


def cos(x):
    return sin_cos(x)[1]


# Vectors, matrices by rows, and quaternions (w, x, y, z) are lists.


def vec(*numbers):
    return [D(x) for x in numbers]


def add(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(c, a):
    return [c * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def hat(a):
    return [[D(0), -a[2], a[1]], [a[2], D(0), -a[0]], [-a[1], a[0], D(0)]]


def diagonal(*numbers):
    return [[D(x) if i == j else D(0) for j in range(len(numbers))] for i, x in enumerate(numbers)]


def transpose(A):
    return [list(column) for column in zip(*A)]


def apply(A, x):
    return [dot(row, x) for row in A]


def multiply(A, B):
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def add_matrices(*matrices):
    return [add(*rows) for rows in zip(*matrices)]


def scale_matrix(c, A):
    return [scale(c, row) for row in A]


def solve(A, b):
    """Gaussian elimination with partial pivoting."""
    rows = [list(row) + [x] for row, x in zip(A, b)]
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i])]
    x = [D(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][k] * x[k] for k in range(i + 1, n))) / rows[i][i]
    return x


def turn(axis, angle):
    """The rotation by an angle about a unit vector (Rodrigues)."""
    s, c = sin_cos(angle)
    W = hat(axis)
    return add_matrices(diagonal(1, 1, 1), scale_matrix(s, W), scale_matrix(1 - c, multiply(W, W)))


def quaternion_of_turn(axis, angle):
    s, c = sin_cos(D(angle) / 2)
    return [c] + scale(s, axis)


def quaternion_product(p, q):
    return [p[0] * q[0] - dot(p[1:], q[1:])] + add(scale(p[0], q[1:]), scale(q[0], p[1:]), cross(p[1:], q[1:]))


def quaternion_rate(q, omega):
    """q' for an angular velocity in body axes."""
    return scale(D(1) / 2, quaternion_product(q, [D(0)] + list(omega)))


def rotation(q):
    w, x, y, z = q
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]


def _legendre(n, x):
    """P_0(x), ..., P_n(x)."""
    p = [D(1), x]
    for k in range(1, n):
        p.append(((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1))
    return p[: n + 1]


class Gauss:
    """Gauss collocation with s stages, order 2 s: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.7.

    The stages are iterated to convergence; the first guess continues the polynomial of the step before. Quadratic
    invariants, such as the length of a quaternion, are kept to rounding.
    """

    def __init__(self, s):
        self.s, nodes, weights = s, [], []
        for k in range(s):
            x = cos(pi * (D(k) + D("0.75")) / (s + D("0.5")))
            for _ in range(8):
                p = _legendre(s, x)
                slope = s * (x * p[s] - p[s - 1]) / (x * x - 1)
                x -= p[s] / slope
            p = _legendre(s, x)
            slope = s * (x * p[s] - p[s - 1]) / (x * x - 1)
            nodes.append((1 - x) / 2)
            weights.append(1 / ((1 - x * x) * slope * slope))
        self.nodes, self.weights = nodes, weights
        at = [_legendre(s, 2 * c - 1) for c in nodes]
        later = [_legendre(s, 2 * c + 1) for c in nodes]

        def integral(i, n):  # of P_n(2 x - 1) from 0 to the node i
            return nodes[i] if n == 0 else (at[i][n + 1] - at[i][n - 1]) / (2 * (2 * n + 1))

        def expand(value):
            return [[weights[j] * sum((2 * n + 1) * at[j][n] * value(i, n) for n in range(s)) for j in range(s)]
                    for i in range(s)]

        self.inner = expand(integral)
        self.onwards = expand(lambda i, n: later[i][n])

    def step(self, rate, t, y, h, guess):
        slopes = guess or [rate(t, y)] * self.s
        last = None
        for _ in range(100):
            columns = transpose(slopes)
            states = [[y0 + h * dot(row, column) for y0, column in zip(y, columns)] for row in self.inner]
            slopes = [rate(t + c * h, state) for c, state in zip(self.nodes, states)]
            change = max(abs(a - b) for new, old in zip(transpose(slopes), columns) for a, b in zip(new, old))
            if change < D("1e-33") or (last is not None and change < D("1e-28") and change >= last):
                break
            last = change
        else:
            raise ArithmeticError("the stages do not converge")
        columns = transpose(slopes)
        end = [y0 + h * dot(self.weights, column) for y0, column in zip(y, columns)]
        return end, [[dot(row, column) for column in columns] for row in self.onwards]


def integrate(rate, y, times, h, stages=12):
    """The states at the times, from t = 0, with equal steps of at most h between two times."""
    method, t, states = Gauss(stages), D(0), []
    for end in times:
        n = int((D(end) - t) / D(h) - D("1e-9")) + 1
        size, begin, guess = (D(end) - t) / n, t, None
        for k in range(n):
            y, guess = method.step(rate, begin + k * size, y, size, guess)
        t = D(end)
        states.append(y)
    return states


def integrate_twice(rate, y, times, h):
    """The states of the finer of two runs with the steps h and h / 2, and the greatest difference between the runs."""
    return twice(lambda step: integrate(rate, y, times, step), h)


def twice(run, h):
    """The states from run(h / 2), and their greatest difference from the states from run(h), relative to max(1, |x|)."""
    coarse, fine = run(D(h)), run(D(h) / 2)
    return fine, max(abs(a - b) / max(1, abs(b)) for u, v in zip(coarse, fine) for a, b in zip(u, v))


# A clamp has three pieces: -1 below, 0 within and 1 above its limits. Each is smooth.


def piece_of(u, low, high):
    return -1 if u < low else 1 if u > high else 0


def on_piece(piece, u, low, high):
    """The value of clamp(u, low, high) on one of its pieces, continued smoothly beyond the piece."""
    return (u, high, low)[piece]


def margin(piece, u, low, high):
    """Positive as long as u stays on the piece."""
    return (min(u - low, high - u), u - high, low - u)[piece]


def zero_of(f, end):
    """The zero of a function that is positive at 0 and negative at `end`: the Illinois variant of false position."""
    a, b, f_a, f_b = D(0), end, f(D(0)), f(end)
    for _ in range(100):
        s = b - f_b * (b - a) / (f_b - f_a)
        f_s = f(s)
        if abs(f_s) < D("1e-36") or abs(s - b) < D("1e-36"):
            return s
        if f_s * f_b < 0:
            a, f_a = b, f_b
        else:
            f_a /= 2
        b, f_b = s, f_s
    raise ArithmeticError("the kink is not found")


def advance(method, rate, clamps, t, y, end, h):
    """The state at `end`, and the time and the clamp of each kink on the way. The steps are at most h.

    clamps(t, y) lists (u, low, high) of each clamp. rate(t, y, pieces) is smooth as long as every clamp stays on its
    piece. A step that leaves a piece ends at the kink, and the next step begins there on the new piece.
    """
    pieces, kinks, entered, guess, size = [piece_of(*one) for one in clamps(t, y)], [], None, None, h

    def moved(s):
        return method.step(lambda at, state: rate(at, state, pieces), t, y, s, guess)

    def margin_after(s, i):
        return margin(pieces[i], *clamps(t + s, moved(s)[0])[i])

    while t < end:
        step = min(size, end - t)
        state, following = moved(step)
        left = [i for i, one in enumerate(clamps(t + step, state)) if margin(pieces[i], *one) < 0]
        if entered in left:  # the step leaves the piece that it has just entered: halve the step
            size = step / 2
            continue
        last, entered = step == end - t, None
        if left:
            step, entered = min((zero_of(lambda s: margin_after(s, i), step), i) for i in left)
            last, (state, following) = False, (moved(step)[0], None)
        t, y, guess, size = end if last else t + step, state, following, h
        if left:
            kinks.append((t, entered))
            u, low, high = clamps(t, y)[entered]
            pieces[entered] = 0 if pieces[entered] else 1 if high - u < u - low else -1
    return y, kinks


def integrate_clamped(rate, clamps, y, times, h, stages=12):
    """The states at the times, from t = 0, and the kinks on the way."""
    method, t, states, kinks = Gauss(stages), D(0), [], []
    for end in times:
        y, passed = advance(method, rate, clamps, t, y, D(end), D(h))
        t, kinks = D(end), kinks + passed
        states.append(y)
    return states, kinks


def integrate_clamped_twice(rate, clamps, y, times, h):
    """As integrate_twice, for equations with clamps; the times of the kinks come third."""
    kinks = []

    def run(step):
        states, kinks[:] = integrate_clamped(rate, clamps, y, times, step)
        return states

    return *twice(run, h), [t for t, _ in kinks]


def check(method, difference):
    return {"method": method, "max_difference": float(f"{difference:.1e}")}


def two_steps(h, difference):
    return check(f"the same equations with steps of {D(h)} s and {D(h) / 2} s", difference)


def body(x, q, v, omega):
    return {"x": x, "q": q, "v": v, "Omega": omega}


def _text(value, level=0):
    indent = " " * (level + 1)
    if isinstance(value, dict):
        parts = [f"{indent}{json.dumps(key)}: {_text(part, level + 1)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * level + "}"
    if isinstance(value, list):
        if all(isinstance(part, (int, float, D)) for part in value):
            return "[" + ", ".join(_text(part) for part in value) + "]"
        return "[\n" + ",\n".join(indent + _text(part, level + 1) for part in value) + "\n" + " " * level + "]"
    if isinstance(value, D):
        if abs(value) < D("1e-25"):
            return "0"
        with decimal.localcontext() as context:
            context.prec = 20
            short = (+value).normalize()
        return str(short.quantize(1) if short == short.to_integral_value() and abs(short) < 10**15 else short).lower()
    return json.dumps(value)


def write(name, title, description, parameters, initial_state, outputs, digits, verification, source):
    reference = {
        "schema": "torsor-reference/1",
        "name": name,
        "title": title,
        "description": description,
        "parameters": parameters,
        "initial_state": initial_state,
        "outputs": outputs,
        "tolerance": {
            "digits": digits,
            "meaning": "every output is trusted to an error below 10^-digits relative to max(1,|value|); more digits are "
            "printed than are promised",
        },
        "verification": verification,
        "source": [f"tests/reference/make/{name}.py: {source}"],
    }
    path = pathlib.Path(__file__).resolve().parent.parent / f"{name}.json"
    path.write_text(_text(reference) + "\n")
    print(path, *(one["max_difference"] for one in verification))
