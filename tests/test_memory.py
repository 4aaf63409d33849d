"""Bounds on memory are read, kept, or refused with the amount that is needed."""

import numpy as np
import pandas as pd
import pytest

from mrflearn import GSMPLE
from mrflearn._memory import as_bytes, as_text
from mrflearn.dependence import KNN, FrenzelPompe, Gaussian, MixedKSG, PlugIn, neighbours
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
    bound = specification.bind(table, max_memory=600_000)
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
    [KNN(), FrenzelPompe(), MixedKSG(), PlugIn(), Gaussian(), Gaussian(copula=True)],
)
def test_a_bound_that_cannot_be_kept_is_refused_with_the_amount(specification):
    table = as_table(np.random.default_rng(0).integers(3, size=(1000, 4)))
    with pytest.raises(InputError, match=r"max_memory=1 KB is too little: .* at least \d") as error:
        specification.bind(table, max_memory=1024)
    needed = str(error.value).split("at least ")[1].split(" beside")[0]
    specification.bind(table, max_memory=as_bytes(needed))  # the amount named is enough


def test_threads_share_the_bound():
    X = np.random.default_rng(0).normal(size=(300, 4))
    free = GSMPLE(0.2).fit(X)
    assert GSMPLE(0.2, n_jobs=2, max_memory="1 MB").fit(X).graph_ == free.graph_
    GSMPLE(0.2, max_memory="300 KB").fit(X)
    with pytest.raises(InputError, match="each of 2 threads has 150 KB of max_memory=300 KB"):
        GSMPLE(0.2, n_jobs=2, max_memory="300 KB").fit(X)


def test_a_specification_of_a_user_need_not_know_about_memory():
    class Own(KNN):
        def bind(self, table):
            return KNN().bind(table)

    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    GSMPLE(dependence=Own()).fit(frame)
