"""Bounds on memory are read, kept, or refused with the amount that is needed."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mrflearn import GSMPLE
from mrflearn._memory import as_bytes, as_text
from mrflearn.dependence import KNN, FrenzelPompe, Gaussian, MixedKSG, PlugIn, Sieve, neighbours
from mrflearn.errors import InputError
from mrflearn.table import as_table


@pytest.mark.parametrize(
    ("amount", "n_bytes"),
    [
        (None, None),
        (4096, 4096),
        (np.int64(5), 5),
        (1e6, 1_000_000),
        ("512", 512),
        ("3 kb", 3072),
        ("1.5GiB", 3 * 2**29),
        (" 2 M ", 2**21),
    ],
)
def test_amounts_are_bytes_or_text_with_a_unit(amount, n_bytes):
    assert as_bytes(amount) == n_bytes


@pytest.mark.parametrize("amount", ["much", "", "-1 MB", -1, 0, float("nan"), True, [], "5 XB"])
def test_other_amounts_are_refused_with_an_example(amount):
    with pytest.raises(InputError, match="such as '500 MB'"):
        as_bytes(amount)


@pytest.mark.parametrize("n_bytes", [1, 1023, 1024, 5000, 2**20 - 1, 123_456_789, 2**50])
def test_shown_amounts_are_not_less_and_can_be_read_again(n_bytes):
    again = as_bytes(as_text(n_bytes).replace(" bytes", ""))
    assert n_bytes <= again <= 1.11 * n_bytes + 1


@pytest.mark.parametrize("specification", [KNN(), FrenzelPompe(), MixedKSG()])
def test_a_bound_changes_portions_but_no_answer(specification):
    table = as_table(np.random.default_rng(0).normal(size=(700, 26)))
    free = specification.bind(table)
    bound = specification.bind(table, max_memory=1_000_000)
    for given in ((), (1,), (1, 2, 3)):
        candidates = range(4, 26)
        n_portions = [
            len(list(counts.count([0], given, candidates, neighbours.CLOSED)))
            for counts in (free.counts, bound.counts)
        ]
        assert n_portions[0] == 1 < n_portions[1]
        np.testing.assert_array_equal(
            free.cmi_many(0, candidates, given), bound.cmi_many(0, candidates, given)
        )


def test_a_bound_on_what_counts_are_kept_changes_no_answer():
    table = as_table(np.random.default_rng(0).integers(3, size=(200, 12)))
    free, bound = PlugIn().bind(table), PlugIn().bind(table, max_memory=10 * 200 * 16 + 600)
    for i in range(12):
        others = [j for j in range(12) if j not in (i, (i + 1) % 12)]
        given = [(i + 1) % 12]
        np.testing.assert_array_equal(
            free.cmi_many(i, others, given), bound.cmi_many(i, others, given)
        )
    assert len(bound._kept) < len(free._kept)


@pytest.mark.parametrize(
    "specification",
    [KNN(), FrenzelPompe(), MixedKSG(), PlugIn(), Gaussian(), Gaussian(copula=True), Sieve()],
)
def test_a_bound_that_cannot_be_kept_is_refused_with_the_amount(specification):
    table = as_table(np.random.default_rng(0).integers(3, size=(1000, 4)))
    with pytest.raises(InputError, match=r"max_memory=1 KB is too little: .* at least \d") as error:
        specification.bind(table, max_memory=1024)
    needed = str(error.value).split("at least ")[1].split(" beside")[0]
    specification.bind(table, max_memory=as_bytes(needed))  # the amount named is enough


def test_a_bound_changes_no_answer_of_the_default():
    """Two columns that a product explains, among more than the bound has room for."""
    values = np.random.default_rng(0).normal(size=(400, 26))
    values[:, 2:4] = (values[:, 0] * values[:, 1])[:, None] + 0.3 * values[:, 2:4]
    table = as_table(values)
    with pytest.raises(InputError, match="at least") as error:
        Sieve().bind(table, max_memory=1024)
    needed = as_bytes(str(error.value).split("at least ")[1].split(" beside")[0])
    free = Sieve().bind(table)
    for max_memory in (needed, 4 * needed):
        bound = Sieve().bind(table, max_memory=max_memory)
        for i, given in ((2, ()), (2, (0, 1)), (4, (0, 2))):
            others = [j for j in range(26) if j not in (i, *given)]
            np.testing.assert_array_equal(
                bound.cmi_many(i, others, given), free.cmi_many(i, others, given)
            )


@pytest.mark.parametrize("n_labels", [0, 1, 4])
def test_the_default_counts_all_that_it_holds(n_labels):
    """A covariance matrix of the features, and what is asked of it."""
    rng = np.random.default_rng(1)
    columns = {f"x{c}": rng.normal(size=390) for c in range(6)}
    columns |= {f"g{c}": rng.choice(list("abcde"), size=390) for c in range(n_labels)}
    table = as_table(pd.DataFrame(columns))
    with pytest.raises(InputError, match="at least") as error:
        Sieve().bind(table, max_memory=1024)
    needed = as_bytes(str(error.value).split("at least ")[1].split(" beside")[0])
    bound, free = Sieve().bind(table, max_memory=needed), Sieve().bind(table)
    for given in ((), (1,), (1, 2)):
        others = range(3, table.n_variables)
        np.testing.assert_array_equal(
            bound.cmi_many(0, others, given), free.cmi_many(0, others, given)
        )
    assert needed >= 3 * 8 * free.features.n_features**2


def test_threads_share_the_bound():
    X = np.random.default_rng(0).normal(size=(300, 4))
    free = GSMPLE(0.2).fit(X)
    assert GSMPLE(0.2, n_jobs=2, max_memory="8 MB").fit(X).graph_ == free.graph_
    GSMPLE(0.2, max_memory="2 MB").fit(X)
    with pytest.raises(
        InputError, match="with 2 workers one question may take 512 KB of max_memory=2 MB"
    ):
        GSMPLE(0.2, n_jobs=2, max_memory="2 MB").fit(X)


def test_a_specification_of_a_user_need_not_know_about_memory():
    class Own(KNN):
        def bind(self, table):
            return KNN().bind(table)

    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    GSMPLE(dependence=Own()).fit(frame)


def test_a_condition_too_large_for_the_bound_is_refused():
    table = as_table(np.random.default_rng(0).normal(size=(600, 60)))
    needed = KNN().bind(table).counts.least_memory
    bound = KNN().bind(table, max_memory=needed)
    bound.cmi_many(0, [1, 2], [3, 4])
    with pytest.raises(InputError, match="a question about 600 rows takes at least"):
        bound.cmi_many(0, range(1, 9), range(10, 60))


PEAK = """
import sys, numpy as np
from mrflearn.dependence import KNN, MixedKSG
from mrflearn.table import as_table

n_samples, n_variables, n_given, bound, kind = (int(a) for a in sys.argv[1:])
def peak():
    return next(int(l.split()[1]) for l in open("/proc/self/status") if l.startswith("VmHWM"))
rng = np.random.default_rng(0)
specification = (KNN(), MixedKSG())[kind]
given = range(1, 1 + n_given)
for n in (40, 1100):  # compile
    small = specification.bind(as_table(rng.normal(size=(n, n_given + 14))))
    small.cmi_many(0, range(1 + n_given, n_given + 14), given)
table = as_table(rng.normal(size=(n_samples, n_variables)))
dependence = specification.bind(table, bound)
before = peak()
dependence.cmi_many(0, range(1 + n_given, n_variables), given)
print(1024 * (peak() - before))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("n_given", [0, 1, 3])
@pytest.mark.parametrize("kind", [0, 1], ids=["knn", "mixed-ksg"])
def test_what_is_used_keeps_to_the_bound(n_given, kind):
    """The most that a process ever held, beyond what it held before; with room to breathe."""
    bound = 40 * 2**20
    arguments = [str(a) for a in (20_000, 50, n_given, bound, kind)]
    environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "0", "MALLOC_MMAP_THRESHOLD_": "65536"}
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *arguments], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) <= 1.05 * bound
