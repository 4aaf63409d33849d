"""The default dependence: an estimate by few parameters, corrected by one that assumes nothing.

Correlations of normal scores need few rows and see only what is monotone and additive; counts of
neighbours or of cells see everything and need many rows. Which is the better guide depends on the
table. So a few *probes*, the dependences of pairs alone and given one more variable, are estimated
both ways when a table is bound. Where the two differ by no more than their errors, the few
parameters suffice for this table; the more they differ beyond that, the more the other estimate
counts. docs/accuracy.md has the reasoning and the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mrflearn._memory import check_memory
from mrflearn.dependence.base import (
    BatchedDependence,
    Dependence,
    PlainQuestion,
    Specification,
    TableDependence,
    innermost,
)
from mrflearn.dependence.correlations import (
    Correlations,
    held_memory,
    is_discrete,
    worth_learning_from,
)
from mrflearn.dependence.disagreement import Disagreement, disagreement
from mrflearn.dependence.discrete import PlugIn, least_memory
from mrflearn.dependence.gaussian import normal_scores
from mrflearn.dependence.knn import KNN
from mrflearn.dependence.null import N_ROWS, Null, rectified_cumulants
from mrflearn.table import Table

__all__ = ["Auto"]

INFLATION_NEIGHBOURS = 1.15
"""Error of a neighbour estimate, as a multiple of the standard error of its samples' mean, which
takes neighbouring samples for independent."""

INFLATION_TIES = 1.5
"""The same where a column of the question is discrete."""

INFLATION_COUNTS = 1.2
"""Error of a plug-in estimate, as a multiple of that of a chi-square variable."""

LOWERED = 0.5
"""Degrees of freedom over 2N, times this, are subtracted from estimates about discrete variables
beyond their expected bias: so pairs of many levels do not come first by their noise."""

CAUTION = 3.0
"""How many times less than the probes say correlations are taken to overstate a dependence, where
counts say less: so do counts in few rows, of any dependence."""

LARGE_BY_CHANCE = 7.0
"""Deviations from its mean at which one of a thousand chi-square variables of one degree lies."""

RECTIFIED = (0.3989, 0.3408, 0.3265)
"""Cumulants of max(Z, 0), Z standard normal."""

SPREAD_BY_CHANCE = 1.2
"""Deviation of neighbour estimates of independent continuous variables, as a multiple of their
error: 1.11 to 1.13 in noise (benchmarks/noise.py), and more in the tables that matter, as
neighbours are heard where by chance they vary more. Where columns are discrete it is less than 1,
and taken for 1."""

NEAR_ROOM = 2.0
"""Dependence of more than one part in so many of what neighbours could say is underestimated."""

ROOM_SIGNS = np.array([-1, 1, 0, 0])
"""Of psi(k_m), psi(n_z), psi(n_xz) and psi(n_yz) in the most that neighbours could say."""

MAX_ROWS = 32
"""Most variables whose dependences are probed."""

MIN_ROWS = 4
"""Fewest, however large the table."""

MOST_PROBED = 400_000
"""Values of a table's columns that are probed with one variable each: fewer variables of a large
table, whose probes are precise."""

ALL_TRIPLES = 16
"""Most variables of a discrete table of which each pair is probed given each other variable."""

CONDITIONS = 8
"""Conditions under which the pairs of a larger one are probed, for each variable."""

TINY = 1e-300
"""To divide by where all is 0."""

_ROWS = np.eye(4, dtype=np.int64)
"""Signs that leave one of k_m, n_z, n_xz and n_yz."""


@dataclass(frozen=True)
class Auto(Specification):
    """The default: correlations of normal scores, corrected by neighbours or counts. Symmetric.

    Where all that a question is about is discrete the correction is by a plug-in estimate, less
    what it would be by chance, else by nearest neighbours (`KNN`) of the normal scores. How far to
    go is learned from the table: not at all where correlations explain what is seen. Monotone
    transforms of continuous and ordinal columns change nothing.

    Parameters
    ----------
    n_neighbors : int, default=5
        k of `KNN`.
    nominal_distance : float, default=inf
        Distance between different labels of a nominal column, as in `KNN`.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where to count neighbours, as in `KNN`.

    Examples
    --------
    >>> import numpy as np
    >>> from mrflearn import as_table
    >>> from mrflearn.dependence import Gaussian
    >>> x, noise = np.random.default_rng(0).normal(size=(2, 500))
    >>> table = as_table(np.column_stack([x, x**2 + 0.3 * noise]))
    >>> bool(Auto().bind(table).cmi(0, 1) > 0.5 > 0.1 > Gaussian(copula=True).bind(table).cmi(0, 1))
    True
    """

    learns: ClassVar[bool] = True

    n_neighbors: int = 5
    nominal_distance: float = math.inf
    device: str = "cpu"

    def __post_init__(self) -> None:
        KNN(self.n_neighbors, self.nominal_distance, self.device)

    def bind(self, table: Table, max_memory: int | None = None) -> Dependence:
        """Return the dependence between the variables of `table`."""
        if table.all_discrete:
            return _Counting(table, max_memory)
        return _Neighbouring(table, self, max_memory)

    def bind_alike(
        self, table: Table, dependence: Dependence, max_memory: int | None = None
    ) -> Dependence:
        """Return the dependence of some of the variables of a table, or of others like them."""
        model = innermost(dependence)
        if isinstance(model, _Neighbouring) and not table.all_discrete:
            return _Neighbouring(table, self, max_memory, model)
        counting = model.counting if isinstance(model, _Neighbouring) else model
        if not isinstance(counting, _Counting):
            raise TypeError(f"{type(model).__name__} has learned nothing about such a table")
        return _Counting(table, max_memory, counting)


class _Neighbouring(BatchedDependence):
    """Moves towards the neighbour estimate by a share of the difference, for tables of any kind.

    Questions about discrete variables alone are left to the counts.
    """

    symmetric = True
    divisible = True
    has_null = True

    def __init__(
        self,
        table: Table,
        specification: Auto,
        max_memory: int | None,
        model: _Neighbouring | None = None,
    ) -> None:
        from mrflearn.dependence._bound import CLOSED_SIGNS, psi, reciprocal
        from mrflearn.dependence.devices import counts_on
        from mrflearn.dependence.neighbours import CLOSED, PART, Summary

        super().__init__(table)
        self.grain = 1 + PART // table.n_samples
        self.parametric: Correlations = Correlations(table, model.parametric if model else None)
        self.counts = counts_on(
            specification.device,
            _scored(table),
            specification.n_neighbors,
            specification.nominal_distance,
        )
        digamma, inverse = psi(table.n_samples), reciprocal(table.n_samples)
        by_row = [(signs, inverse) for signs in _ROWS[1:]]
        self.summary = Summary(
            CLOSED, ((CLOSED_SIGNS, digamma), (ROOM_SIGNS, digamma), *by_row), spread=digamma
        )
        self.ends = _ends(table, specification.n_neighbors)
        self.discrete = np.array([is_discrete(table, i) for i in range(table.n_variables)])
        self.tied = np.array([_has_ties(table, i) for i in range(table.n_variables)])
        self.place = np.cumsum(self.discrete) - 1
        self.counting: _Counting | None = None
        labels = table.take(np.flatnonzero(self.discrete)) if self.discrete.sum() > 1 else None
        if model is not None and model.counting is None:
            labels = None
        held = held_memory(table) + 8 * table.values.size
        least = 0 if labels is None else held_memory(labels) + least_memory(labels)
        needed = held + least + self.counts.least_memory
        check_memory(needed, max_memory, f"a question about {table.n_samples} rows")
        share = None if max_memory is None else least + (max_memory - needed) // 4
        if labels is not None:
            self.counting = _Counting(labels, share, model.counting if model else None)
        self.counts.max_memory = max_memory
        self.counts.reserve(held if share is None or labels is None else held + share)
        # Neighbours say less than correlations where they are few, more where there is more to say.
        self.learned: Disagreement = model.learned if model else disagreement(*self._probe())
        self.batched = self.counts.batched and self.learned.any

    def _cmi_batch(self, questions: list[PlainQuestion]) -> list[NDArray[np.float64]]:
        answers = [np.empty(len(candidates)) for _, candidates, _ in questions]
        own: list[tuple[NDArray[np.float64], NDArray[np.bool_], PlainQuestion]] = []
        for answer, question in zip(answers, questions, strict=True):
            for places, owner, part in self._shared_out(*question):
                if owner is self:
                    own.append((answer, places, part))
                else:
                    answer[places] = owner._cmi_many(*part)
        estimates = self._by_neighbours([part for _, _, part in own])
        for (answer, places, _), values in zip(own, estimates, strict=True):
            answer[places] = values
        return answers

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        rows = np.empty((N_ROWS, len(candidates)))
        for places, owner, question in self._shared_out(i, candidates, given):
            answer = self._null_by_neighbours if owner is self else owner._null
            rows[:, places] = answer(*question).rows
        return Null.from_rows(rows)

    def _shared_out(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> Iterator[tuple[NDArray[np.bool_], TableDependence, PlainQuestion]]:
        """Yield which candidates to ask about here, and about which the counts, and what to ask."""
        counted, asked = self._counted(i, candidates, given), np.array(candidates)
        if self.counting is None or not counted.any():
            yield np.ones(len(candidates), dtype=bool), self, (i, candidates, given)
            return
        if not counted.all():
            yield ~counted, self, (i, tuple(asked[~counted].tolist()), given)
        x, *z = self.place[[i, *given]].tolist()
        yield counted, self.counting, (x, tuple(self.place[asked[counted]].tolist()), tuple(z))

    def _by_neighbours(self, questions: list[PlainQuestion]) -> list[NDArray[np.float64]]:
        if not self.learned.any:
            return [self.parametric.estimates(*question) for question in questions]
        return [self._weighed(*four) for four in self._compared(questions)]

    def _null_by_neighbours(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> Null:
        """Return the null of an estimate and a share of what neighbours say more, which is normal.

        It is the difference that does not depend on the estimate: neighbours see the correlation
        that a sample has by chance as well (benchmarks/noise.py). They are heard the more, the
        larger the estimate is: as much as where that is large by chance.
        """
        null = self.parametric.null(i, candidates, given)
        if not self.learned.any:
            return null
        ((_, _, error, _),) = self._compared([(i, candidates, given)])
        share = self.learned.weight(np.zeros_like(error), error)
        large = null.mean + LARGE_BY_CHANCE * null.deviation
        spread = np.where(self._tied(i, candidates, given), 1.0, SPREAD_BY_CHANCE) * error
        more = (self.learned.weight(large, error) - share) * spread
        with_neighbours = Null.from_cumulants(
            null.mean + RECTIFIED[0] * more,
            null.deviation**2 + (share * spread) ** 2 + RECTIFIED[1] * more**2,
            null.skewness * null.deviation**3 + RECTIFIED[2] * more**3,
        )
        return replace(with_neighbours, part=null)

    def _weighed(
        self,
        parametric: NDArray[np.float64],
        difference: NDArray[np.float64],
        error: NDArray[np.float64],
        room: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return estimates by correlations and a share of what neighbours say more."""
        # Two normal variables of a given correlation share least if they are Gaussian, so what
        # correlations see of a pair alone is there. Under conditions, or with ties, that need not
        # be so; there it is by trial that only more is heard.
        misjudged = np.where(difference > 0, parametric, 0.0)
        weight = self.learned.weight(misjudged, error)
        # Near the most that neighbours could say they say too little: only more is heard then.
        near = np.divide(
            NEAR_ROOM * np.maximum(parametric, 0), room, out=np.ones_like(room), where=room > 0
        )
        heard = np.where(difference < 0, 1 - np.minimum(near, 1.0) ** 2, 1.0)
        return parametric + weight * heard * difference

    def _counted(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.bool_]:
        """Return for which candidates all of a question is discrete."""
        return self.discrete[list(candidates)] & self.discrete[[i, *given]].all()

    def _tied(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.bool_]:
        """Return for which candidates something in a question has ties."""
        return self.tied[list(candidates)] | self.tied[[i, *given]].any()

    def _compared(self, questions: list[PlainQuestion]) -> list[tuple[NDArray[np.float64], ...]]:
        """Return for each question four arrays, one value for each candidate.

        The estimate by correlations; how much more neighbours say; the error of that; and the most
        that neighbours could say.
        """
        compared: list[tuple[NDArray[np.float64], ...]] = []
        for question, (values, errors, room) in zip(
            questions, self._neighbour_estimates(questions), strict=True
        ):
            parametric = self.parametric.estimates(*question)
            inflation = np.where(self._tied(*question), INFLATION_TIES, INFLATION_NEIGHBOURS)
            compared.append((parametric, values - parametric, inflation * errors, room))
        return compared

    def _neighbour_estimates(
        self, questions: list[PlainQuestion]
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
        """Return estimates, their standard errors as if samples were independent, and room.

        The room is the most that an estimate could be: the mean of psi(n_z) - psi(k_m).

        A closed ball holds the sample on its boundary. Seen in a space that the ball does not end
        in, that sample is inside, and the one at the centre would have to be counted too for
        estimates to be 0 on average among independent variables: psi(n + 1) is psi(n) + 1/n.
        """
        asked = [((i,), given, candidates) for i, candidates, given in questions]
        found = []
        for (i, candidates, given), summary in zip(
            questions, self.counts.summaries(asked, self.summary), strict=True
        ):
            values, room, by_z, by_xz, by_yz, spreads = summary
            in_x, in_y = self.ends[i], self.ends[list(candidates)]
            anywhere = np.maximum(in_x + in_y + self.ends[list(given)].sum(), TINY)
            excess = ((in_y * by_xz + in_x * by_yz) - (in_x + in_y) * by_z) / anywhere
            found.append((values - excess, spreads / math.sqrt(self.table.n_samples), room))
        return found

    def _probe(self) -> tuple[NDArray[np.float64], ...]:
        """Return how much more neighbours say than correlations, the errors, and what those say.

        Only where they say more.
        """
        found = [np.empty((3, 0))]
        questions = []
        for i, candidates, given in _questions(self.table, self._conditions):
            counted = self._counted(i, candidates, given).tolist()
            asked = tuple(j for j, no in zip(candidates, counted, strict=True) if not no)
            if asked:
                questions.append((i, asked, given))
        for parametric, difference, error, _ in self._compared(questions):
            kept = (error > 0) & (difference > 0)
            found.append(np.array([difference, error, parametric])[:, kept])
        return tuple(np.hstack(found))

    def _conditions(self, _: int, i: int, others: tuple[int, ...]) -> tuple[int, ...]:
        """Return the nearest variable: neighbours take long to count given others."""
        return (others[int(np.argmax(self.parametric.estimates(i, others, ())))],)


class _Counting(TableDependence):
    """Takes the plug-in estimate where cells are many enough, for tables of discrete columns."""

    symmetric = True
    has_null = True

    def __init__(
        self, table: Table, max_memory: int | None, model: _Counting | None = None
    ) -> None:
        super().__init__(table)
        self.parametric: Correlations = Correlations(table, model.parametric if model else None)
        held = held_memory(table)
        check_memory(held + least_memory(table), max_memory, f"counting {table.values.size} values")
        self.plug_in = PlugIn().bind(table, None if max_memory is None else max_memory - held)
        self.grain = self.plug_in.grain
        self.per_degree = 1 / (2 * table.n_samples)
        self.learned: Disagreement = model.learned if model else disagreement(*self._probe())

    def _cmi_many(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> NDArray[np.float64]:
        parametric, counted, degrees, error = self._estimates(i, candidates, given)
        trust = np.where(error > 0, self.learned.weight(parametric / CAUTION, error), 0.0)
        less = LOWERED * self.per_degree
        parametric = parametric - less * self.parametric.degrees(i, candidates)
        counted = counted - less * degrees
        values = trust * counted + (1 - trust) * np.maximum(parametric, counted)
        # Alone, two variables have no more cells than correlations: counts say all there is.
        return values if given else np.where(error > 0, values, counted)

    def _null(self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]) -> Null:
        """Return the null of G + max(R, t R), if R, what counts say more, is independent of G.

        Both are chi-square variables less their means and lowered, as in `_cmi_many`.
        """
        parametric, _, degrees, error = self._estimates(i, candidates, given)
        trust = np.where(error > 0, self.learned.weight(parametric / CAUTION, error), 0.0)
        few = self.parametric.degrees(i, candidates)
        counts = self.per_degree * (1 + self.plug_in.excess(i, candidates, given))
        # Alone, and with no more cells than correlations, the estimate is by counts.
        scale = np.where((error > 0) | bool(given), self.per_degree, counts)
        first = Null.chi_square(few, scale)
        lowered = (1 + LOWERED) * self.per_degree
        more = rectified_cumulants(np.maximum(degrees - few, 0.0), lowered / counts, trust, counts)
        return Null.from_cumulants(
            first.mean - lowered * few + more[0],
            first.deviation**2 + more[1],
            first.skewness * first.deviation**3 + more[2],
        )

    def _estimates(
        self, i: int, candidates: tuple[int, ...], given: tuple[int, ...]
    ) -> tuple[NDArray[np.float64], ...]:
        """Return four arrays, one value for each candidate.

        The estimate by correlations; that by counts, less its expected bias; its degrees of
        freedom; and its error, 0 where it has no more of them than the correlations.
        """
        values, expected, degrees = self.plug_in.estimates_and_chance(i, candidates, given)
        more = np.maximum(degrees - self.parametric.degrees(i, candidates), 0.0)
        error = INFLATION_COUNTS * np.sqrt(2 * more)
        parametric = self.parametric.estimates(i, candidates, given)
        return parametric, values - expected, degrees, self.per_degree * error

    def _probe(self) -> tuple[NDArray[np.float64], ...]:
        """Return how much more counts say than correlations, the errors, and what those say."""
        found = [np.empty((3, 0))]
        for i, candidates, given in _questions(self.table, self._conditions):
            parametric, counted, _, error = self._estimates(i, candidates, given)
            found.append(np.array([counted - parametric, error, parametric])[:, error > 0])
        return tuple(np.hstack(found))

    def _conditions(self, position: int, _: int, others: tuple[int, ...]) -> tuple[int, ...]:
        """Return all other variables, or some of many, other ones for each variable."""
        n_varying = len(others) + 1
        step = 1 if n_varying <= ALL_TRIPLES else -(-n_varying // CONDITIONS)
        return others[position % step :: step]


def _questions(
    table: Table, conditions: Callable[[int, int, tuple[int, ...]], tuple[int, ...]]
) -> Iterator[PlainQuestion]:
    """Yield probes: each pair once, and the pairs of each variable given one of its conditions.

    Variables are evenly spread if there are many; `conditions` is asked with the position of one
    among them, the variable and the others.
    """
    varying = worth_learning_from(table).tolist()
    worth = MOST_PROBED // max(table.n_samples * len(varying), 1)
    n_rows = min(len(varying), MAX_ROWS, max(worth, MIN_ROWS))
    rows = [varying[len(varying) * row // n_rows] for row in range(n_rows)]
    for position, i in enumerate(rows):
        others = tuple(j for j in varying if j != i)
        new = tuple(j for j in others if j not in rows[:position])
        if new:
            yield i, new, ()
        if len(others) > 1:
            for k in conditions(position, i, others):
                yield i, tuple(j for j in others if j != k), (k,)


def _scored(table: Table) -> Table:
    """Return the table with normal scores for the values of continuous and ordinal columns."""
    values = table.values.copy()
    values[~table.nominal] = normal_scores(values[~table.nominal])
    values.flags.writeable = False
    return replace(table, values=values)


def _ends(table: Table, n_neighbors: int) -> NDArray[np.float64]:
    """Return in how many columns of each variable a ball of neighbours may end.

    Labels are the same or not, so no ball ends in them. Nor does it in a column of few levels, if
    each holds more samples than a ball is wide, about the root of k N.
    """
    ends = np.zeros(table.n_variables)
    for i in range(table.n_variables):
        for column in table.columns_of(i):
            if column.kind != "nominal":
                ends[i] += min(n_neighbors * column.n_distinct**2 / (2 * table.n_samples), 1.0)
    return ends


def _has_ties(table: Table, i: int) -> bool:
    return any(column.kind != "continuous" for column in table.columns_of(i))
