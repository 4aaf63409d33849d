"""Predicting one variable from others, by several models that share the word.

Each model gives a density (or a probability) of what was seen. Rows of the training table, each
left out in turn, say how much weight a model deserves: the mixture that makes them most likely is
the one used (stacking of predictive distributions; Yao, Vehtari, Simpson and Gelman 2018). There
are models for straight lines with normal errors, which lose little where these are true, and
kernels in all conditions, which find any shape where there are rows enough.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mrflearn.selection._conditions import Conditions, Pair, prepare, standardised
from mrflearn.selection._regressions import Classes, Means, logistic, ridge
from mrflearn.table import Column, Table

__all__ = ["log_densities"]

NARROWEST = 1e-3
"""Least width of an error, in standard deviations of the column: a copy of a column would
otherwise predict it with a density without bound. Half the smallest step between values is another
bound: of a column of whole numbers nothing is known between them."""

MOST_LEFT_OUT = 1000
"""Training rows, at most, by which models are weighed."""

MOST_CENTRES = 2000
"""Training rows, at most, that kernels stand on."""

MOST_COEFFICIENTS = 120
"""Coefficients, at most, of a logistic regression: its time grows with their cube."""

MOST_CLASSES = 30
"""Levels, at most, whose probabilities depend on the conditions one by one."""

PENALTY = 1.0
"""Of logistic regressions, on half the squared coefficients."""

PSEUDO_ROWS = (1.0, 8.0)
"""Weights of a logistic regression among the weights of rows near in the conditions."""

MIXING_STEPS = 40
"""Of expectation and maximisation, which weighs the models. After so few it still leans towards
equal weights, which does no harm."""

Models = list[tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Log densities by each model: of training rows left out in turn, and of the new rows."""


def log_densities(train: Table, test: Table, i: int, given: Sequence[int]) -> NDArray[np.float64]:
    """Return ln p(x_i | x_given) for the rows of a table, p learned from another one.

    Parameters
    ----------
    train, test : Table
        With the same columns, codes and scale, as by `Table.at_rows` of one table.
    i : int
        The variable to predict.
    given : sequence of int
        The variables to predict it from, in any order; none for the marginal.

    Returns
    -------
    ndarray of shape (test.n_samples,)
        In nats, finite. Of continuous columns the density is that of the column divided by its
        standard deviation in `train`, so that values for different `given` can be compared.

    Notes
    -----
    *Far values* of a continuous column cost no more than a Cauchy density as wide as the column
    does, whose weight is at least 1 / (22 n + 22), n being the number of training rows, 1,000 at
    most. *Levels never seen* in training share the probability 1 / (n + 2): those that the column
    is known to have, and one for all that are new. A column that is *constant in training* is
    predicted so whatever the conditions: its value has the probability 1 - 1 / (n + 2), all others
    share the rest. A variable of several columns is predicted column by column, the earlier ones
    being known.

    The order of rows in `train` does not matter, to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn.table import as_table
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> table = as_table(np.column_stack([x, x + 0.1 * rng.normal(size=400)]))
    >>> train, test = table.at_rows(range(300)), table.at_rows(range(300, 400))
    >>> gain = log_densities(train, test, 0, [1]) - log_densities(train, test, 0, [])
    >>> bool(2.0 < gain.mean() < 2.6)  # half of ln 101 is 2.3
    True
    """
    if i in given:
        raise ValueError(f"variable {i} is among the variables that it is to be predicted from")
    known = [
        column
        for j in sorted(set(given))
        for column in range(int(train.starts[j]), int(train.starts[j + 1]))
    ]
    total = np.zeros(test.n_samples)
    for column in range(int(train.starts[i]), int(train.starts[i + 1])):
        total += _of_column(train, test, column, sorted(known))
        known.append(column)
    return total


def _of_column(train: Table, test: Table, column: int, known: Sequence[int]) -> NDArray[np.float64]:
    """Return log densities of one column given others."""
    order = _mixed_order(train, [column, *known])
    own = [train.values[other][order] for other in known]
    nominal = [train.columns[other].kind == "nominal" for other in known]
    conditions = prepare(own, [test.values[other] for other in known], nominal)
    target, new = train.values[column][order], test.values[column]
    if train.columns[column].kind == "continuous" and target.min() < target.max():
        return _continuous(target, new, conditions)
    return _discrete(target, new, train.columns[column], conditions)


def _mixed_order(table: Table, columns: Sequence[int]) -> NDArray[np.intp]:
    """Return an order of the rows that is as good as random and depends on their values alone."""
    ordered = np.lexsort(table.values[columns[::-1]])
    return ordered[np.random.default_rng(table.n_samples).permutation(table.n_samples)]


def _continuous(
    target: NDArray[np.float64], new: NDArray[np.float64], conditions: Conditions
) -> NDArray[np.float64]:
    """Return log densities of a continuous column that varies in training."""
    target, new = standardised(target, new)
    narrowest = max(NARROWEST, float(np.diff(np.unique(target)).min()) / 2)
    alone = Means(np.zeros(len(target)), np.zeros(len(new)))
    models = [(_log_cauchy(target), _log_cauchy(new))]
    models += _around(alone, target, new, narrowest, None)
    means = [
        ridge(*features, target)
        for features in [
            *conditions.lines,
            *conditions.curves,
            *conditions.pairs,
            *conditions.surfaces,
        ]
    ]
    models += [_normal(mean, target, new, narrowest) for mean in [alone, *means]]
    if means:
        best = min(means, key=lambda mean: float(((target - mean.left_out) ** 2).mean()))
        models.append(_normal(best, target, new, narrowest, conditions))
        models += _around(best, target, new, narrowest, conditions.places)
    return _mixed(models)


def _log_cauchy(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return -np.log(np.pi) - 2 * np.log(np.hypot(1.0, rows))


def _normal(
    mean: Means,
    target: NDArray[np.float64],
    new: NDArray[np.float64],
    narrowest: float,
    conditions: Conditions | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the model of normal errors around a mean, as wide everywhere unless conditions say.

    Then the log of the width is a sum of curves in the conditions.
    """
    errors, new_errors = target - mean.left_out, new - mean.new
    widths = Means(np.ones(len(target)), np.ones(len(new)))
    if conditions is not None:
        features = (conditions.curves or conditions.lines)[0]
        logs = ridge(*features, np.log(np.abs(errors) + narrowest))
        widths = Means(np.exp(logs.left_out), np.exp(np.clip(logs.new, *_range(logs.left_out))))
    factor = float(np.sqrt(((errors / widths.left_out) ** 2).mean()))
    own, other = (
        -0.5 * (rows / width) ** 2 - np.log(width * np.sqrt(2 * np.pi))
        for rows, width in [
            (errors, np.maximum(factor * widths.left_out, narrowest)),
            (new_errors, np.maximum(factor * widths.new, narrowest)),
        ]
    )
    return own, other


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _around(
    mean: Means,
    target: NDArray[np.float64],
    new: NDArray[np.float64],
    narrowest: float,
    places: Pair | None,
) -> Models:
    """Return the models of errors of any shape around a mean, by kernels of several widths."""
    from mrflearn.selection._kernel_sums import N_WIDTHS, density_sums

    errors, new_errors = target - mean.left_out, new - mean.new
    quarters = np.quantile(errors, [0.25, 0.75])
    spread = float(quarters[1] - quarters[0]) / 1.349
    spread = min(spread, float(errors.std())) or float(errors.std())
    errors = errors[:MOST_CENTRES]
    width = max(2 * 1.06 * spread * len(errors) ** -0.2, 2 ** (N_WIDTHS - 1) * narrowest)
    near, own_near, new_near = _columns_first(places, len(errors), len(new))
    own = density_sums(near, errors, width, own_near, errors[:MOST_LEFT_OUT], True)
    other = density_sums(near, errors, width, new_near, new_errors, False)
    shape = (own.shape[0] * own.shape[1], -1)
    return list(zip(_logs(own).reshape(shape), _logs(other).reshape(shape), strict=True))


def _columns_first(places: Pair | None, n_train: int, n_new: int) -> list[NDArray[np.float64]]:
    """Return places of the rows kernels stand on, of those left out, and of the new ones."""
    own, new = (np.empty((n_train, 0)), np.empty((n_new, 0))) if places is None else places
    own = own[:MOST_CENTRES]
    return [np.ascontiguousarray(rows.T) for rows in (own, own[:MOST_LEFT_OUT], new)]


def _logs(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(np.maximum(values, 1e-300))


def _discrete(
    target: NDArray[np.float64],
    new: NDArray[np.float64],
    column: Column,
    conditions: Conditions,
) -> NDArray[np.float64]:
    """Return log probabilities of a column of levels."""
    levels, labels, counted = np.unique(target, return_inverse=True, return_counts=True)
    n_train, n_levels = len(target), len(levels)
    unseen = 1 / (n_train + 2)
    n_unseen = 1 + max(0, len(column.levels or ()) - n_levels)
    place = np.minimum(np.searchsorted(levels, new), n_levels - 1)
    seen = levels[place] == new
    # The rarest of many levels are one class, in which each has its share whatever the conditions.
    order = np.argsort(-counted, kind="stable")
    classes = np.empty(n_levels, dtype=np.intp)
    classes[order] = np.minimum(np.arange(n_levels), MOST_CLASSES - 1)
    shares = counted / np.bincount(classes, weights=counted)[classes]
    chances = np.log(shares)[place]
    if n_levels > 1:
        own_class, new_class = classes[labels.ravel()], classes[place]
        models = _class_models(own_class, conditions, len(new))
        chances += _mixed(
            [
                (
                    own[np.arange(len(own)), own_class[: len(own)]],
                    other[np.arange(len(new)), new_class],
                )
                for own, other in models
            ]
        )
    return np.where(seen, chances + np.log1p(-unseen), np.log(unseen / n_unseen))


def _class_models(labels: NDArray[np.intp], conditions: Conditions, n_new: int) -> Models:
    """Return log probabilities of all classes, shape (rows, classes), by each model."""
    from mrflearn.selection._kernel_sums import class_sums

    n_train, n_classes = len(labels), int(labels.max()) + 1
    hits = np.eye(n_classes)[labels]
    total = hits.sum(axis=0)
    own = (total - hits + 0.5) / (n_train - 1 + 0.5 * n_classes)
    other = np.tile((total + 0.5) / (n_train + 0.5 * n_classes), (n_new, 1))
    base = Classes(np.log(own), np.log(other))
    fits = [base]
    for seen, new in [*conditions.lines, *conditions.curves, *conditions.pairs]:
        if (seen.shape[1] + 1) * (n_classes - 1) <= MOST_COEFFICIENTS:
            fits.append(logistic(seen, new, labels, n_classes, PENALTY))
    models = [(fit.left_out, fit.new) for fit in fits]
    if conditions.places is None:
        return models
    rows = np.arange(n_train)
    best = max(fits, key=lambda fit: float(fit.left_out[rows, labels].mean()))
    near, own_near, new_near = _columns_first(conditions.places, n_train, n_new)
    own_counts = class_sums(near, labels[:MOST_CENTRES], n_classes, own_near, True)
    new_counts = class_sums(near, labels[:MOST_CENTRES], n_classes, new_near, False)
    for pseudo in PSEUDO_ROWS:
        for left_out, new in zip(own_counts, new_counts, strict=True):
            models.append(
                (
                    _shrunk(left_out, best.left_out[: len(left_out)], pseudo),
                    _shrunk(new, best.new, pseudo),
                )
            )
    return models


def _shrunk(
    counted: NDArray[np.float64], base: NDArray[np.float64], pseudo: float
) -> NDArray[np.float64]:
    """Return logs of weighted frequencies, `pseudo` rows of the base added."""
    total = counted.sum(axis=1, keepdims=True) + pseudo
    return _logs((counted + pseudo * np.exp(base)) / total)


def _mixed(models: Models) -> NDArray[np.float64]:
    """Return log densities of the mixture that makes the rows left out most likely.

    A model keeps at least the weight of one row shared by all, so that none is lost for a row that
    only it can explain.
    """
    own = np.column_stack([left_out[:MOST_LEFT_OUT] for left_out, _ in models])
    own = np.exp(own - own.max(axis=1, keepdims=True))
    n_models = len(models)
    weights = np.full(n_models, 1 / n_models)
    for _ in range(MIXING_STEPS):
        shares = (own / (own @ weights)[:, None]).sum(axis=0) * weights
        weights = (shares + 1 / n_models) / (len(own) + 1)
    others = np.column_stack([new for _, new in models]) + np.log(weights)
    return np.logaddexp.reduce(others, axis=1)
