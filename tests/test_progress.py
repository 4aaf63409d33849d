"""How far work has come: counts, and what each method tells about itself."""

from itertools import groupby

import numpy as np
import pytest

from mrflearn import learn, stability
from mrflearn._progress import Count, answered, listening, tracked, unheard
from mrflearn.dependence import KNN, Gaussian
from mrflearn.estimators import ESTIMATORS, SearchEstimator
from mrflearn.selection.options import EBIC, FalseDiscoveryRate, Heldout, Stars
from mrflearn.table import as_table

BINARY = {"jose", "nodewise-logistic"}
SEARCHES = [name for name, cls in ESTIMATORS.items() if issubclass(cls, SearchEstimator)]
PARAMETRIC = [name for name in ESTIMATORS if name not in SEARCHES]
NODEWISE = {"iamb", "gsmn", "greedy-entropy"}

FEW_PARTS = (Stars(n_subsamples=2), Heldout(n_folds=2))
SELECTIONS = [
    *((name, FalseDiscoveryRate()) for name in SEARCHES),
    *((name, EBIC()) for name in PARAMETRIC),
    *((name, way) for name in ("gsmple", "glasso") for way in FEW_PARTS),
]


def _table(name):
    """Return a chain of six columns that suits a method."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    for j in range(1, 6):
        X[:, j] += X[:, j - 1]
    return (X > 0).astype(int) if name in BINARY else X


def _options(name, **options):
    if name in SEARCHES:
        options["dependence"] = "gaussian"
    return options


def _heard(work):
    """Return what a listener hears while work is done."""
    reports = []
    with listening(lambda *report: reports.append(report)):
        work()
    return reports


def _runs(reports):
    """Return (phase, [(done, expected), ...]) for each time that a phase begins."""
    runs, of_phase = [], {}
    for phase, done, expected in reports:
        if done == 0:
            of_phase[phase] = []
            runs.append((phase, of_phase[phase]))
        of_phase[phase].append((done, expected))
    return runs


def _check(reports):
    """Check that each phase goes forward to its end; return phases in the order they began."""
    runs = _runs(reports)
    for phase, counts in runs:
        done = [count[0] for count in counts]
        assert done == sorted(done), (phase, counts)
        shares = [count / max(expected, 1) for count, expected in counts]
        assert shares == sorted(shares), (phase, counts)
        assert counts[-1][0] == counts[-1][1], (phase, counts)
    return [phase for phase, _ in groupby(runs, key=lambda run: run[0])]


@pytest.mark.parametrize(("name", "way"), SELECTIONS, ids=str)
def test_each_way_of_choosing_tells_how_far_it_is(name, way):
    estimator = ESTIMATORS[name](lam="auto", selection=way, **_options(name))
    phases = _check(_heard(lambda: estimator.fit(_table(name))))
    if name == "gsmple":
        wanted = {"Comparing pairs", "Growing", "Shrinking"}
    elif name in NODEWISE:
        wanted = {"Comparing pairs", "Learning neighbourhoods"}
    elif name in SEARCHES:
        wanted = {"Comparing pairs"}
    else:
        wanted = {"Fitting along lambda"}
    assert wanted | {"Choosing lambda"} <= set(phases)
    assert phases.count("Choosing lambda") == 1  # what parts of the table tell is not heard


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_given_lambda_tells_too(name):
    estimator = ESTIMATORS[name](lam=0.1, **_options(name))
    assert _check(_heard(lambda: estimator.fit(_table(name))))


@pytest.mark.parametrize(("executor", "least"), [("serial", 4), ("threads", 4), ("processes", 3)])
def test_pairs_are_counted_as_they_are_compared(executor, least):
    estimator = ESTIMATORS["chow-liu"](dependence=KNN(), executor=executor, n_jobs=2, lam=0.0)
    ((_, counts),) = [
        run
        for run in _runs(_heard(lambda: estimator.fit(_table("chow-liu"))))
        if run[0] == "Comparing pairs"
    ]
    assert counts[0] == (0, 15)
    assert counts[-1] == (15, 15)
    assert len(counts) >= least


@pytest.mark.parametrize("refine", [None, "auto", "alternate", "pairs"])
def test_growing_shrinking_and_refining_are_phases(refine):
    estimator = ESTIMATORS["gsmple"](dependence="gaussian", refine=refine)
    reports = _heard(lambda: estimator.path(_table("gsmple"), [0.3, 0.01, 0.001]))
    phases = _check(reports)
    refining = [] if refine is None else ["Refining"]
    assert phases == ["Comparing pairs", "Growing", "Shrinking", *refining]
    grown = [count for phase, count, _ in reports if phase == "Growing"]
    assert grown == list(range(len(grown)))
    assert len(grown) > 5


@pytest.mark.parametrize("name", sorted(NODEWISE))
def test_one_blanket_tells_how_far_it_is(name):
    estimator = ESTIMATORS[name](dependence="gaussian")
    phases = _check(_heard(lambda: estimator.markov_blanket(_table(name), 2)))
    assert {"Growing", "Searching along lambda"} & set(phases)
    assert "Choosing lambda" in phases


def test_shuffles_are_counted_while_lambda_is_chosen():
    estimator = ESTIMATORS["gsmple"](
        dependence=KNN(), selection=FalseDiscoveryRate(n_shuffles=3), refine=None
    )
    reports = _heard(lambda: estimator.fit(_table("gsmple")))
    _check(reports)
    for phase in ("Measuring chance", "Choosing lambda"):
        assert len({done for name, done, _ in reports if name == phase}) > 4


def test_edges_and_subsamples_are_counted():
    reports = _heard(
        lambda: learn(_table("gsmple"), dependence="gaussian", n_subsamples=4, n_jobs=2, quiet=True)
    )
    phases = _check(reports)
    assert phases[-2:] == ["Testing edges", "Checking stability"]
    assert ("Testing edges", 1, 5) in reports
    assert [r[1:] for r in reports if r[0] == "Checking stability"] == [(n, 4) for n in range(5)]


def test_stability_tells_of_subsamples_alone():
    reports = _heard(
        lambda: stability(
            _table("gsmple"), dependence="gaussian", n_subsamples=3, n_jobs=1, quiet=True
        )
    )
    assert _check(reports) == ["Checking stability"]


@pytest.mark.parametrize("name", ["gsmple", "iamb", "glasso"])
def test_results_do_not_depend_on_a_listener(name):
    found = []

    def work():
        found.append(ESTIMATORS[name](**_options(name)).fit(_table(name)))

    work()
    _heard(work)
    assert found[0].graph_ == found[1].graph_
    assert found[0].path_ == found[1].path_
    assert repr(found[0].choice_) == repr(found[1].choice_)  # NaN where it did not look


def test_a_batch_counts_each_answer_once():
    dependence = Gaussian().bind(as_table(_table("gsmple")))
    count = None

    def work():
        nonlocal count
        count = Count("Asking", 1000)
        with count.shared(500, answers=1000):
            dependence.cmi_batch([(0, [1, 2]), (1, [2, 3, 4])])
            assert count.done == 2  # five answers, of which two take one part

    reports = _heard(work)
    assert count.done == 500
    assert reports[-1] == ("Asking", 500, 1000)


def test_more_answers_than_expected_do_no_harm():
    def work():
        with Count("Asking", 3).shared():
            answered(2)
            answered(5)

    assert _heard(work) == [("Asking", 0, 3), ("Asking", 2, 3), ("Asking", 3, 3)]


def test_the_share_done_never_falls_though_more_is_left():
    def work():
        count = Count("Growing", 10)
        for left in (7, 9, 20, 1, 3, 2, 0):
            count.advance(left=left)

    _check(_heard(work))


def test_reports_are_few_however_many_parts():
    def work():
        for _ in tracked("Counting", range(100_000)):
            pass

    reports = _heard(work)
    _check(reports)
    assert len(reports) <= 202


def test_phases_within_a_part_are_unheard_and_their_answers_count():
    def work():
        with Count("Outside", 4).shared(), unheard():
            with Count("Inside", 2).shared():
                answered(1)
            list(tracked("Inside", [1]))

    assert _heard(work) == [("Outside", 0, 4), ("Outside", 1, 4), ("Outside", 4, 4)]
