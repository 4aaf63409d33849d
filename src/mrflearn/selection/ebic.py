r"""Choosing lambda by the extended Bayesian information criterion (EBIC).

The likelihood of a graph, less a price for each of its parameters. The price is that of BIC, ln N,
and one for the choice: with gamma = 1 all sizes of graphs are alike before the data are seen, and
not all graphs, of which those of middling size are most.

*One likelihood* (`form="likelihood"`). The edges are chosen among about D² / 2 pairs, and each
costs 2 gamma ln D² for that; k parameters cost ln N each. With one parameter for each edge
(Foygel and Drton 2010),

    EBIC = -2 l + k ln N + 4 gamma k ln D.

*A regression for each node* (`form="nodewise"`). Node i has k_i coefficients of neighbours, chosen
among D - 1, and its criterion is -2 l_i + k_i ln N + 2 gamma k_i ln(D - 1) (Barber and Drton 2015;
IsingFit). A graph has the sum; with k = sum of k_i, which counts an edge at both ends,

    EBIC = -2 l + k ln N + 2 gamma k ln(D - 1).

Both see an edge that is not there alike but for gamma. For two variables ln p(x | y) + ln p(y | x)
gains twice the information of the pair, where the likelihood gains it once, and for weak edges that
is nearly so among others; ln N is paid twice as well. The price of the choice is about as large in
both forms, 4 gamma ln D for an edge, and so half as heavy in the second: it chooses more edges with
the same gamma, of those in noise as well.

An edge between r and s levels has (r - 1)(s - 1) parameters, and is one choice: ln N is paid for
each parameter, the other price once (at either end).

The likelihood is the largest that a graph allows, as in the papers: of parameters that are fitted
again, for its edges alone and without a penalty (`mrflearn.parametric.refit`). Penalised estimates
would not do, though qgraph's EBICglasso takes them: shrinkage makes a graph look worse than it is.
Where edges are strong only a smaller lambda mends that, and brings false ones along; where they are
weak and the variables many, no edge seems worth its price.

The criterion is made for graphs that are small against the table. Regressions on nearly as many
variables as there are rows leave no residuals, and a likelihood that grows without end: a graph too
dense for its table has no likelihood, and is not chosen.

References
----------
Chen, J. and Chen, Z. (2008). Extended Bayesian information criteria for model selection with large
model spaces. Biometrika 95.
Foygel, R. and Drton, M. (2010). Extended Bayesian information criteria for Gaussian graphical
models. NeurIPS 23.
Barber, R. F. and Drton, M. (2015). High-dimensional Ising model selection with Bayesian information
criteria. Electronic Journal of Statistics 9.
van Borkulo, C. et al. (2014). A new method for constructing networks from binary data. Scientific
Reports 4 (IsingFit).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.errors import InputError, unknown
from mrflearn.selection.choice import Choice

__all__ = ["FORMS", "choose", "criteria"]

FORMS = ("likelihood", "nodewise")

TIE = 1e-9
"""Values that differ by less than this, in proportion, are equal: solvers are not more exact."""


def criteria(
    log_likelihoods: ArrayLike,
    n_parameters: ArrayLike,
    n_choices: ArrayLike,
    n_samples: int,
    n_variables: int,
    gamma: float = 0.5,
    form: str = "likelihood",
) -> NDArray[np.float64]:
    """Return the extended BIC of each graph; small is good.

    Parameters
    ----------
    log_likelihoods : array of shape (n_lams,)
        The largest of each graph, of all rows, in nats. A term that is the same for all changes no
        choice.
    n_parameters : array of shape (n_lams,)
        Parameters of the edges; of both ends, where nodes have their own.
    n_choices : array of shape (n_lams,)
        Edges; counted at both ends, where nodes choose their own.
    n_samples : int
        N.
    n_variables : int
        D: variables that could have an edge, which constants could not.
    gamma : float, default=0.5
        Price of the choice among many pairs, not negative: 0 is plain BIC.
    form : {"likelihood", "nodewise"}
        What the log-likelihoods are.

    Returns
    -------
    ndarray of shape (n_lams,)
        Infinite, so never the best, where the likelihood is not finite.

    Examples
    --------
    >>> criteria([-100.0, -90.0], [0, 1], [0, 1], n_samples=50, n_variables=4).round(2)
    array([200.  , 186.68])
    """
    gamma = _check_gamma(gamma)
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    likelihoods = np.asarray(log_likelihoods, float)
    if form == "likelihood":
        choices = 2 * math.log(max(n_variables, 1))  # D² pairs
    else:
        choices = math.log(max(n_variables - 1, 1))
    prices = math.log(n_samples) * np.asarray(n_parameters, float)
    prices += 2 * gamma * choices * np.asarray(n_choices, float)
    return np.where(np.isfinite(likelihoods), -2 * likelihoods + prices, np.inf)


def choose(
    lams: Sequence[float],
    log_likelihoods: ArrayLike,
    n_parameters: ArrayLike,
    n_choices: ArrayLike,
    n_samples: int,
    n_variables: int,
    gamma: float = 0.5,
    form: str = "likelihood",
) -> Choice:
    """Return the lambda with the smallest extended BIC; the largest of those if several have it.

    Parameters
    ----------
    lams : sequence of float
        In any order.
    log_likelihoods, n_parameters, n_choices, n_samples, n_variables, gamma, form
        As in `criteria`.

    Examples
    --------
    >>> found = choose([0.3, 0.2, 0.1], [-100.0, -90.0, -89.0], [0, 1, 2], [0, 1, 2], 50, 4)
    >>> found.position, found.reason
    (1, 'lambda 0.2 has the smallest extended BIC of 3 (gamma = 0.5)')
    """
    values = criteria(log_likelihoods, n_parameters, n_choices, n_samples, n_variables, gamma, form)
    best = float(values.min())
    if math.isfinite(best):
        tied = np.flatnonzero(values <= best + TIE * max(abs(best), 1.0))
        position = int(tied[np.argmax(np.asarray(lams)[tied])])
        reason = (
            f"lambda {lams[position]:.4g} has the smallest extended BIC of {len(values)} "
            f"(gamma = {gamma:g})"
        )
    else:
        position = None
        reason = "no lambda has a graph that is small against the table"
    return Choice(
        selection="ebic",
        position=position,
        criterion="extended BIC",
        values=tuple(values.tolist()),
        limit=None,
        reason=reason,
    )


def _check_gamma(gamma: float) -> float:
    if not isinstance(gamma, Real) or not math.isfinite(gamma) or gamma < 0:
        raise InputError(
            f"gamma must be a finite number that is not negative, such as 0.5, got {gamma!r}"
        )
    return float(gamma)
