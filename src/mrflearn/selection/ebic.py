r"""Choosing lambda by the extended Bayesian information criterion (EBIC).

The likelihood of a graph, less a price for each of its parameters. The price is that of BIC, ln N,
and one for the choice: with gamma = 1 all sizes of graphs are alike before the data are seen, and
not all graphs, of which those of middling size are most.

*One likelihood* (`form="likelihood"`). k parameters are chosen among about D² / 2 pairs, and each
costs ln N + 2 gamma ln D² (Foygel and Drton 2010):

    EBIC = -2 l + k ln N + 4 gamma k ln D.

*A regression for each node* (`form="nodewise"`). Node i has k_i coefficients, chosen among D - 1,
and its criterion is -2 l_i + k_i ln N + 2 gamma k_i ln(D - 1) (Barber and Drton 2015; IsingFit).
One lambda for all nodes asks for the sum; with k = sum of k_i,

    EBIC = -2 l + k ln N + 2 gamma k ln(D - 1).

*A pseudolikelihood* (`form="pseudolikelihood"`). It is a sum over nodes as well, but the two ends
of an edge share its parameters. Each is in two conditional distributions, sum of k_i = 2 k:

    EBIC = -2 l + 2 k ln N + 4 gamma k ln(D - 1).

That twice is right can be seen with two variables: ln p(x | y) + ln p(y | x) gains twice the
information of the pair, where the likelihood gains it once. With more it holds at an edge that is
not there and depends weakly on the rest. To its parameter the conditionals of both ends have nearly
the same slope, x_i x_j less what is expected: one slope of variance v, seen twice. The slope of the
sum then has variance 4 v and the curvature is 2 v, so 2 l gains by chance 4 v / 2 v = 2 times a
chi-square, where a likelihood gains 1 (the effective number of parameters of Varin and Vidoni,
2005). Gain and price are both doubled, and the three forms agree about weak edges but for ln D
against ln(D - 1).

The likelihoods are those of penalised estimates, as in qgraph's EBICglasso, while the papers take
the largest likelihood of each graph. Shrinkage makes a graph look worse than it is. Where edges are
strong only a smaller lambda mends that, and brings false ones along; where they are weak and the
variables many, no edge may seem worth its price. Both would be less with parameters that are fitted
to each graph again.

The criterion is made for graphs that are small against the table. Regressions on nearly as many
variables as there are rows leave no residuals, and a likelihood that grows without end: so graphs
that give a variable more than half as many parameters as rows, on average, are left out.

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
Varin, C. and Vidoni, P. (2005). A note on composite likelihood inference and model selection.
Biometrika 92.
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

FORMS = ("likelihood", "pseudolikelihood", "nodewise")

TIE = 1e-9
"""Values that differ by less than this, in proportion, are equal: solvers are not more exact."""


def criteria(
    log_likelihoods: ArrayLike,
    n_parameters: ArrayLike,
    n_samples: int,
    n_variables: int,
    gamma: float = 0.5,
    form: str = "likelihood",
) -> NDArray[np.float64]:
    """Return the extended BIC of each fit; small is good.

    Parameters
    ----------
    log_likelihoods : array of shape (n_lams,)
        Of all rows, in nats. A term that is the same for all changes no choice.
    n_parameters : array of shape (n_lams,)
        Parameters of the edges present: one for each edge of a Gaussian, one for each coefficient
        that is not 0 where nodes have their own.
    n_samples : int
        N.
    n_variables : int
        D: variables that could have an edge, which constants could not.
    gamma : float, default=0.5
        Price of the choice among many pairs, not negative: 0 is plain BIC.
    form : {"likelihood", "pseudolikelihood", "nodewise"}
        What the log-likelihoods are, and so how often a parameter counts.

    Returns
    -------
    ndarray of shape (n_lams,)
        Infinite, so never the best, where the likelihood is not finite (a fit that leaves a
        variable no variance tells nothing), or a variable has more than N / 2 parameters on
        average, those of an edge counted at both ends.

    Examples
    --------
    >>> criteria([-100.0, -90.0], [0, 1], n_samples=50, n_variables=4).round(2)
    array([200.  , 186.68])
    """
    gamma = _check_gamma(gamma)
    if form not in FORMS:
        raise unknown("form", form, FORMS)
    likelihoods, counts = np.asarray(log_likelihoods, float), np.asarray(n_parameters, float)
    if form == "likelihood":
        price = math.log(n_samples) + 4 * gamma * math.log(n_variables)
    else:
        price = math.log(n_samples) + 2 * gamma * math.log(max(n_variables - 1, 1))
    if form == "pseudolikelihood":
        price *= 2
    by_node = counts * (1 if form == "nodewise" else 2) / n_variables
    fair = np.isfinite(likelihoods) & (by_node <= n_samples / 2)
    return np.where(fair, -2 * likelihoods + counts * price, np.inf)


def choose(
    lams: Sequence[float],
    log_likelihoods: ArrayLike,
    n_parameters: ArrayLike,
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
    log_likelihoods, n_parameters, n_samples, n_variables, gamma, form
        As in `criteria`.

    Examples
    --------
    >>> found = choose([0.3, 0.2, 0.1], [-100.0, -90.0, -89.0], [0, 1, 2], 50, 4)
    >>> found.position, found.reason
    (1, 'lambda 0.2 has the smallest extended BIC of 3 (gamma = 0.5)')
    """
    values = criteria(log_likelihoods, n_parameters, n_samples, n_variables, gamma, form)
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
        reason = "no lambda has a graph that is small against the table, with a finite likelihood"
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
