"""How long one fit takes with many workers: a model from measured parts, checked by real runs.

The parts, measured on one core: seconds for a value alone and given others, for the search beside
them, and for sending a piece of work. The model:

- comparing pairs takes D (D - 1) / 2 values, which workers share evenly, or as long as it takes to
  send their pieces, whichever is longer;
- growing and shrinking take rounds of one step and those foreseen: as many as keep all workers busy
  for a piece each, at most 32, of which a measured share is used;
- what the search does itself is not shared.

Candidates are the 20 nearest, so that a step takes the same in tables of any width. Edges are taken
to be as many for each variable as in this graph, a tree.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from _measure import describe_machine, print_table
from executors import overheads
from wide import random_tree

from mrflearn import GSMPLE
from mrflearn.dependence import Dependence, resolve
from mrflearn.dependence.memo import Memo
from mrflearn.dependence.remote import PIECE, WORTHWHILE
from mrflearn.search import gs_mple, screen
from mrflearn.search.base import FREE, Constraints
from mrflearn.table import as_table
from mrflearn.work import Executor, Serial
from mrflearn.work.on_dask import OnDask
from mrflearn.work.processes import Processes

ROWS, LAM, N_NEAREST = 1000, 0.12, 20
CORES = (1, 10, 100, 1000)


class Timed(Dependence):
    """The same dependence, which knows how long it worked: on pairs alone, and given others."""

    def __init__(self, inner: Dependence) -> None:
        self.inner, self.n_variables, self.symmetric = inner, inner.n_variables, inner.symmetric
        self.seconds, self.n_values = [0.0, 0.0], [0, 0]

    def _cmi_many(self, i, candidates, given):
        begun = time.perf_counter()
        answer = self.inner.cmi_many(i, candidates, given)
        self.seconds[bool(given)] += time.perf_counter() - begun
        self.n_values[bool(given)] += len(candidates)
        return answer


@dataclass
class Parts:
    """What a fit is made of, in seconds."""

    alone: float  # for what a pair shares
    given: float  # for what it shares given others
    beside_pair: float  # of the search itself, for a pair
    beside: float  # and for a value given others
    place: float  # looking for the largest score, for each
    n_candidates: float  # of a variable
    n_asked: float  # values for a step
    n_steps: float  # for a variable
    total: float  # all of it
    used: float = 0.0  # share of what is answered ahead that is asked for later

    def predict(self, n_variables: int, n_workers: int, sending: float) -> float:
        """Return the seconds of a fit, where sending a piece of work takes so many."""
        n_pairs, n_steps = n_variables * (n_variables - 1) / 2, self.n_steps * n_variables
        own = n_pairs * self.beside_pair + n_steps * self.n_asked * self.beside
        own += n_steps * n_variables * self.n_candidates * self.place
        step = self.n_asked * self.given
        if n_workers == 1:
            return own + n_pairs * self.alone + n_steps * step
        piece = max(PIECE, (WORTHWHILE + n_workers) * sending)
        compared = n_pairs * self.alone
        compared = max(compared / n_workers, compared / piece * sending)
        ahead = max(0.0, min(gs_mple.LOOK_AHEAD, n_workers * piece / step - 1))
        work = step * (1 + ahead)
        n_pieces = min(n_workers, max(1.0, work / (WORTHWHILE * sending)))
        n_rounds = n_steps / (1 + self.used * ahead)
        return own + compared + n_rounds * (work / n_pieces + n_pieces * sending)


def measure_parts(dependence: str, n_variables: int, n_nearest: int) -> Parts:
    """Return the parts of a fit on one core."""
    table = as_table(random_tree(ROWS, n_variables))
    timed = Timed(resolve(dependence).bind(table))
    memo = Memo(timed)
    begun = time.perf_counter()
    among = screen.among_nearest(memo, n_nearest, FREE)
    compared = time.perf_counter() - begun
    found = gs_mple.run(memo, LAM, Constraints(among=among))
    total = time.perf_counter() - begun
    n_places = sum(map(len, among))
    scores = np.random.default_rng(0).random(n_places)
    begun = time.perf_counter()
    for _ in range(100):
        np.argmax(scores)
    place = (time.perf_counter() - begun) / 100 / n_places
    n_pairs, n_given = timed.n_values
    n_steps = len(found.trace)
    rest = total - compared - timed.seconds[1] - n_steps * n_places * place
    return Parts(
        alone=timed.seconds[0] / n_pairs,
        given=timed.seconds[1] / n_given,
        beside_pair=(compared - timed.seconds[0]) / n_pairs,
        beside=max(rest, 0.0) / n_given,
        place=place,
        n_candidates=n_places / n_variables,
        n_asked=n_given / n_steps,
        n_steps=n_steps / n_variables,
        total=total,
    )


def check(dependence: str, n_variables: int, n_nearest: int, workers: list[int]) -> Parts:
    """Print what the model predicts for some workers, and how long they take."""
    GSMPLE(0.1, dependence=dependence).fit(random_tree(60, 4))  # compiles
    parts = measure_parts(dependence, n_variables, n_nearest)
    columns = random_tree(ROWS, n_variables)
    rows, sent = [], []
    for n_workers in workers:
        executor: Executor = Serial() if n_workers == 1 else Processes(n_workers)
        if n_workers > 1:
            ((_, sending),) = overheads({"processes": executor})
            sent.append(sending / 1e3)
            GSMPLE(0.1, dependence=dependence, executor=executor).fit(random_tree(60, 4))
        begun = time.perf_counter()
        found = GSMPLE(LAM, dependence=dependence, screen=n_nearest, executor=executor).fit(columns)
        taken = time.perf_counter() - begun
        if found.n_ahead_:
            parts.used = found.n_foreseen_ / found.n_ahead_
        rows.append([n_workers, taken, found.n_ahead_, found.n_foreseen_])
    for row in rows:
        row.insert(1, parts.predict(n_variables, row[0], max(sent, default=0.0)))
        row.insert(3, row[1] / row[2])
        row.append(rows[0][2] / row[2])
    title = f"{dependence}, {n_variables} variables, {n_nearest} nearest, {ROWS} rows"
    heads = ["processes", "predicted, s", "measured, s", "ratio", "answered ahead", "asked for"]
    print_table(title, [*heads, "times faster"], rows)
    print(
        f"a pair {1e6 * parts.alone:.1f} us and {1e6 * parts.beside_pair:.2f} beside it; a value "
        f"given others {1e6 * parts.given:.1f} and {1e6 * parts.beside:.2f}; "
        f"{parts.n_asked:.0f} values a step, {parts.n_steps:.2f} steps a variable; "
        f"{1e3 * max(sent, default=0.0):.2f} ms to send a piece"
    )
    return parts


def foretell(dependence: str, n_nearest: int, parts: Parts) -> None:
    """Print what the model says of up to 100,000 variables and 1,000 cores of a Dask cluster."""
    sending = OnDask.overhead
    rows = []
    for n_variables in (1_000, 10_000, 100_000):
        taken = [parts.predict(n_variables, cores, sending) / 3600 for cores in CORES]
        rows.append([n_variables, *taken])
    print_table(
        f"Hours, {dependence}, {n_nearest} nearest, {ROWS} rows", ["D", *map(str, CORES)], rows
    )


def main() -> None:
    """Print what was measured and what is foretold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--variables", type=int, default=200)
    parser.add_argument("--dependences", nargs="+", default=["knn", "gaussian"])
    options = parser.parse_args()
    print(describe_machine(), flush=True)
    for dependence in options.dependences:
        n_variables = options.variables * (5 if dependence == "gaussian" else 1)
        parts = check(dependence, n_variables, N_NEAREST, options.workers)
        foretell(dependence, N_NEAREST, parts)


if __name__ == "__main__":
    main()
