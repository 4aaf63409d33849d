"""JOSE: joint structure estimation of discrete variables by penalised pseudolikelihood.

Guo, Levina, Michailidis, Zhu, "Joint structure estimation for categorical Markov networks", 2010.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from mrflearn.errors import InputError, unknown
from mrflearn.parametric import regressions
from mrflearn.parametric._pairwise import (
    Described,
    fit_path,
    largest,
    observed_levels,
    symmetric,
)
from mrflearn.parametric.base import Fit, check_columns, check_penalties
from mrflearn.parametric.pseudolikelihood import Estimate, Pseudolikelihood
from mrflearn.parametric.refit import Graphs, Refits
from mrflearn.table import Table

__all__ = ["FORMS", "largest_lam", "path", "refit"]

FORMS = ("auto", "binary", "group")

Vector = NDArray[np.float64]


def path(
    table: Table,
    lams: Iterable[float],
    *,
    tol: float = 1e-7,
    max_iter: int = 10_000,
    form: str = "auto",
) -> tuple[Fit, ...]:
    r"""Fit a pairwise model of discrete variables at each lambda.

    Parameters
    ----------
    table : Table
        Ordinal and nominal columns, unscaled, none constant. The levels of an ordinal column
        count without their order.
    lams : iterable of floats
        Penalties, not negative.
    tol : float
        Largest violation of the conditions of a minimum, in the unit of lambda.
    max_iter : int
        Most steps for each lambda.
    form : {"auto", "binary", "group"}
        Which of two forms of the model to fit; `"auto"` takes the binary one where every column
        has two observed levels. On such columns both are the same model (see Notes).

    Returns
    -------
    tuple of Fit
        One for each lambda, in the order given. With `form="binary"` the parameters are

        - `"couplings"` (D x D): :math:`\theta_{jk}`, symmetric, zero on the diagonal;
        - `"intercepts"` (D): :math:`\theta_{jj}`.

        The value 1 is the higher code, for labels the later one. With `form="group"` they are

        - `"couplings"` (D x D): :math:`2 \lVert\phi_{jk}\rVert_F`;
        - `"blocks"` (S x S, where S is the number of levels of all variables): the block
          `blocks[starts[j]:starts[j + 1], starts[k]:starts[k + 1]]` is :math:`\phi_{jk}`;
        - `"intercepts"` (S): :math:`\alpha_j(l)` at `starts[j] + l`;
        - `"starts"` (D + 1): where the levels of each variable begin;
        - `"codes"` (S): the code of each level in the table; those not observed are left out.

        The weight of an edge is :math:`|\theta_{jk}|`, or :math:`2 \lVert\phi_{jk}\rVert_F`.

    Notes
    -----
    *Binary form.* For :math:`x \in \{0, 1\}` and log-odds :math:`\eta_{mj} = \theta_{jj} +
    \sum_{k \ne j} \theta_{jk} x_{mk}`, with :math:`\theta` symmetric, minimise

    .. math::
        \frac1N \sum_m \sum_j \bigl[\ln(1 + e^{\eta_{mj}}) - x_{mj} \eta_{mj}\bigr]
        + \lambda \sum_{j<k} |\theta_{jk}| .

    *Group form.* Level l of variable j has the score :math:`\alpha_j(l) + \sum_k
    \phi_{jk}(l, x_k)`; probabilities are proportional to exponentials of scores. Minimise the mean
    negative log pseudolikelihood plus :math:`2 \lambda \sum_{j<k} \lVert\phi_{jk}\rVert_F`. No
    level is a reference, so the graph does not depend on how levels are called.

    *They agree for two levels.* Scores matter up to a constant for each variable, hence a mean of
    a row or column of :math:`\phi_{jk}` acts as an offset, and offsets are free. Taking the means
    out of a block makes its norm smaller and changes nothing else, so at the minimum every row
    and every column of it sums to zero. A 2 x 2 block of that kind is :math:`\frac\theta4
    \bigl(\begin{smallmatrix} 1 & -1 \\ -1 & 1 \end{smallmatrix}\bigr)`, where :math:`\theta =
    \phi(0,0) + \phi(1,1) - \phi(0,1) - \phi(1,0)` is what :math:`x_k` adds to the log-odds of
    :math:`x_j`. Its norm is :math:`|\theta| / 2`, and :math:`2 \lambda \lVert\phi\rVert_F =
    \lambda |\theta|`.

    *Without a penalty* (lambda up to `tol`) there is a minimum only if no variable can be told
    from others without error, such as by a pair of values that never occur together. Where there
    is none the fit is reported as not converged.

    References
    ----------
    Guo, Levina, Michailidis, Zhu, "Joint structure estimation for categorical Markov networks",
    2010. Höfling and Tibshirani, JMLR 10, 2009, for the binary form.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn.table import as_table
    >>> rng = np.random.default_rng(0)
    >>> x = rng.integers(2, size=500)
    >>> flips = rng.random((2, 500)) < 0.2
    >>> chain = np.column_stack([x, x ^ flips[0], x ^ flips[0] ^ flips[1]])
    >>> (fit,) = path(as_table(chain, scale=None), [0.05])
    >>> fit.parameters["couplings"].round(1)
    array([[0. , 2.1, 0. ],
           [2.1, 0. , 2.1],
           [0. , 2.1, 0. ]])
    """
    model, codes = _model(table, form)
    starts = model.row_starts

    def describe(estimate: Estimate, norms: Vector) -> Described:
        if model.binary:
            couplings = estimate.interactions
            named = {"couplings": couplings, "intercepts": estimate.offsets}
            return np.abs(couplings), named
        weights = symmetric(2.0 * norms, model.n_variables)
        return weights, {
            "couplings": weights.copy(),
            "blocks": estimate.interactions,
            "intercepts": estimate.offsets,
            "starts": starts,
            "codes": codes,
        }

    return fit_path(model, _scales(model), check_penalties(lams), tol, max_iter, describe)


def largest_lam(table: Table, *, form: str = "auto") -> float:
    """Return the smallest lambda whose graph is empty.

    It is the largest violation of a condition by independent variables: for two binary columns,
    twice the absolute value of their covariance.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn.table import as_table
    >>> equal = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> largest_lam(as_table(equal, scale=None))
    0.5
    """
    model, _ = _model(table, form)
    return largest(model, _scales(model))


def refit(table: Table, graphs: Graphs) -> Refits:
    """Return the likelihood of each graph: of regressions of each variable on its neighbours.

    The two ends of an edge need not agree there, as they do in the penalised estimate.
    """
    return regressions.refit(table, graphs, levels=True)


def _scales(model: Pseudolikelihood) -> Vector:
    n_pairs = model.n_variables * (model.n_variables - 1) // 2
    return np.full(n_pairs, 1.0 if model.binary else 2.0)


def _model(table: Table, form: str) -> tuple[Pseudolikelihood, Vector]:
    """Return the model of a table, and the codes of its levels."""
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    check_columns(table, "JOSE")
    for column in table.columns:
        if column.kind == "continuous":
            raise InputError(
                f"JOSE takes discrete columns, and {column.name!r} is continuous: use "
                f"MixedPairwise for mixed tables, GLasso or Skeptic for continuous ones, or "
                f"declare kinds={{{column.name!r}: 'nominal'}}"
            )
    levels = [observed_levels(table, i) for i in range(table.n_variables)]
    if form == "binary":
        for name, (codes, _) in zip(table.names, levels, strict=True):
            if len(codes) > 2:
                raise InputError(
                    f"form='binary' takes two levels, and column {name!r} has {len(codes)}: use "
                    "form='group'"
                )
    binary = form != "group" and all(len(codes) == 2 for codes, _ in levels)
    positions = [column for _, column in levels]
    model = Pseudolikelihood(np.empty((0, table.n_samples)), positions, binary=binary)
    return model, np.concatenate([codes for codes, _ in levels])
