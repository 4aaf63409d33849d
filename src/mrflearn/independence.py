"""Whether two variables are independent, given others that were chosen beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mrflearn._blas import one_thread
from mrflearn.dependence import Specification, on_device, resolve
from mrflearn.dependence.base import Dependence
from mrflearn.dependence.information import table_of
from mrflearn.selection.conditional_permutation import ConditionalPermutation
from mrflearn.selection.edge_test import EdgeTest, pair_test
from mrflearn.selection.options import check_count, check_seed
from mrflearn.table import Table

__all__ = ["IndependenceTest", "independence_test"]


@dataclass(frozen=True)
class IndependenceTest:
    """What a test of conditional independence found.

    Attributes
    ----------
    information : float
        The conditional mutual information, in nats, as `conditional_mutual_information` estimates
        it; of an estimate that is not symmetric, the mean of both directions.
    by_chance : float
        What it is on average between variables that are independent given the condition.
    p_value : float or None
        How likely as much is then; None if z determines x or y, which then have nothing left to
        share.
    note : str
        Why the test says nothing or little, if it does: an end that is constant, or that the other
        or the condition determines, or too few rows.
    """

    information: float
    by_chance: float
    p_value: float | None
    note: str = ""


def independence_test(
    x: Any,
    y: Any,
    z: Any = None,
    *,
    method: str | Specification = "auto",
    n_shuffles: int = 200,
    random_state: int = 0,
    device: str = "cpu",
    scale: str | None = "standard",
    kinds: Mapping[str, str] | None = None,
    missing: str = "error",
) -> IndependenceTest:
    """Test whether x and y are independent given z.

    The test that `learn` makes of each edge, given what you choose instead of the neighbors it
    found: the default compares regressions with their chi-square null, `knn` and its kin an
    estimate with those of conditional permutations. No such test holds for every distribution
    (Shah and Peters 2020); docs/tests-measured.md says how far this one was checked. Several tests
    need a correction of their own, such as `scipy.stats.false_discovery_control`.

    Parameters
    ----------
    x, y : array, series or data frame of shape (n_samples,) or (n_samples, n_columns)
        The variables, of any kind; several columns are one vector-valued variable.
    z : array, series or data frame, optional
        The condition, of one column or several.
    method : str or specification, default="auto"
        How the information is estimated; see `mutual_information`.
    n_shuffles : int, default=200
        Conditional permutations, where there is no closed form; the tail is extrapolated.
    random_state : int, default=0
        Seed of the permutations.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where neighbors are counted.
    scale, kinds, missing
        As in `mutual_information`.

    Returns
    -------
    IndependenceTest

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn import independence_test
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=300)
    >>> x, y = z + rng.normal(size=300), z + rng.normal(size=300)
    >>> independence_test(x, y).p_value < 1e-6
    True
    >>> independence_test(x, y, z).p_value > 0.05
    True
    """
    check_count("n_shuffles", n_shuffles, 20)
    seed = check_seed(random_state)
    specification = on_device(resolve(method), device)
    table = table_of(x, y, z, scale, kinds, missing)
    given = list(range(2, table.n_variables))
    with one_thread():
        dependence = specification.bind(table)
        if not dependence.has_null:
            dependence = ConditionalPermutation(dependence, specification, table, n_shuffles, seed)
        found = pair_test(dependence, (0, 1), given, given)
        note = _note(found, table, dependence)
    return IndependenceTest(found.score / 2, found.by_chance / 2, found.p_value, note)


def _note(found: EdgeTest, table: Table, dependence: Dependence) -> str:
    """Return why a test says nothing or little, if it does."""
    constant = [name for name, own in zip("xy", table.constant[:2], strict=True) if own]
    if constant:
        return f"{constant[0]} is constant: it tells nothing of any variable"
    if found.determined is not None:
        names = ", ".join(table.names[j] for j in found.stand_ins) if table.n_variables > 3 else "z"
        return f"{names} determines {'xy'[found.determined]}, which has nothing left to share"
    if found.by_chance == 0 and found.score == 0:
        return f"{table.n_samples} rows are too few for regressions on z: take fewer conditions"
    if dependence.is_determined(0, [1]) or dependence.is_determined(1, [0]):
        return "x and y tell the same: one is a function of the other"
    return ""
