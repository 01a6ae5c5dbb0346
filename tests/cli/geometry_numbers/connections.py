"""Groups, inertias, and the connections of single bodies, by brute force from their definitions."""

import numpy as np

from comparison import EXACT, ZERO, number, skew, vector

TURNS = ["turn x", "turn y", "turn z"]
SLIDES_AND_TURNS = ["slide x", "slide y", "slide z", *TURNS]


def structure_coefficients(semidirect):
    """c[k, i, j] of [e_i, e_j] = c^k_ij e_k, from commutators of block matrices: R^3 in the first block (4 x 4), the
    rotations there too (SE(3)) or in the second block (R^3 x SO(3))."""
    basis = []
    for i in range(6):
        e = np.zeros((7, 7))
        if i < 3:
            e[i, 3] = 1
        elif semidirect:
            e[:3, :3] = skew(np.eye(3)[i - 3])
        else:
            e[4:, 4:] = skew(np.eye(3)[i - 3])
        basis.append(e)
    flat = np.array([e.ravel() for e in basis]).T
    c = np.array([[np.linalg.lstsq(flat, (a @ b - b @ a).ravel(), rcond=None)[0] for b in basis] for a in basis])
    return np.round(np.moveaxis(c, 2, 0), 12)


def christoffel(c, g):
    """The affinities L[k, i, j] of the Levi-Civita connection of a constant metric in a left-invariant frame, by
    Koszul's formula."""
    lower = np.einsum("mli,jm->lij", c, g) + np.einsum("mlj,im->lij", c, g) + np.einsum("mij,lm->lij", c, g)
    return np.einsum("kl,lij->kij", np.linalg.inv(g), lower / 2)


def residuals(L, strong, g):
    """The weak and the strong residual of a connection."""
    D, greatest = L - strong, max(abs(L).max(), abs(strong).max())
    W = np.einsum("rj,ria->aij", g, D)
    W = W + W.transpose(0, 2, 1)
    return abs(W).max() / (abs(g).max() * greatest), abs(D).max() / greatest


def greatest(tensor, name):
    """The greatest component; of components that are equal up to rounding the command may name any."""
    value = abs(tensor).max()
    if value < ZERO:
        return {"value": number(0)}
    by_name = {name(*index): tensor[index] for index in np.ndindex(tensor.shape)}
    return lambda printed: (list(printed) == ["component", "value"] and printed["component"] in by_name
                            and abs(by_name[printed["component"]] - printed["value"]) <= EXACT * value
                            and abs(abs(printed["value"]) - value) <= EXACT * value)


def connection(body):
    c, g, names = body.c, body.G, SLIDES_AND_TURNS
    strong = christoffel(c, g)
    L = c  # the canonical (+) connection
    torsion = L - L.transpose(0, 2, 1) - c
    curvature = (np.einsum("ikm,mlj->ijkl", L, L) - np.einsum("ilm,mkj->ijkl", L, L) - np.einsum("mkl,imj->ijkl", c, L))
    non_metricity = -np.einsum("li,lkj->kij", g, L) - np.einsum("lj,lki->kij", g, L)
    weak, distance = residuals(L, strong, g)
    zero, moments = residuals(c / 2, strong, g)[1], np.linalg.eigvalsh(body.J)
    return {"connection": "canonical (+)", "group": body.group_name,
            "rotations": {"multiple": number(moments.mean()),
                          "distance": number(np.linalg.norm(moments - moments.mean()) / np.linalg.norm(moments)),
                          "zero_strong_residual": number(zero), "zero_is_levi_civita": bool(zero < 5e-9)},
            "torsion": greatest(torsion, lambda k, i, j: f"{names[i]}, {names[j]} -> {names[k]}"),
            "curvature": greatest(curvature, lambda i, j, k, l: f"{names[k]}, {names[l]}: {names[j]} -> {names[i]}"),
            "non_metricity": greatest(non_metricity, lambda k, i, j: f"{names[k]}: {names[i]}, {names[j]}"),
            "metric": bool(abs(non_metricity).max() < ZERO), "weak_residual": number(weak),
            "strong_residual": number(distance)}


def group(name, c=None):
    names, brackets = SLIDES_AND_TURNS, {}
    if c is not None:
        brackets = {f"{names[i]}, {names[j]} -> {names[k]}": number(c[k, i, j])
                    for i in range(6) for j in range(i + 1, 6) for k in range(6) if c[k, i, j] != 0}
    dimension = 6 if c is not None else name.count("SO(2)")
    return {"group": name, "product": "semidirect" if name == "SE(3)" else "direct", "dimension": dimension,
            "structure_coefficients": brackets}


def inertia(J):
    moments = np.linalg.eigvalsh(J)
    equal = sum(np.diff(moments) < 5e-9 * moments[2])

    def principal(axes):
        a = np.array(axes, dtype=float)
        return (a.shape == (3, 3) and abs(a @ a.T - np.eye(3)).max() < EXACT and np.linalg.det(a) > 0
                and abs(J @ a.T - a.T * moments).max() < EXACT * moments[2])
    return {"class": ["asymmetric", "symmetric", "spherical"][equal], "moments": vector(moments), "axes": principal}
