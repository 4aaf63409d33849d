"""Feature selection by Markov blanket, for scikit-learn pipelines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mrflearn._columns import RawColumn, read_columns
from mrflearn.errors import InputError, MissingValuesError, unknown
from mrflearn.estimators import ESTIMATORS, IAMB, BlanketEstimator
from mrflearn.estimators.base import remember_features

__all__ = ["MarkovBlanketSelector"]


class MarkovBlanketSelector(SelectorMixin, BaseEstimator):
    """Keep the features in the Markov blanket of the target.

    Given those, no other feature tells anything more about the target.

    Parameters
    ----------
    estimator : BlanketEstimator or str, optional
        `IAMB()` unless given; any of `GSMN`, `IAMB`, `GreedyEntropy`, configured, or its name.
    target_kind : {"continuous", "ordinal", "nominal"}, optional
        Kind of `y`, if its type misleads; class labels that are strings or booleans are nominal.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)
        Mask of the features kept.
    blanket_ : tuple of str
        Names of the variables kept.
    n_features_in_ : int
        Features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn import IAMB, MarkovBlanketSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = X[:, 1] - X[:, 2] + 0.5 * rng.normal(size=300)
    >>> MarkovBlanketSelector(IAMB(0.1)).fit(X, y).get_support()
    array([False,  True,  True, False])
    """

    def __init__(
        self, estimator: BlanketEstimator | str | None = None, *, target_kind: str | None = None
    ) -> None:
        self.estimator = estimator
        self.target_kind = target_kind

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the Markov blanket of `y`.

        Parameters
        ----------
        X : array, pandas, polars or pyarrow table of shape (n_samples, n_features)
            The features.
        y : array of shape (n_samples,)
            The target.

        Returns
        -------
        self
        """
        if y is None:
            raise InputError(
                "MarkovBlanketSelector requires y to be passed, but the target y is None"
            )
        estimator = self._chosen_estimator()
        columns = read_columns(X)
        remember_features(self, X, columns)
        target = _read_target(y, columns)
        if len(target.values) != len(columns[0].values):
            raise InputError(
                f"X has {len(columns[0].values)} rows and y has {len(target.values)}: "
                "they must be observed together"
            )
        if self.target_kind is not None:
            kinds = {**(estimator.kinds or {}), target.name: self.target_kind}
            estimator = clone(estimator).set_params(kinds=kinds)
        try:
            table = estimator._read([*columns, target])
        except MissingValuesError as error:
            own = f"{type(estimator).__name__}(missing='drop')"
            raise InputError(
                f"{error.where}: give the selector estimator={own} to learn from complete rows, or "
                "put an imputer before it"
            ) from None
        members = estimator._blanket(table, table.index(target.name))
        kept = {column.name for j in members for column in table.columns_of(j)}
        self.support_ = np.array([column.name in kept for column in columns])
        self.blanket_ = tuple(table.names[j] for j in members)
        return self

    def _chosen_estimator(self) -> BlanketEstimator:
        if self.estimator is None:
            return IAMB()
        if isinstance(self.estimator, BlanketEstimator):
            return self.estimator
        able = {name: cls for name, cls in ESTIMATORS.items() if issubclass(cls, BlanketEstimator)}
        if isinstance(self.estimator, str) and self.estimator in able:
            return able[self.estimator]()
        raise unknown("estimator for a Markov blanket", self.estimator, able)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = getattr(self.estimator, "missing", "error") == "drop"
        tags.target_tags.required = True
        return tags


def _read_target(y: Any, features: list[RawColumn]) -> RawColumn:
    """Read `y` as one more column, under a name that no feature has."""
    name = "y"
    while any(column.name == name for column in features):
        name += "_"
    if not hasattr(y, "to_frame"):
        values = np.asarray(y)
        if not values.ndim:
            raise _no_values(y, features)
        values = column_or_1d(values, warn=True).reshape(-1, 1)
        return replace(read_columns(values)[0], name=name)
    return replace(read_columns(y.to_frame())[0], name=name)


def _no_values(y: Any, features: list[RawColumn]) -> InputError:
    """Return the error for a `y` that is one thing, such as the name of a column."""
    shown = repr(y) if isinstance(y, str | int | float) else type(y).__name__
    remedy = (
        f": pass X without the column {y!r}, and y=df[{y!r}]"
        if isinstance(y, str) and any(column.name == y for column in features)
        else ""
    )
    return InputError(
        f"y must hold the values of the target, one for each row of X, got {shown}{remedy}"
    )
