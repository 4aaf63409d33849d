"""The two public functions: what they accept, and what they say when they do not."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mrflearn import InputError, conditional_mutual_information, mutual_information
from mrflearn._scaling import SCALES
from mrflearn.dependence import KNN

RNG = np.random.default_rng(0)
X = RNG.normal(size=60)
Y = X + RNG.normal(size=60)
Z = RNG.normal(size=(60, 2))


def test_vectors_matrices_series_and_frames_are_the_same():
    expected = conditional_mutual_information(X, Y, Z)
    frame = pd.DataFrame(Z, columns=["u", "v"])
    for x, y, z in [
        (X[:, None], Y[:, None], Z),
        (X.tolist(), Y.tolist(), Z.tolist()),
        (pd.Series(X), pd.Series(Y, name="y"), frame),
        (pl.Series(X), pl.Series("y", Y), pl.from_pandas(frame)),
        (pl.DataFrame({"x": X}), Y, pa.Table.from_pandas(frame)),
    ]:
        assert conditional_mutual_information(x, y, z) == expected


def test_no_condition_in_any_form_is_mutual_information():
    expected = mutual_information(X, Y)
    assert conditional_mutual_information(X, Y) == expected
    assert conditional_mutual_information(X, Y, None) == expected
    assert conditional_mutual_information(X, Y, np.empty((60, 0))) == expected


@pytest.mark.parametrize(
    "method", ["knn", "mixed-ksg", "frenzel-pompe", "plugin", "gaussian", "copula", "sieve"]
)
def test_a_constant_condition_gives_the_value_of_none(method):
    x, y = (X > 0, Y > 0) if method == "plugin" else (X, Y)
    constant = np.array(["same"] * 60) if method == "plugin" else np.full(60, 3.5)
    assert conditional_mutual_information(x, y, constant, method=method) == mutual_information(
        x, y, method=method
    )


def test_scaling_is_by_column():
    def value(x, scale="standard"):
        return mutual_information(x, Y, method="knn", scale=scale)

    assert value(X) == value(1000 * X)
    assert value(X, "rank") == value(np.exp(X), "rank")
    assert value(X, None) != value(1000 * X, None)


def test_the_default_does_not_depend_on_scaling():
    values = {mutual_information(x, Y, scale=s) for x in (X, np.exp(X)) for s in SCALES}
    assert len(values) == 1


def test_specifications_and_options_mean_the_same():
    assert mutual_information(X, Y, method=KNN(7)) == mutual_information(
        X, Y, method="knn", n_neighbors=7
    )


def test_inputs_are_not_changed():
    x, y = X.copy(), Y.copy()
    mutual_information(x, y, scale="rank")
    assert (x == X).all()
    assert (y == Y).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mutual_information(X, Y[:-1]), "y has 59 rows and x has 60"),
        (lambda: conditional_mutual_information(X, Y, Z[:5]), "z has 5 rows and x has 60"),
        (lambda: mutual_information(X, Y, method="kn"), "did you mean 'knn'"),
        (lambda: mutual_information(X, Y, method="knn", variant="paper"), "variant= does not"),
        (lambda: mutual_information(X, Y, method="knn", n_neighbors=60), "needs at least 61 rows"),
        (lambda: mutual_information(X, np.where(Y > 1, np.nan, Y)), "y.x0"),
        (lambda: mutual_information(np.zeros((4, 2, 2)), Y), "^x: expected a table"),
        (lambda: mutual_information(X, Y, kinds={"w": "nominal"}), "unknown variable"),
        (lambda: mutual_information(X, Y, scale="std"), "unknown scale 'std'"),
        (lambda: mutual_information(X + 1j, Y), "^x: Complex data not supported"),
        (lambda: mutual_information(X, Y, method="plugin"), "is continuous"),
    ],
)
def test_mistakes_are_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_missing_rows_can_be_dropped():
    holes = Y.copy()
    holes[:3] = np.nan
    assert mutual_information(X, holes, missing="drop") == mutual_information(X[3:], Y[3:])
