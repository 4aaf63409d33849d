"""Held-out scores: densities are densities, near the exact ones, and true graphs win."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge

from mrflearn.errors import InputError
from mrflearn.selection import heldout
from mrflearn.selection._kernel_sums import N_WIDTHS, PSEUDO_ROWS, class_sums, density_sums
from mrflearn.selection._predictive import log_densities
from mrflearn.selection._regressions import RIDGES, logistic, ridge
from mrflearn.selection.heldout import choose, draw_folds, log_pseudolikelihoods
from mrflearn.table import Table, as_table

pytestmark = pytest.mark.filterwarnings(
    "error", "ignore:constant column", "ignore:column", "ignore:the columns"
)


def normal(errors, spread):
    return -0.5 * (errors / spread) ** 2 - np.log(spread * np.sqrt(2 * np.pi))


def halves(columns, n_train):
    """Return the first rows of a frame as a table to learn from, and the rest."""
    table = as_table(pd.DataFrame(columns))
    return table.at_rows(range(n_train)), table.at_rows(range(n_train, table.n_samples))


def with_values(table, values):
    return Table(table.names, table.columns, table.starts, values, table.scale)


def mixed_table(rng, n_samples):
    """Return continuous, ordinal, nominal columns and a pair of columns; dependent, with ties."""
    x = rng.normal(size=n_samples)
    label = np.array(["a", "b", "c"])[np.digitize(x + rng.normal(size=n_samples), [-0.5, 0.8])]
    grade = np.clip(np.round(x + rng.normal(size=n_samples)), -2, 2).astype(int)
    y = np.where(label == "b", x, -x) + 0.3 * rng.normal(size=n_samples)
    frame = pd.DataFrame({"x": x, "label": label, "grade": grade, "y": y, "z": np.round(y + x, 1)})
    return as_table(frame, kinds={"grade": "ordinal"}, groups={"pair": ["y", "grade"]})


# Densities


@pytest.mark.parametrize("known", [[], [1], [1, 2], [2, 3]])
def test_a_continuous_density_integrates_to_one(known):
    table = mixed_table(np.random.default_rng(0), 200)
    train, row = table.at_rows(range(150)), table.at_rows([170]).values
    spread = train.values[0].std()
    # Stretched, so that the tails of a Cauchy density are inside: x = sinh(u).
    u = np.linspace(-16, 16, 20_001)
    values = np.repeat(row, len(u), axis=1)
    values[0] = np.sinh(u) * spread
    found = np.exp(log_densities(train, with_values(table, values), 0, known))
    assert np.trapezoid(found * np.cosh(u), u) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("known", [[], [0], [0, 3], [0, 2, 3]])
def test_probabilities_of_levels_add_up_to_one(known):
    table = mixed_table(np.random.default_rng(1), 200)
    only = np.flatnonzero(table.values[1] != 2)[:90]
    for train in (table.at_rows(range(150)), table.at_rows(only)):  # of three levels, and of two
        values = np.repeat(table.at_rows([170]).values, 4, axis=1)
        values[1] = [0, 1, 2, 7]  # the last stands for all that are new
        found = log_densities(train, with_values(table, values), 1, known)
        assert np.exp(found).sum() == pytest.approx(1)


@pytest.mark.parametrize("n_known", [1, 3, 8])
def test_on_normal_data_little_is_lost_to_the_exact_density(n_known):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4000, n_known))
    mean = x.sum(axis=1) / np.sqrt(n_known)
    y = mean + rng.normal(size=4000)
    train, test = halves({"y": y} | {f"x{k}": x[:, k] for k in range(n_known)}, 2000)
    exact = normal(y - mean, 1)[2000:] + np.log(y[:2000].std())
    found = log_densities(train, test, 0, range(1, n_known + 1))
    assert abs((exact - found).mean()) < 0.02


def test_a_curve_is_found_where_a_line_fails():
    rng = np.random.default_rng(3)
    x = rng.normal(size=4000)
    y = np.sin(3 * x) + 0.3 * rng.normal(size=4000)
    train, test = halves({"y": y, "x": x}, 2000)
    exact = (normal(y - np.sin(3 * x), 0.3)[2000:] + np.log(y[:2000].std())).mean()
    line = LinearRegression().fit(x[:2000, None], y[:2000])
    errors = y - line.predict(x[:, None])
    linear = normal(errors[2000:], errors[:2000].std()).mean() + np.log(y[:2000].std())
    found = log_densities(train, test, 0, [1]).mean()
    assert linear < exact - 0.7
    assert exact - 0.03 < found


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_xor_is_found_where_an_additive_model_fails(kind):
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 3000))
    if kind == "labels":
        a, b = a > 0, b > 0.3
        odds = np.where(a != b, 0.9, 0.1)
    else:
        odds = 1 / (1 + np.exp(-3 * a * b))
    label = rng.random(3000) < odds
    train, test = halves({"label": label, "a": a, "b": b}, 1500)
    exact = np.log(np.where(label, odds, 1 - odds))[1500:].mean()
    both = np.column_stack([a, b]).astype(float)
    fitted = LogisticRegression().fit(both[:1500], label[:1500]).predict_log_proba(both[1500:])
    additive = fitted[np.arange(1500), label[1500:].astype(int)].mean()
    found = log_densities(train, test, 0, [1, 2]).mean()
    assert additive < exact - 0.15
    assert exact - 0.03 < found


def test_shapes_of_errors_that_no_mean_shows_are_found():
    """The width grows with x in one column; in the other, y is x or -x."""
    rng = np.random.default_rng(5)
    x, noise = rng.normal(size=(2, 4000))
    width = np.exp(0.7 * x)
    side = np.where(rng.random(4000) < 0.5, x, -x) + 0.2 * noise
    for y, exact in [
        (width * noise, normal(width * noise, width)),
        (side, np.logaddexp(normal(side - x, 0.2), normal(side + x, 0.2)) - np.log(2)),
    ]:
        train, test = halves({"y": y, "x": x}, 2000)
        target = (exact[2000:] + np.log(y[:2000].std())).mean()
        alone = log_densities(train, test, 0, []).mean()
        found = log_densities(train, test, 0, [1]).mean()
        assert found - alone > 0.8 * (target - alone)


def test_the_order_of_rows_and_of_conditions_does_not_matter():
    rng = np.random.default_rng(6)
    table = mixed_table(rng, 160)
    test = table.at_rows(range(100, 160))
    train, turned = table.at_rows(range(100)), table.at_rows(rng.permutation(100))
    for i in range(4):
        others = [j for j in range(4) if j != i]
        np.testing.assert_array_equal(
            log_densities(train, test, i, others), log_densities(turned, test, i, others[::-1])
        )


def test_the_unit_and_the_origin_of_a_column_do_not_matter():
    rng = np.random.default_rng(7)
    x, noise = rng.normal(size=(2, 300))
    found = []
    for factor, shift in [(1, 0), (-1e-12, 3e-12), (1e200, 0)]:
        frame = pd.DataFrame({"x": factor * x + shift, "y": factor * (x**2 + noise)})
        table = as_table(frame, scale=None)
        train, test = table.at_rows(range(200)), table.at_rows(range(200, 300))
        found.append([log_densities(train, test, 0, [1]), log_densities(train, test, 1, [0])])
    # Not to the last digit: turned around, rows come in another order, and prototypes with them.
    np.testing.assert_allclose(found[2], found[0], atol=1e-6)
    np.testing.assert_allclose(np.mean(found[1], axis=1), np.mean(found[0], axis=1), atol=0.02)


def test_a_variable_of_two_columns_follows_the_chain_rule():
    rng = np.random.default_rng(8)
    values = pd.DataFrame(rng.normal(size=(90, 3)) @ rng.normal(size=(3, 3)), columns=list("abc"))
    joined = as_table(values, groups={"ab": ["a", "b"]})
    apart = as_table(values)
    rows, rest = range(60), range(60, 90)
    whole = log_densities(joined.at_rows(rows), joined.at_rows(rest), 0, [1])
    first = log_densities(apart.at_rows(rows), apart.at_rows(rest), 0, [2])
    second = log_densities(apart.at_rows(rows), apart.at_rows(rest), 1, [0, 2])
    np.testing.assert_array_equal(whole, first + second)


# Odd tables


def test_few_rows_are_not_learned_by_heart():
    """Curves have more features than there are rows here, and a line is the truth."""
    rng = np.random.default_rng(18)
    losses = []
    for _ in range(8):
        x = rng.normal(size=(320, 3))
        y = x @ [0.7, 0.5, 0] + rng.normal(size=320)
        train, test = halves({"y": y, "a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}, 20)
        line = LinearRegression().fit(x[:20], y[:20])
        errors = y - line.predict(x)
        spread = np.sqrt((errors[:20] ** 2).sum() / 16)
        linear = normal(errors[20:], spread).mean() + np.log(y[:20].std())
        losses.append(linear - log_densities(train, test, 0, [1, 2, 3]).mean())
    assert np.mean(losses) < 0.1


def test_a_level_never_seen_has_a_small_probability():
    frame = {"a": [*"xy" * 20, "z", "x"], "b": [*"uuvv" * 10, "w", "u"]}
    train, test = halves(frame, 40)
    for known in ([], [1]):
        found = log_densities(train, test, 0, known)
        assert found[0] == pytest.approx(np.log(1 / 42 / 2))  # "z", and whatever else there is
        assert found[1] > np.log(0.4)


def test_a_column_constant_in_training_is_predicted_to_stay_so():
    frame = {"a": [1.5] * 40 + [1.5, 2.5], "b": np.arange(42) % 7 / 3, "c": ["u"] * 41 + ["v"]}
    train, test = halves(frame, 40)
    for i in (0, 2):
        for known in ([], [1]):
            found = log_densities(train, test, i, known)
            assert found[0] == pytest.approx(np.log(1 - 1 / 42))
            assert np.log(1 / 42 / 2) <= found[1] + 1e-12 < np.log(0.03)
    assert np.isfinite(log_densities(train, test, 1, [0, 2])).all()


def test_very_many_levels_still_have_probabilities():
    rng = np.random.default_rng(19)
    table = as_table(
        pd.DataFrame(
            {"name": [f"n{k}" for k in rng.geometric(0.02, 400)], "x": rng.normal(size=400)}
        )
    )
    train = table.at_rows(range(300))
    n_levels = len(table.columns[0].levels)
    assert n_levels > 100
    values = np.vstack([np.arange(n_levels + 1.0), np.full(n_levels + 1, 0.3)])
    for known in ([], [1]):
        found = log_densities(train, with_values(table, values), 0, known)
        assert np.exp(found).sum() == pytest.approx(1)
    assert np.isfinite(log_densities(train, table, 1, [0])).all()


def test_a_far_value_costs_a_bounded_amount():
    rng = np.random.default_rng(9)
    x, noise = rng.normal(size=(2, 500))
    y = x + noise
    train, test = halves({"y": y, "x": x}, 490)
    values = np.array(test.values)
    values[0, :3] = [50, 1e6, 1e300]
    values[1, 3] = -1e300
    found = log_densities(train, with_values(test, values), 0, [1])
    for far, value in zip([50.0, 1e6], found, strict=False):
        cauchy = -np.log(np.pi * (1 + far**2))
        assert value > cauchy - np.log(500 * 25)
    assert np.isfinite(found).all()


def test_a_copy_is_predicted_no_better_than_the_least_width_allows():
    x = np.random.default_rng(10).normal(size=300)
    train, test = halves(
        {"x": x, "y": x, "whole": np.round(20 * x), "again": np.round(20 * x)}, 200
    )
    assert 4 < log_densities(train, test, 0, [1]).mean() < -np.log(1e-3 * np.sqrt(2 * np.pi))
    step = 1 / np.round(20 * x)[:200].std()
    best = -np.log(step / 2 * np.sqrt(2 * np.pi))
    assert best - 0.7 < log_densities(train, test, 2, [3]).mean() <= best


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_table_has_finite_scores(data):
    n_samples = data.draw(st.integers(4, 24))
    columns = {}
    for name in "abc":
        kind = data.draw(st.sampled_from(["nominal", "ordinal", "continuous"]))
        if kind == "nominal":
            values = data.draw(st.lists(st.sampled_from("uvw"), min_size=24, max_size=24))
        elif kind == "ordinal":
            values = data.draw(st.lists(st.integers(0, 3), min_size=24, max_size=24))
        else:
            number = st.sampled_from([0.0, 1.0, 0.25, -3.5, 1e-9, 1e9])
            values = data.draw(st.lists(number, min_size=24, max_size=24))
        columns[name] = (kind, values[:n_samples])
    table = as_table(
        pd.DataFrame({name: values for name, (_, values) in columns.items()}),
        kinds={name: kind for name, (kind, _) in columns.items()},
        scale=None,
    )
    for rows, held_out in draw_folds(n_samples, 2, 0):
        for known in ([], [1], [1, 2]):
            found = log_densities(table.at_rows(rows), table.at_rows(held_out), 0, known)
            assert np.isfinite(found).all()


def test_a_variable_does_not_predict_itself():
    table = mixed_table(np.random.default_rng(0), 40)
    with pytest.raises(ValueError, match="variable 1 is among"):
        log_densities(table, table, 1, [0, 1])


# Parts, against slow twins and other libraries


@pytest.mark.kernel
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("n_columns", [0, 1, 3])
def test_kernel_sums_equal_their_definition(own, n_columns):
    rng = np.random.default_rng(11)
    places, numbers = rng.normal(size=(n_columns, 40)), np.round(rng.normal(size=40), 1)
    new_places, new_numbers = places[:, :17], numbers[:17]
    if not own:
        new_places, new_numbers = rng.normal(size=(n_columns, 17)), 2 * rng.normal(size=17)
    found = density_sums(places, numbers, 0.8, new_places, new_numbers, own)
    assert found.shape == (1 + N_WIDTHS if n_columns else 1, N_WIDTHS, 17)
    for row, h in itertools.product(range(17), range(N_WIDTHS)):
        used = [m for m in range(40) if not (own and m == row)]
        kernel = np.exp(normal(new_numbers[row] - numbers[used], 0.8 / 2**h))
        assert found[0, h, row] == pytest.approx(kernel.mean(), rel=1e-7)
        for b in range(len(found) - 1):
            apart = (new_places[:, row, None] - places[:, used]) * 2**b
            weights = np.exp(-0.5 * (apart**2).sum(axis=0))
            expected = (weights @ kernel + PSEUDO_ROWS * kernel.mean()) / (
                weights.sum() + PSEUDO_ROWS
            )
            assert found[1 + b, h, row] == pytest.approx(expected, rel=1e-7)


@pytest.mark.kernel
@pytest.mark.parametrize("own", [False, True])
def test_class_sums_equal_their_definition(own):
    rng = np.random.default_rng(12)
    places, labels = rng.normal(size=(2, 40)), rng.integers(3, size=40)
    new_places = places[:, :17] if own else rng.normal(size=(2, 17))
    found = class_sums(places, labels, 3, new_places, own)
    for b, row, c in itertools.product(range(N_WIDTHS), range(17), range(3)):
        apart = (new_places[:, row, None] - places) * 2**b
        weights = np.exp(-0.5 * (apart**2).sum(axis=0))
        if own:
            weights[row] = 0
        assert found[b, row, c] == pytest.approx(weights[labels == c].sum(), rel=1e-7, abs=1e-12)


def test_ridge_leaves_rows_out_exactly():
    rng = np.random.default_rng(13)
    features = rng.normal(size=(30, 4))
    target = features @ [1, 0.5, 0, 0] + rng.normal(size=30)
    features -= features.mean(axis=0)
    found = ridge(features, features[:5], target)
    candidates = []
    for penalty in RIDGES * 30:
        left_out = [
            # The features stay centred on all rows: the intercept is free, so that is no matter.
            Ridge(penalty)
            .fit(np.delete(features, row, axis=0), np.delete(target, row))
            .predict(features[row : row + 1])[0]
            for row in range(30)
        ]
        candidates.append((((target - left_out) ** 2).mean(), penalty, left_out))
    _, penalty, left_out = min(candidates)
    np.testing.assert_allclose(found.left_out, left_out, atol=1e-8)
    again = Ridge(penalty).fit(features, target).predict(features[:5])
    np.testing.assert_allclose(found.new, again, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_logistic_regression_leaves_rows_out_nearly_exactly(n_classes):
    rng = np.random.default_rng(14)
    features = rng.normal(size=(120, 3))
    scores = features @ rng.normal(size=(3, n_classes)) + rng.gumbel(size=(120, n_classes))
    labels = scores.argmax(axis=1)
    found = logistic(features, features, labels, n_classes, 1.0)
    np.testing.assert_allclose(np.exp(found.left_out).sum(axis=1), 1)
    if n_classes == 2:
        other = LogisticRegression(C=1.0, tol=1e-10).fit(features, labels)
        np.testing.assert_allclose(found.new, other.predict_log_proba(features), atol=0.01)
    for row in range(0, 120, 7):
        rest = np.arange(120) != row
        exact = logistic(features[rest], features[[row]], labels[rest], n_classes, 1.0).new[0]
        np.testing.assert_allclose(np.exp(found.left_out[row]), np.exp(exact), atol=0.01)


# Graphs


def graph(n_variables, edges):
    adjacency = np.zeros((n_variables, n_variables), dtype=bool)
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = True
    return adjacency


def test_the_true_graph_scores_better_than_one_without_an_edge():
    """A chain a - b - c - d of a number, a curve of it, a label and a grade."""
    rng = np.random.default_rng(15)
    a = rng.normal(size=1500)
    b = np.cos(2 * a) + 0.4 * rng.normal(size=1500)
    c = np.array(["l", "m", "n"])[np.digitize(b + 0.4 * rng.normal(size=1500), [-0.4, 0.5])]
    d = np.where(c == "m", 0, 2) + rng.integers(2, size=1500)
    table = as_table(pd.DataFrame({"a": a, "b": b, "c": c, "d": d}))
    chain = [(0, 1), (1, 2), (2, 3)]
    less = [[edge for edge in chain if edge != lost] for lost in chain]
    graphs = [graph(4, edges) for edges in [chain, [], *less, [(0, 2), (1, 3), (0, 3)]]]
    (rows, held_out), *_ = draw_folds(1500, 3, 0)
    found = log_pseudolikelihoods(table.at_rows(rows), table.at_rows(held_out), graphs)
    assert found.shape == (len(graphs), 500)
    gains = found[0] - found[1:]
    assert (gains.mean(axis=1) > 4 * gains.std(axis=1) / np.sqrt(500)).all()
    # A false edge costs little, and gains nothing.
    more = log_pseudolikelihoods(
        table.at_rows(rows), table.at_rows(held_out), [graph(4, [*chain, (0, 2)])]
    )
    assert -0.1 < (more[0] - found[0]).mean() < 0.01


def test_on_normal_data_the_score_is_the_exact_pseudolikelihood():
    rng = np.random.default_rng(16)
    precision = np.eye(5) + 0.35 * (np.eye(5, k=1) + np.eye(5, k=-1))
    x = rng.multivariate_normal(np.zeros(5), np.linalg.inv(precision), size=3000)
    table = as_table(x, scale=None)
    exact = 0.0
    for i in range(5):
        mean = -(x @ precision[i] - precision[i, i] * x[:, i]) / precision[i, i]
        spread = x[:2000, i].std()
        exact += (normal(x[:, i] - mean, precision[i, i] ** -0.5)[2000:] + np.log(spread)).mean()
    train, test = table.at_rows(range(2000)), table.at_rows(range(2000, 3000))
    found = log_pseudolikelihoods(train, test, [(precision != 0) & ~np.eye(5, dtype=bool)])
    assert found.mean() == pytest.approx(exact, abs=0.05)


def test_each_neighbourhood_is_asked_once(monkeypatch):
    table = mixed_table(np.random.default_rng(17), 30)
    asked = []

    def counted(train, test, i, given):
        asked.append((i, given))
        return np.full(test.n_samples, i + len(given) / 10)

    monkeypatch.setattr(heldout, "log_densities", counted)
    graphs = [graph(4, edges) for edges in [[], [(0, 1)], [(0, 1), (2, 3)], [(0, 1)]]]
    found = log_pseudolikelihoods(table, table, np.array(graphs))
    assert len(asked) == len(set(asked)) == 8
    np.testing.assert_allclose(found[:, 0], [6, 6.2, 6.4, 6.2])


# Folds, and the choice


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(0, 40), st.integers(0, 1000))
def test_folds_partition_the_rows(n_folds, more, seed):
    n_samples = 2 * n_folds + more
    folds = draw_folds(n_samples, n_folds, seed)
    assert sorted(itertools.chain(*(part for _, part in folds))) == list(range(n_samples))
    sizes = [len(part) for _, part in folds]
    assert len(folds) == n_folds
    assert max(sizes) - min(sizes) <= 1
    for rows, held_out in folds:
        assert sorted([*rows, *held_out]) == list(range(n_samples))
        assert (np.diff(rows) > 0).all()
        assert (np.diff(held_out) > 0).all()
    again = draw_folds(n_samples, n_folds, seed)
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(folds, again, strict=True))


@pytest.mark.parametrize(
    ("n_samples", "n_folds", "message"),
    [
        (100, 1, "n_folds must be at least 2, got 1"),
        (9, 5, "9 rows are too few for 5 folds, which take two rows each: give n_folds=4 or fewer"),
        (5, 3, "give n_folds=2$"),
        (3, 2, "give at least 4 rows$"),
        (3, 3, "give at least 4 rows$"),
    ],
)
def test_too_few_rows_for_the_folds_are_refused(n_samples, n_folds, message):
    with pytest.raises(InputError, match=message):
        draw_folds(n_samples, n_folds, 0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 30))
def test_the_choice_is_the_sparsest_within_one_error_of_the_best(seed, n_lams, n_samples):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n_samples) + 0.4 * rng.normal(size=(n_lams, n_samples))
    if n_lams > 2:
        scores[1] = scores[2]  # the same graph twice
    lams = rng.permutation(n_lams) / 10
    means = scores.mean(axis=1)
    best = max(range(n_lams), key=lambda k: (means[k], lams[k]))
    within = []
    for k in range(n_lams):
        difference = scores[best] - scores[k]
        error = np.std(difference, ddof=1) / np.sqrt(n_samples)
        if difference.mean() <= error + 1e-12:
            within.append(k)
    found = choose(lams, scores)
    assert found.position == max(within, key=lambda k: lams[k])
    assert found.selection == "heldout"
    assert found.values == pytest.approx(means)
    if found.limit is not None:
        assert found.values[found.position] >= found.limit
    assert f"lambda {lams[found.position]:.4g}" in found.reason


def test_a_choice_is_made_of_finite_scores_alone():
    for lams, scores in [([0.1], [[np.nan, 1.0]]), ([], np.empty((0, 3))), ([1, 2], [[1.0]])]:
        with pytest.raises(ValueError, match="finite scores"):
            choose(lams, np.array(scores))
    assert choose([0.1], np.array([[1.0]])).position == 0
