"""Discrete Bayesian networks: from a small text format, from the literature, or at random."""

from __future__ import annotations

import graphlib
import itertools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mrflearn.datasets._network_text import Description, from_text, row_problem, text_of, to_text
from mrflearn.datasets.world import (
    World,
    as_generator,
    check_names,
    moralise,
    positive_integer,
    read_only,
)
from mrflearn.errors import InputError, unknown

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NETWORKS",
    "BayesianNetwork",
    "format_network",
    "load_network",
    "parse_network",
    "random_network",
    "read_network",
]

NETWORKS = ("asia", "cancer", "earthquake", "sprinkler")
"""Names that `load_network` knows."""

MOST_CELLS = 2**20
"""Cells up to which the joint table is made: 8 MiB."""

MOST_CELLS_AT_RANDOM = 2**16
"""Largest table of one node that `random_network` draws."""

DRAWS = 20
"""Tables that `random_network` draws for each node, to keep the strongest."""


@dataclass(frozen=True, eq=False, repr=False)
class BayesianNetwork(World):
    """A distribution over nominal variables, each drawn given its parents.

    Its graph is the moral graph of the arcs. Where a node is a function of its parents (the
    "either" of asia is yes when one of its two parents is), or where a table does not change with
    a parent, more variables are independent than the graph says: it is not faithful there, and
    no method can find all of its edges.

    Parameters
    ----------
    names : sequence of str
        The variables.
    levels : sequence of sequences of str
        The values of each variable, at least two.
    parents : sequence of sequences of int
        Positions of the parents of each variable. The variables may come in any order.
    tables : sequence of arrays
        Probabilities of each variable: one axis for each of its parents, in the order of
        `parents`, and a last one for its own levels, along which they sum to 1. (Where they are
        off by more than rounding and less than 1e-6, as printed numbers are, they are divided
        by their sum.)
    name : str, default="network"
        Name of the world.

    Notes
    -----
    `joint` is the exact table, up to 2**20 cells.

    References
    ----------
    Koller and Friedman (2009), Probabilistic Graphical Models, MIT Press, chapters 3 and 4.

    Examples
    --------
    >>> network = BayesianNetwork(
    ...     names=["rain", "wet"],
    ...     levels=[["yes", "no"], ["yes", "no"]],
    ...     parents=[[], [0]],
    ...     tables=[[0.2, 0.8], [[0.9, 0.1], [0.1, 0.9]]],
    ... )
    >>> network.arcs
    (('rain', 'wet'),)
    >>> network.joint
    array([[0.18, 0.02],
           [0.08, 0.72]])
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[NDArray[np.float64], ...]
    name: str = "network"
    adjacency: NDArray[np.bool_] = field(init=False)
    order: tuple[int, ...] = field(init=False)
    """The variables, parents before their children."""

    def __post_init__(self) -> None:
        n_variables = len(self.names)
        if not n_variables:
            raise InputError("a network needs at least one variable; names is empty")
        for what in ("levels", "parents", "tables"):
            if len(getattr(self, what)) != n_variables:
                raise InputError(
                    f"{what} must have an item for each of the {n_variables} names, got "
                    f"{len(getattr(self, what))}"
                )
        self._set("names", check_names(self.names, n_variables))
        self._set("levels", tuple(map(_as_levels, self.names, self.levels)))
        self._set("parents", tuple(map(_as_parents, self.names, self.parents)))
        self._set("adjacency", moralise(self.parents))
        self._set("order", _topological_order(self.names, self.parents))
        self._set("tables", tuple(self._as_table(v) for v in range(n_variables)))

    def _set(self, attribute: str, value: Any) -> None:
        object.__setattr__(self, attribute, value)

    def _as_table(self, v: int) -> NDArray[np.float64]:
        shape = tuple(len(self.levels[u]) for u in (*self.parents[v], v))
        try:
            table = np.array(self.tables[v], dtype=float)
        except (TypeError, ValueError):
            raise InputError(
                f"the table of {self.names[v]!r} must be an array of numbers"
            ) from None
        if table.shape != shape:
            raise InputError(
                f"the table of {self.names[v]!r} must have the shape {shape}, an axis for each "
                f"parent and one for its own levels, got {table.shape}"
            )
        for row in table.reshape(-1, shape[-1]):
            problem = row_problem(row.tolist())
            if problem:
                raise InputError(f"a row of the table of {self.names[v]!r} {problem}")
        total = table.sum(axis=-1, keepdims=True)
        # Rows that are right up to rounding keep their bits, so that files can be exact.
        return read_only(np.where(np.abs(total - 1) > 1e-12, table / total, table))

    @property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All arcs as (parent, child), in the order of the children."""
        return tuple(
            (self.names[parent], self.names[child])
            for child, own in enumerate(self.parents)
            for parent in own
        )

    @cached_property
    def joint(self) -> NDArray[np.float64]:
        """Exact probabilities of all states: an axis for each variable. Read-only."""
        n_cells = math.prod(len(own) for own in self.levels)
        if n_cells > MOST_CELLS:
            raise InputError(
                f"the joint table of {self.name!r} has {n_cells:,} cells, more than "
                f"{MOST_CELLS:,}; use sample instead"
            )
        joint = np.ones((1,) * self.n_variables)
        for v, table in enumerate(self.tables):
            axes = (*self.parents[v], v)
            shape = [len(self.levels[u]) if u in axes else 1 for u in range(self.n_variables)]
            joint = joint * table.transpose(np.argsort(axes)).reshape(shape)
        return read_only(joint)

    def _draw(self, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
        import pandas as pd

        codes = np.empty((self.n_variables, n_samples), dtype=np.int64)
        for v in self.order:
            bounds = np.cumsum(self.tables[v], axis=-1)
            bounds /= bounds[..., -1:]  # exactly 1, so that no level of probability 0 is drawn
            rows = bounds[tuple(codes[list(self.parents[v])])]
            codes[v] = (rng.random(n_samples)[:, None] >= np.atleast_2d(rows)).sum(axis=1)
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(codes[v], categories=pd.Index(self.levels[v]))
                for v, name in enumerate(self.names)
            }
        )


def parse_network(text: str, name: str = "network") -> BayesianNetwork:
    r"""Read a network from text.

    The format, by example::

        # what follows a number sign is a comment
        rain: yes no
            0.2 0.8
        sprinkler: on off | rain
            yes: 0.01 0.99
            no:  0.4  0.6
        grass: wet dry | rain sprinkler
            yes on:  0.99 0.01
            yes off: 0.8  0.2
            no on:   0.9  0.1
            no off:  0.0  1.0

    An unindented line is a node: its name, a colon, at least two levels, and its parents after a
    bar if it has any. The indented lines below it are its probabilities, one row for each
    combination of the parents' levels: these levels in the order of the parents, a colon, and a
    probability for each level of the node. Rows sum to 1, within 1e-6. Nodes and rows may come
    in any order. Names and levels are single words without ``:``, ``|`` and ``#``.

    Parameters
    ----------
    text : str
        The network.
    name : str, default="network"
        Name of the world.

    Returns
    -------
    BayesianNetwork
        Its variables are in the order of the text.

    Raises
    ------
    InputError
        If the text is not a network; the message names the line and the remedy.

    Examples
    --------
    >>> network = parse_network("rain: yes no\n 0.2 0.8\nwet: yes no | rain\n yes: 1 0\n no: 0 1")
    >>> network.arcs
    (('rain', 'wet'),)
    """
    return BayesianNetwork(*from_text(text), name=name)


def format_network(network: BayesianNetwork) -> str:
    """Return a network in the format of `parse_network`, which reads back the same numbers.

    Examples
    --------
    >>> print(format_network(load_network("earthquake")))  # doctest: +ELLIPSIS
    burglary: yes no
        0.01 0.99
    <BLANKLINE>
    earthquake: yes no
        0.02 0.98
    <BLANKLINE>
    alarm: yes no | burglary earthquake
        yes yes: 0.95 0.05
        yes no:  0.94 0.06
        no yes:  0.29 0.71
        no no:   0.001 0.999
    ...
    """
    return to_text(Description(network.names, network.levels, network.parents, network.tables))


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a network from a file in UTF-8, in the format of `parse_network`.

    Parameters
    ----------
    path : str or path
        The file; or the text itself, known by its line breaks.

    Returns
    -------
    BayesianNetwork
        Named like the file, without its suffixes.

    Raises
    ------
    InputError
        If there is no such file or it is not a network; the message names the file, the line and
        the remedy.
    """
    if isinstance(path, str) and "\n" in path:
        return parse_network(path)
    description = from_text(text_of(path), source=repr(os.fspath(path)))
    return BayesianNetwork(*description, name=Path(path).name.split(".")[0])


def load_network(name: str) -> BayesianNetwork:
    """Return a network of the literature.

    - "asia": 8 variables, the chest clinic of Lauritzen and Spiegelhalter. Its "either" is a
      function of its parents, so its graph is not faithful (see `BayesianNetwork`).
    - "cancer", "earthquake": 5 variables each, from the textbook of Korb and Nicholson. Events
      are rare, so most of their edges are weak.
    - "sprinkler": 4 variables, the wet grass of Russell and Norvig. The grass stays dry for sure
      without rain and sprinkler.

    Parameters
    ----------
    name : {"asia", "cancer", "earthquake", "sprinkler"}
        Which one.

    References
    ----------
    Lauritzen and Spiegelhalter (1988), Local computations with probabilities on graphical
    structures and their application to expert systems, Journal of the Royal Statistical Society
    B 50, 157-224. Korb and Nicholson (2010), Bayesian Artificial Intelligence, 2nd edition, CRC
    Press. Russell and Norvig (2003), Artificial Intelligence: A Modern Approach, 2nd edition,
    Prentice Hall.

    Examples
    --------
    >>> load_network("asia")
    BayesianNetwork('asia', 8 variables, 10 edges)
    """
    if name not in NETWORKS:
        raise unknown("network", name, NETWORKS)
    return read_network(Path(__file__).parent / "data" / f"{name}.bn.txt")


def random_network(
    n_variables: int,
    n_levels: int | tuple[int, int] = (2, 4),
    max_parents: int = 3,
    concentration: float = 1.0,
    random_state: Any = None,
    name: str = "random network",
) -> BayesianNetwork:
    """Draw a network: a random directed graph with random tables.

    Each variable has 0 to `max_parents` parents among those before it, all numbers and sets of
    parents being equally likely. Each row of its table is drawn from a Dirichlet distribution.
    Most such tables hold some dependence that no sample of reasonable size shows. So 20 tables
    are drawn for each variable, and the one is kept whose weakest dependence is the strongest:
    the least conditional mutual information of two variables of a family (a variable and its
    parents) given the rest of the family, as if the parents were independent of each other. For a
    variable without parents it is the most even distribution.

    Parameters
    ----------
    n_variables : int
        Number of variables, named x0, x1, …
    n_levels : int or (int, int), default=(2, 4)
        Number of levels of each variable, or the least and the greatest number, from which it is
        drawn. They are called s0, s1, …
    max_parents : int, default=3
        Largest number of parents.
    concentration : float, default=1.0
        Parameter of the Dirichlet distribution. Near 0, rows are almost deterministic; with 1 all
        rows are equally likely; large values make them, and so the dependences, even and weak.
    random_state : None, int, numpy.random.SeedSequence or numpy.random.Generator
        The same value gives the same network.
    name : str, default="random network"
        Name of the world.

    Examples
    --------
    >>> random_network(20, n_levels=3, max_parents=2, random_state=0).n_variables
    20
    """
    n_variables = positive_integer(n_variables, "n_variables")
    least, most = _as_range(n_levels)
    max_parents = 0 if max_parents == 0 else positive_integer(max_parents, "max_parents")
    if not (math.isfinite(concentration) and concentration > 0):
        raise InputError(f"concentration must be a number above 0, got {concentration!r}")
    if most ** (min(max_parents, n_variables - 1) + 1) > MOST_CELLS_AT_RANDOM:
        raise InputError(
            f"a variable with {max_parents} parents of {most} levels has a table of more than "
            f"{MOST_CELLS_AT_RANDOM:,} cells; lower max_parents or n_levels"
        )
    rng = as_generator(random_state)
    counts = rng.integers(least, most, size=n_variables, endpoint=True).tolist()
    parents: list[tuple[int, ...]] = []
    tables: list[NDArray[np.float64]] = []
    marginals: list[NDArray[np.float64]] = []
    for v, n_own in enumerate(counts):
        n_parents = int(rng.integers(min(v, max_parents), endpoint=True))
        own = tuple(sorted(rng.choice(v, size=n_parents, replace=False).tolist())) if v else ()
        before = _independent([marginals[parent] for parent in own])
        draws = rng.dirichlet(np.full(n_own, concentration), size=(DRAWS, *before.shape))
        joints = draws * before[..., None]
        best = int(_weakest_dependence(joints).argmax())
        parents.append(own)
        tables.append(draws[best])
        marginals.append(joints[best].sum(axis=tuple(range(before.ndim))))
    levels = [tuple(f"s{level}" for level in range(n_own)) for n_own in counts]
    return BayesianNetwork(
        check_names(None, n_variables), tuple(levels), tuple(parents), tuple(tables), name
    )


def _as_levels(name: str, levels: Sequence[str]) -> tuple[str, ...]:
    labels = tuple(map(str, levels))
    if isinstance(levels, str) or len(labels) < 2 or len(set(labels)) < len(labels):
        raise InputError(f"variable {name!r} needs at least two different levels, got {levels!r}")
    return labels


def _as_parents(name: str, parents: Sequence[int]) -> tuple[int, ...]:
    if not all(isinstance(parent, (int, np.integer)) for parent in parents):
        raise InputError(f"parents of {name!r} must be positions of variables, got {parents!r}")
    if len(set(parents)) < len(parents):
        raise InputError(f"variable {name!r} has a parent twice: {parents!r}; remove one")
    return tuple(map(int, parents))


def _topological_order(names: Sequence[str], parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    try:
        return tuple(graphlib.TopologicalSorter(dict(enumerate(parents))).static_order())
    except graphlib.CycleError as error:
        cycle = " -> ".join(names[v] for v in error.args[1])
        raise InputError(f"the arcs form a cycle, {cycle}; take one of them out") from None


def _as_range(n_levels: int | tuple[int, int]) -> tuple[int, int]:
    try:
        least, most = n_levels if isinstance(n_levels, Sequence) else (n_levels, n_levels)
        if 2 <= positive_integer(least, "") <= positive_integer(most, ""):
            return least, most
    except ValueError:  # not two of them, or not integers
        pass
    raise InputError(
        "n_levels must be an integer of at least 2, or the least and the greatest such number, "
        f"got {n_levels!r}"
    )


def _independent(marginals: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Return the joint table of independent variables."""
    joint = np.ones(())
    for marginal in marginals:
        joint = np.multiply.outer(joint, marginal)
    return joint


def _weakest_dependence(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each table along the first axis, the least I(a; b | all others) of any pair.

    For tables of one variable it is the entropy.
    """
    axes = range(1, joints.ndim)
    if len(axes) == 1:
        return _entropies(joints)
    whole = _entropies(joints)
    without = {a: _entropies(joints.sum(axis=a)) for a in axes}
    return np.min(
        [
            without[a] + without[b] - whole - _entropies(joints.sum(axis=(a, b)))
            for a, b in itertools.combinations(axes, 2)
        ],
        axis=0,
    )


def _entropies(joints: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of each table along the first axis, in nats."""
    flat = joints.reshape(len(joints), -1)
    logs = np.log(flat, out=np.zeros_like(flat), where=flat > 0)
    return -(flat * logs).sum(axis=1)
