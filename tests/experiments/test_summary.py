"""Areas and intervals on results small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest

from mrflearn.errors import InputError
from mrflearn.experiments.claims import FAILS, HOLDS, UNDECIDED, Claim, Evidence, paper_claims
from mrflearn.experiments.summary import Interval, Standing, Standings, areas_under_roc, standings
from mrflearn.metrics import RocCurve, area_under_roc


def _rows(world, method, run, counts):
    """Rows of a world with four pairs, two of them edges; `counts` are (tp, fp) at each lambda."""
    return pd.DataFrame(
        {
            "world": world,
            "n_samples": 50,
            "run": run,
            "method": method,
            "lam": [0.2, 0.1][: len(counts)],
            "tp": [tp for tp, _ in counts],
            "fp": [fp for _, fp in counts],
            "fn": [2 - tp for tp, _ in counts],
            "tn": [2 - fp for _, fp in counts],
            "seconds": 0.5 + run,
        }
    )


RESULTS = pd.concat(
    [
        _rows("w", "A", 0, [(1, 0), (2, 1)]),  # (0, .5), (.5, 1): area 0.875
        _rows("w", "B", 0, [(0, 1), (1, 2)]),  # (.5, 0), (1, .5): area 0.125
        _rows("w", "A", 1, [(2, 0), (2, 2)]),  # (0, 1), (1, 1): area 1
        _rows("w", "B", 1, [(1, 1), (2, 2)]),  # (.5, .5), (1, 1): area 0.5
    ],
    ignore_index=True,
)


def test_areas_by_hand():
    found = standings(RESULTS, n_resamples=200)
    first = found.of("w", "A")
    # Mean points: (0, 0.75) and (0.75, 1): 0.75 * 0.875 + 0.25.
    np.testing.assert_allclose(first.curve.fpr, [0, 0.75])
    np.testing.assert_allclose(first.curve.tpr, [0.75, 1])
    assert first.area == pytest.approx(0.90625)
    assert first.mean_area == pytest.approx((0.875 + 1) / 2)
    assert first.seconds == 1.0
    second = found.of("w", "B")
    # Mean points: (0.5, 0.25) and (1, 0.75): 0.5 * 0.125 + 0.5 * 0.5, and a vertical line.
    assert second.area == pytest.approx(0.3125)
    assert second.mean_area == pytest.approx(0.3125)


def test_differences_are_paired_by_run():
    found = standings(RESULTS, n_resamples=500)
    lead = found.lead("w", "A", "B")
    assert lead.value == pytest.approx(0.90625 - 0.3125)
    # Resamples hold run 0 twice, run 1 twice, or one of each.
    assert lead.low == pytest.approx(min(0.75, 0.5, 0.59375))
    assert lead.high == pytest.approx(0.75)
    (row,) = found.differences("A").to_dict("records")
    assert row["rival"] == "B"
    assert row["lead"] == pytest.approx(lead.value)
    assert row["mean_lead"] == pytest.approx((0.75 + 0.5) / 2)


def test_intervals_are_those_of_the_resampled_means():
    rng = np.random.default_rng(0)
    tp = rng.integers(0, 3, size=60)
    rows = pd.concat([_rows("w", "A", run, [(k, 0)]) for run, k in enumerate(tp)])
    interval = standings(rows, n_resamples=4000).of("w", "A").mean_interval
    areas = 0.5 + tp / 4
    spread = 1.96 * areas.std() / np.sqrt(60)
    assert interval.value == pytest.approx(areas.mean())
    assert interval.high - interval.value == pytest.approx(spread, rel=0.15)
    assert interval.value - interval.low == pytest.approx(spread, rel=0.15)


def test_tables_have_a_row_for_each_method():
    areas = standings(RESULTS, n_resamples=50).areas()
    assert areas["method"].tolist() == ["A", "B"]
    assert {"area", "area_low", "area_high", "mean_area", "mean_area_low"} <= set(areas.columns)
    again = standings(RESULTS, n_resamples=50).areas()
    pd.testing.assert_frame_equal(areas, again)


def test_areas_of_many_curves_are_those_of_each():
    rng = np.random.default_rng(1)
    fpr, tpr = rng.integers(0, 5, size=(2, 40, 7)) / 4
    each = [area_under_roc(x, y) for x, y in zip(fpr, tpr, strict=True)]
    np.testing.assert_allclose(areas_under_roc(fpr, tpr), each, atol=1e-12)


def test_unknown_worlds_and_methods_are_named():
    found = standings(RESULTS, n_resamples=10)
    with pytest.raises(InputError, match="unknown world 'v'"):
        found.of("v", "A")
    with pytest.raises(InputError, match="unknown method 'C'"):
        found.of("w", "C")


def test_worlds_with_too_few_runs_are_named():
    with pytest.raises(InputError, match="world 'v' has fewer runs"):
        standings(pd.concat([RESULTS, _rows("v", "A", 0, [(1, 0)])]))


def _standings(areas):
    """Standings with given areas, all certain to within 0.01."""
    noise = np.linspace(-0.005, 0.005, 101)
    curve = RocCurve([1.0], [0.0], [0.0])
    places = {
        (world, 100): {
            method: Standing(curve, area, area, area + shift * noise, area + shift * noise, 1.0)
            for shift, (method, area) in enumerate(methods.items(), start=-1)
        }
        for world, methods in areas.items()
    }
    return Standings(places, 100)


AS_THE_PAPER_SAYS = {
    "ising": {"GS-MPLE": 0.8, "GSMN": 0.8, "IAMB": 0.8, "JOSE": 0.95},
    "hmm-discrete": {"GS-MPLE": 0.8, "GSMN": 0.79, "IAMB": 0.81, "JOSE": 0.6},
    "gaussian": {"GS-MPLE": 0.8, "GSMN": 0.8, "IAMB": 0.8, "GLASSO": 0.95, "SKEPTIC": 0.94},
    "hmm-continuous": {"GS-MPLE": 0.9, "GSMN": 0.8, "IAMB": 0.8, "GLASSO": 0.7, "SKEPTIC": 0.7},
}


def test_claims_hold_where_the_areas_say_so():
    claims = paper_claims(_standings(AS_THE_PAPER_SAYS))
    assert [claim.verdict for claim in claims] == [HOLDS] * 4


@pytest.mark.parametrize(
    ("world", "method", "area", "verdicts"),
    [
        ("ising", "GSMN", 0.99, [FAILS, HOLDS, HOLDS, HOLDS]),
        ("gaussian", "SKEPTIC", 0.8, [UNDECIDED, HOLDS, HOLDS, HOLDS]),
        ("hmm-discrete", "JOSE", 0.85, [HOLDS, FAILS, HOLDS, HOLDS]),
        ("hmm-continuous", "IAMB", 0.95, [HOLDS, HOLDS, FAILS, HOLDS]),
        ("hmm-continuous", "IAMB", 0.9, [HOLDS, HOLDS, UNDECIDED, HOLDS]),
        ("hmm-discrete", "IAMB", 0.9, [HOLDS, HOLDS, HOLDS, FAILS]),
        ("hmm-discrete", "IAMB", 0.851, [HOLDS, HOLDS, HOLDS, FAILS]),
    ],
)
def test_a_claim_falls_with_its_areas(world, method, area, verdicts):
    areas = {name: dict(methods) for name, methods in AS_THE_PAPER_SAYS.items()}
    areas[world][method] = area
    assert [claim.verdict for claim in paper_claims(_standings(areas))] == verdicts


def test_one_contrary_difference_decides():
    some = [Evidence("x", Interval(0, 0, 0), verdict) for verdict in (HOLDS, UNDECIDED)]
    assert Claim("c", tuple(some)).verdict == UNDECIDED
    assert Claim("c", (*some, Evidence("x", Interval(0, 0, 0), FAILS))).verdict == FAILS


def test_one_run_decides_nothing():
    found = standings(RESULTS[RESULTS["run"] == 0])
    lead = found.lead("w", "A", "B")
    assert lead.value == pytest.approx(0.75)
    assert np.isnan([lead.low, lead.high]).all()
