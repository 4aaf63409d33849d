"""Regression on conditions: kernel ridge as its formulas say, and a good fit of any shape."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrflearn.dependence.gaussian import normal_scores
from mrflearn.selection import _smoother
from mrflearn.selection._smoother import (
    LINEAR,
    MOST_TERMS,
    PEAKS,
    RIDGES,
    SHARES,
    WIDTHS,
    Smoother,
)
from mrflearn.table import as_table


def _slow_kernels(scores, labels):
    """Every kernel, entry by entry."""
    n_samples, n_conditions = len(scores[0]), len(scores) + len(labels)
    shapes = [(width, share, None) for width in WIDTHS for share in SHARES]
    for width, share, peak in shapes + [(None, 0.0, peak) for peak in PEAKS]:
        kernel = np.empty((n_samples, n_samples))
        for m in range(n_samples):
            for n in range(n_samples):
                apart = [own[m] - own[n] for own in scores]
                equal = [float(own[m] == own[n]) for own in labels]
                line = 1 + sum(own[m] * own[n] for own in scores) / n_conditions
                if peak is None:
                    single = [np.exp(-(d**2) / (2 * width**2)) for d in apart]
                    wide = 2 * (2 * width) ** 2 * np.sqrt(len(scores))
                    together = np.exp(-sum(d**2 for d in apart) / wide) * np.prod(equal)
                else:
                    single, together = [np.exp(-abs(d) / peak) for d in apart], 0.0
                kernel[m, n] = LINEAR * line + share * together
                kernel[m, n] += (1 - share) * sum(single + equal) / n_conditions
        yield kernel


def _slow_fit(scores, labels, values):
    """The ridge of every kernel by its hat matrix."""
    n_samples = len(values)
    best = (np.inf, None)
    for kernel in _slow_kernels(scores, labels):
        for ridge in RIDGES:
            hat = kernel @ np.linalg.inv(kernel + ridge * np.eye(n_samples))
            if np.trace(hat) > MOST_TERMS * n_samples:
                continue
            centred = values - values.mean()
            once = hat @ centred
            error = np.sum((centred - once) ** 2) / (1 - np.trace(hat) / n_samples) ** 2
            if error < best[0]:
                best = (error, values.mean() + once + hat @ (centred - once))
    return best[1]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_fits_equal_their_slow_twin(seed, tied):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(18, 2)), columns=["a", "b"])
    if tied:
        frame["b"] = np.round(frame["b"])
    frame["label"] = rng.choice(list("pq"), size=18)
    frame.loc[0, "label"], frame.loc[1, "label"] = "p", "q"
    table = as_table(frame)
    values = np.sin(2 * frame["a"].to_numpy()) + rng.normal(size=18)
    scores = [normal_scores(table.values_of(z)[0]) for z in (0, 1)]
    expected = _slow_fit(scores, [table.values_of(2)[0]], values)
    np.testing.assert_allclose(Smoother(table, [0, 1, 2]).fit(values), expected, atol=1e-4)


SHAPES = {
    "line": lambda z: 1.2 * z[0] - z[1],
    "squares": lambda z: z[0] ** 2 - z[1] ** 2,
    "waves": lambda z: 1.5 * (np.sin(3 * z[0]) + np.sin(3 * z[1])),
    "product": lambda z: 1.5 * z[0] * z[1],
    "jumps": lambda z: np.sign(z[0]) + np.sign(z[1]),
}


@pytest.mark.parametrize("n_samples", [300, 800], ids=["all", "some"])
@pytest.mark.parametrize("shape", SHAPES)
def test_curves_of_several_conditions_are_found(shape, n_samples):
    """From noise as large as they are, less than a quarter of it left; with fewer centres too."""
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(3, n_samples))
        truth = SHAPES[shape](z)
        fitted = Smoother(as_table(z.T), [0, 1, 2]).fit(truth + rng.normal(size=n_samples))
        errors.append(np.mean((fitted - truth) ** 2))
    assert np.mean(errors) < 0.25


def test_noise_is_not_explained():
    rng = np.random.default_rng(0)
    table = as_table(rng.normal(size=(300, 4)))
    fitted = [Smoother(table, [1, 2, 3]).fit(rng.normal(size=300)) for _ in range(10)]
    assert np.median(np.var(fitted, axis=1)) < 0.1


def test_few_centres_lose_little(monkeypatch):
    rng = np.random.default_rng(1)
    table = as_table(rng.normal(size=(150, 2)))
    values = np.sin(3 * table.values[0]) + 0.5 * rng.normal(size=150)
    monkeypatch.setattr(_smoother, "N_CENTRES", 150)
    exact = Smoother(table, [0, 1]).fit(values)
    monkeypatch.setattr(_smoother, "N_CENTRES", 100)
    assert np.mean((Smoother(table, [0, 1]).fit(values) - exact) ** 2) < 0.02


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 4))
def test_constants_ties_and_duplicates_are_fitted(seed, n_samples, n_levels):
    rng = np.random.default_rng(seed)
    values = rng.integers(n_levels, size=(2, n_samples)).astype(float)
    values = np.vstack([values, values[:1], np.zeros(n_samples)])
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(values.T, columns=names)
    with pytest.warns(UserWarning, match="constant"):
        table = as_table(frame, kinds=dict.fromkeys(names, "continuous") | {"b": "nominal"})
    smoother = Smoother(table, [0, 1, 2, 3])
    assert np.all(np.isfinite(smoother.fit(rng.normal(size=n_samples))))
    np.testing.assert_allclose(smoother.fit(np.full(n_samples, 3.0)), 3.0)
    codes = rng.integers(n_levels, size=n_samples)
    shares = smoother.fit_shares(codes)
    assert shares.min() > 0
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)


def test_labels_are_as_likely_as_they_were_drawn():
    rng = np.random.default_rng(2)
    table = as_table(rng.normal(size=(600, 2)))
    truth = 1 / (1 + np.exp(-2 * np.sin(3 * table.values[0])))
    shares = Smoother(table, [0, 1]).fit_shares((rng.random(600) < truth).astype(np.intp))
    assert np.mean(np.abs(shares[1] - truth)) < 0.08
