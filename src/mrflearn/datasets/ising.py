"""Ising models on any graph: the exact table where it fits, Gibbs or Wolff sampling beyond."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.datasets.shapes import edge_strengths, grid
from mrflearn.datasets.world import (
    World,
    check_adjacency,
    check_names,
    positive_integer,
    read_only,
    square_matrix,
)
from mrflearn.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Ising", "ising_lattice", "ising_on"]

METHODS = ("auto", "exact", "gibbs", "wolff")

SWEEPS = {"gibbs": 100, "wolff": 20}
"""Default lengths of chains. On lattices of 20 by 20 with couplings from 0.3 to 0.7, energies and
magnetisations after 10 sweeps of clusters did not differ from those after 60."""

MOST_EXACT = 20
"""Variables up to which all states are listed: a million of them, 8 MiB."""

SPINS_AT_ONCE = 4_000_000
"""Chains are run in blocks of about this many spins, which bounds the memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Ising(World):
    """Binary variables with pairwise interactions.

    p(x) is proportional to exp(sum_{i<j} J_ij s_i s_j + sum_i h_i s_i), where s_i = 2 x_i - 1 is
    -1 or 1; tables hold x_i, 0 or 1. Two variables share an edge where J_ij is not 0.

    Parameters
    ----------
    couplings : array of shape (n_variables, n_variables)
        J, symmetric with a diagonal of zeros.
    fields : float or array of shape (n_variables,), default=0
        h; one number is that of every variable.
    names : sequence of str, optional
        The variables; x0, x1, … by default.
    name : str, default="ising"
        Name of the world.
    method : {"auto", "exact", "gibbs", "wolff"}, default="auto"
        How to draw. All methods give independent samples: the last two run a chain of its own,
        from a random start, for each sample.

        - "exact": from the table of all states, up to 20 variables.
        - "gibbs": every variable anew given its neighbours, one colour class of the graph at a
          time. For any couplings, but slow to forget its start where they are strong.
        - "wolff": clusters flipped as a whole, fast to forget where Gibbs is slow. Needs zero
          fields and couplings that flipping some variables would make all positive, which is
          called balanced.
        - "auto": "exact" up to 20 variables. Beyond, "wolff" where it applies and the couplings
          are so strong that Gibbs sampling is not known to mix fast, else "gibbs".
    n_sweeps : int, optional
        Length of each chain: how often every variable is drawn anew or, for Wolff, flipped on
        average. 100 for Gibbs and 20 for Wolff by default. With c the largest sum of tanh `|J_ij|`
        over the neighbours j of a variable, Gibbs sampling is off by at most
        n_variables * c ** n_sweeps in total variation (Dobrushin), which says something for c < 1
        alone. For strong couplings with fields or frustration there is no such promise: try
        whether more sweeps change your results.

    Notes
    -----
    `joint` is the exact table, up to 20 variables.

    References
    ----------
    Wolff (1989), Collective Monte Carlo updating for spin systems, Physical Review Letters 62,
    361-364. Levin and Peres (2017), Markov Chains and Mixing Times, for Dobrushin's condition.

    Examples
    --------
    >>> world = Ising([[0.0, 0.5], [0.5, 0.0]])
    >>> world.joint.round(3)
    array([[0.366, 0.134],
           [0.134, 0.366]])
    >>> world.sample(4, random_state=0).shape
    (4, 2)
    """

    couplings: NDArray[np.float64]
    fields: float | NDArray[np.float64] = 0.0
    names: tuple[str, ...] = ()
    name: str = "ising"
    method: str = "auto"
    n_sweeps: int | None = None
    adjacency: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        couplings = square_matrix(self.couplings, "couplings")
        if couplings.diagonal().any():
            raise InputError("couplings must have zeros on the diagonal; use fields= for h")
        n_variables = len(couplings)
        checked = {
            "couplings": read_only(couplings),
            "fields": read_only(_as_fields(self.fields, n_variables)),
            "names": check_names(self.names, n_variables),
            "adjacency": read_only(couplings != 0),
        }
        for attribute, value in checked.items():
            object.__setattr__(self, attribute, value)
        if self.n_sweeps is not None:
            positive_integer(self.n_sweeps, "n_sweeps")
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        if self.method == "exact":
            self._check_enumerable()
        if self.method == "wolff" and np.any(self.fields):
            raise InputError("method='wolff' needs zero fields; use method='gibbs'")
        if self.method == "wolff" and balancing_signs(couplings) is None:
            raise InputError(
                "method='wolff' needs balanced couplings, with an even number of negative ones "
                "around every cycle; use method='gibbs'"
            )

    @cached_property
    def joint(self) -> NDArray[np.float64]:
        """Exact probabilities of all states: an axis of length 2 for each variable. Read-only."""
        self._check_enumerable()
        n_variables = self.n_variables
        exponent = np.zeros((2,) * n_variables)
        spin = np.array([-1.0, 1.0])
        for i, h in enumerate(np.asarray(self.fields)):
            exponent += (h * spin).reshape(_axes(n_variables, i))
        for i, j in np.argwhere(np.triu(self.adjacency)).tolist():
            term = self.couplings[i, j] * np.outer(spin, spin)
            exponent += term.reshape(_axes(n_variables, i, j))
        weights = np.exp(exponent - exponent.max())
        return read_only(weights / weights.sum())

    def _check_enumerable(self) -> None:
        if self.n_variables > MOST_EXACT:
            raise InputError(
                f"the exact table is for at most {MOST_EXACT} variables, and here are "
                f"{self.n_variables}; use method='gibbs' or 'wolff'"
            )

    def _draw(self, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        method = self._chosen_method()
        if method == "exact":
            states = _draw_cells(self.joint, n_samples, rng)
        else:
            run = self._gibbs_chains if method == "gibbs" else self._wolff_chains
            most = max(1, SPINS_AT_ONCE // self.n_variables)
            blocks = [min(most, n_samples - done) for done in range(0, n_samples, most)]
            states = np.concatenate([run(n_chains, rng).T > 0 for n_chains in blocks])
        return pd.DataFrame(states.astype(np.int64), columns=list(self.names))

    def _chosen_method(self) -> str:
        if self.method != "auto":
            return self.method
        if self.n_variables <= MOST_EXACT:
            return "exact"
        influence = np.tanh(np.abs(self.couplings)).sum(axis=1).max()
        mixes_fast = influence < 1 and self.n_variables * influence ** self._sweeps("gibbs") < 1e-3
        if mixes_fast or np.any(self.fields) or balancing_signs(self.couplings) is None:
            return "gibbs"
        return "wolff"

    def _sweeps(self, method: str) -> int:
        return SWEEPS[method] if self.n_sweeps is None else self.n_sweeps

    def _gibbs_chains(self, n_chains: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the last state of many chains, (n_variables, n_chains), spins -1 and 1."""
        from scipy.sparse import csr_array

        # Variables of one colour are independent given the others: they are drawn together.
        colours = colour_classes(self.adjacency)
        couplings = [csr_array(self.couplings[members]) for members in colours]
        fields = [np.asarray(self.fields)[members][:, None] for members in colours]
        spins = rng.choice([-1.0, 1.0], size=(self.n_variables, n_chains))
        for _ in range(self._sweeps("gibbs")):
            for members, coupling, h in zip(colours, couplings, fields, strict=True):
                local = coupling @ spins + h
                # P(s = 1) = 1 / (1 + exp(-2 local)) = (1 + tanh(local)) / 2
                up = 2 * rng.random(local.shape) - 1 < np.tanh(local)
                spins[members] = np.where(up, 1.0, -1.0)
        return spins

    def _wolff_chains(self, n_chains: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return the last state of many chains, (n_variables, n_chains), spins -1 and 1."""
        signs = balancing_signs(self.couplings)
        assert signs is not None  # checked when the method was chosen
        bonds = _Bonds(self.couplings)
        spins = rng.choice([-1.0, 1.0], size=(n_chains, self.n_variables))  # signs taken out
        n_steps, n_flips = 0, 0
        while n_flips < self._sweeps("wolff") / 2 * spins.size:
            n_flips += _flip_clusters(spins, bonds, rng)
            n_steps += 1
        # To stop at a number of flips is to stop after a large cluster more often than not, where
        # the states are too ordered. The second half forgets that: its length is fixed beforehand.
        for _ in range(n_steps):
            _flip_clusters(spins, bonds, rng)
        return signs[:, None] * spins.T


def ising_lattice(
    n_rows: int = 3,
    n_columns: int = 3,
    coupling: float = 0.4,
    field: float = 0.0,
    method: str = "auto",
    n_sweeps: int | None = None,
) -> Ising:
    """Return an Ising model on a rectangular lattice without periodic boundary.

    Parameters
    ----------
    n_rows, n_columns : int, default=3
        Size of the lattice. 3 by 3 is world (a) of the GS-MPLE paper.
    coupling : float, default=0.4
        J of every edge. The paper does not give its value; this one is our choice.
    field : float, default=0
        h of every variable.
    method, n_sweeps
        See `Ising`.

    Examples
    --------
    >>> ising_lattice()
    Ising('ising', 9 variables, 12 edges)
    >>> ising_lattice().names[:4]
    ('x1_1', 'x1_2', 'x1_3', 'x2_1')
    """
    adjacency = grid(n_rows, n_columns)
    if np.ndim(coupling):
        raise InputError(f"coupling of a lattice must be one number, got {coupling!r}")
    couplings = edge_strengths(adjacency, coupling, False, None, "coupling")
    names = tuple(f"x{r + 1}_{c + 1}" for r in range(n_rows) for c in range(n_columns))
    return Ising(couplings, field, names, method=method, n_sweeps=n_sweeps)


def ising_on(
    adjacency: ArrayLike,
    coupling: float | tuple[float, float] = 0.4,
    random_signs: bool = False,
    random_state: Any = None,
    **options: Any,
) -> Ising:
    """Return an Ising model on a given graph.

    Parameters
    ----------
    adjacency : array of shape (n_variables, n_variables)
        The graph; `mrflearn.datasets.shapes` makes many.
    coupling : float or (float, float), default=0.4
        J of every edge, or the range to draw each from.
    random_signs : bool, default=False
        Turn the sign of each coupling with probability 1/2.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        Where ranges and signs are drawn from.
    **options
        `fields`, `names`, `name`, `method` and `n_sweeps` of `Ising`.

    Examples
    --------
    >>> from mrflearn.datasets.shapes import hub
    >>> ising_on(hub(4), 0.3).couplings[0]
    array([0. , 0.3, 0.3, 0.3])
    """
    edges = check_adjacency(adjacency)
    strengths = edge_strengths(edges, coupling, random_signs, random_state, "coupling")
    return Ising(strengths, **options)


def balancing_signs(couplings: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return a sign for each variable such that sign_i sign_j J_ij >= 0 for all, None if none is.

    Such signs exist where every cycle has an even number of negative couplings.
    """
    signs = np.zeros(len(couplings))
    for start in range(len(couplings)):
        if signs[start]:
            continue
        signs[start] = 1.0
        waiting = [start]
        while waiting:
            i = waiting.pop()
            near = np.flatnonzero(couplings[i])
            new = near[signs[near] == 0]
            signs[new] = signs[i] * np.sign(couplings[i, new])
            waiting.extend(new.tolist())
    return signs if (np.outer(signs, signs) * couplings >= 0).all() else None


def colour_classes(adjacency: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Return groups of nodes without an edge inside; greedy, so not always the fewest.

    Examples
    --------
    A lattice is coloured like a checkerboard:

    >>> [members.tolist() for members in colour_classes(grid(2, 3))]
    [[1, 3, 5], [0, 2, 4]]
    """
    colour = np.full(len(adjacency), -1)
    for node in np.argsort(-adjacency.sum(axis=0), kind="stable"):
        taken = set(colour[adjacency[node]].tolist())
        colour[node] = next(c for c in range(len(adjacency)) if c not in taken)
    return [np.flatnonzero(colour == c) for c in range(colour.max() + 1)]


class _Bonds:
    """Neighbours of each variable, end to end, and the chance of each to join a cluster."""

    def __init__(self, couplings: NDArray[np.float64]) -> None:
        rows, self.neighbour = np.nonzero(couplings)
        self.chance = -np.expm1(-2 * np.abs(couplings[rows, self.neighbour]))
        self.degree = np.bincount(rows, minlength=len(couplings))
        self.start = np.cumsum(self.degree) - self.degree

    def of(self, sites: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the bonds of all `sites`, and the position in `sites` that each belongs to."""
        owner = np.repeat(np.arange(len(sites)), self.degree[sites])
        ends = np.cumsum(self.degree[sites])
        place = np.arange(len(owner)) - (ends - self.degree[sites])[owner]
        return self.start[sites][owner] + place, owner


def _flip_clusters(spins: NDArray[np.float64], bonds: _Bonds, rng: np.random.Generator) -> int:
    """Flip one cluster in each chain, grown from a random variable; return the number of flips."""
    n_chains, n_variables = spins.shape
    flat = spins.reshape(-1)  # all chains end to end
    front = np.arange(n_chains) * n_variables + rng.integers(n_variables, size=n_chains)
    colour = flat[front]  # of each cluster, before it is flipped
    n_flips = 0
    while len(front):
        flat[front] *= -1.0  # at once, so that no cluster takes a variable twice
        n_flips += len(front)
        chain, site = np.divmod(front, n_variables)
        bond, owner = bonds.of(site)
        chain = chain[owner]
        target = chain * n_variables + bonds.neighbour[bond]
        joins = (flat[target] == colour[chain]) & (rng.random(len(bond)) < bonds.chance[bond])
        front = np.unique(target[joins])
    return n_flips


def _draw_cells(
    joint: NDArray[np.float64], n_samples: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw cells of a probability table; one row of coordinates for each sample."""
    upper = np.cumsum(joint.ravel())
    cells = np.searchsorted(upper, rng.random(n_samples) * upper[-1], side="right")
    return np.column_stack(np.unravel_index(cells, joint.shape))


def _axes(n_variables: int, *own: int) -> tuple[int, ...]:
    """Return the shape that lays a table of some variables along their axes of the joint."""
    return tuple(2 if axis in own else 1 for axis in range(n_variables))


def _as_fields(fields: ArrayLike, n_variables: int) -> NDArray[np.float64]:
    try:
        values = np.array(fields, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"fields must be numbers, got {fields!r}") from None
    if values.shape not in ((), (n_variables,)) or not np.isfinite(values).all():
        raise InputError(
            f"fields must be a finite number, or {n_variables} of them, one for each variable"
        )
    return np.full(n_variables, values) if values.ndim == 0 else values
