"""Networks sample what their tables say, read and write exactly, and explain every mistake."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mrflearn.datasets import penguins_path
from mrflearn.datasets.networks import (
    NETWORKS,
    BayesianNetwork,
    _weakest_dependence,
    format_network,
    load_network,
    parse_network,
    random_network,
    read_network,
)
from mrflearn.errors import InputError
from mrflearn.table import as_table

GRASS = """\
# why is the grass wet?
rain: yes no
    0.2 0.8
sprinkler: on off | rain
    yes: 0.01 0.99
    no:  0.4  0.6   # rows may be aligned
grass: wet dry | rain sprinkler
    yes on:  0.99 0.01
    yes off: 0.8  0.2
    no on:   0.9  0.1
    no off:  0.0  1.0
"""


def _cmi(joint, i, j):
    """I(i; j | all others) by its definition, a sum over all states."""
    both = joint.sum(axis=(i, j), keepdims=True)
    without_i, without_j = joint.sum(axis=i, keepdims=True), joint.sum(axis=j, keepdims=True)
    seen = joint > 0
    ratio = (joint * both)[seen] / (without_i * without_j)[seen]
    return float((joint[seen] * np.log(ratio)).sum())


def _probability(network, **values):
    """P(values) from the joint table."""
    at = [slice(None)] * network.n_variables
    for name, level in values.items():
        v = network.names.index(name)
        at[v] = network.levels[v].index(level)
    return float(network.joint[tuple(at)].sum())


def _counts(network, frame):
    codes = tuple(frame[name].cat.codes.to_numpy() for name in network.names)
    counts = np.zeros(network.joint.shape)
    np.add.at(counts, codes, 1)
    return counts


def _chi_square(counts, joint):
    """P-value of a chi-square test; cells that expect less than 5 are one cell."""
    expected = joint * counts.sum()
    large = expected >= 5
    seen = np.append(counts[large], counts[~large].sum())
    due = np.append(expected[large], expected[~large].sum())
    return stats.chisquare(seen[due > 1e-9], due[due > 1e-9]).pvalue


def _same(a, b):
    return (
        (a.names, a.levels, a.parents) == (b.names, b.levels, b.parents)
        and all(np.array_equal(s, t) for s, t in zip(a.tables, b.tables, strict=True))
        and np.array_equal(a.adjacency, b.adjacency)
    )


SMALL = [load_network(name) for name in NETWORKS] + [
    random_network(5, (2, 4), 3, random_state=seed) for seed in range(4)
]


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_samples_follow_the_joint_table(network):
    counts = _counts(network, network.sample(100_000, random_state=1))
    assert counts[network.joint == 0].sum() == 0
    assert _chi_square(counts, network.joint) > 1e-4


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_the_chi_square_test_rejects_a_table_that_is_a_little_off(network):
    tables = list(network.tables)
    v = max(range(network.n_variables), key=lambda v: len(network.parents[v]))
    tables[v] = 0.9 * tables[v] + 0.1 / tables[v].shape[-1]
    wrong = BayesianNetwork(network.names, network.levels, network.parents, tuple(tables))
    counts = _counts(network, network.sample(100_000, random_state=1))
    assert _chi_square(counts, wrong.joint) < 1e-10


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_the_joint_is_the_product_of_the_tables(network):
    for state in itertools.islice(itertools.product(*map(range, network.joint.shape)), 300):
        product = 1.0
        for v, own in enumerate(network.parents):
            product *= network.tables[v][tuple(state[u] for u in (*own, v))]
        assert network.joint[state] == pytest.approx(product, rel=1e-12, abs=0)
    assert network.joint.sum() == pytest.approx(1, abs=1e-12)
    assert not network.joint.flags.writeable


@pytest.mark.parametrize("network", SMALL, ids=lambda network: network.name)
def test_unjoined_variables_are_independent_given_all_others(network):
    for i, j in itertools.combinations(range(network.n_variables), 2):
        if not network.adjacency[i, j]:
            assert abs(_cmi(network.joint, i, j)) < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_joined_variables_of_a_random_network_are_dependent(seed):
    network = random_network(6, (2, 4), 2, random_state=seed)
    for i, j in np.argwhere(np.triu(network.adjacency)).tolist():
        assert _cmi(network.joint, i, j) > 1e-4


def test_a_deterministic_node_hides_edges():
    asia = load_network("asia")
    either, xray = asia.names.index("either"), asia.names.index("xray")
    assert asia.adjacency[either, xray]
    assert _cmi(asia.joint, either, xray) == pytest.approx(0, abs=1e-12)
    assert _cmi(asia.joint.sum(axis=asia.names.index("lung")), either - 1, xray - 1) > 0.01


def test_asia_has_the_published_marginals():
    asia = load_network("asia")
    published = {
        "asia": 0.01,
        "tub": 0.0104,
        "smoke": 0.5,
        "lung": 0.055,
        "bronc": 0.45,
        "either": 0.0648,
        "xray": 0.1103,
        "dysp": 0.4360,
    }
    for name, probability in published.items():
        assert _probability(asia, **{name: "yes"}) == pytest.approx(probability, abs=5e-5)


def test_sprinkler_has_the_published_posteriors():
    """Murphy (1998), A brief introduction to graphical models and Bayesian networks."""
    network = load_network("sprinkler")
    wet = _probability(network, wet_grass="yes")
    rain = _probability(network, wet_grass="yes", rain="yes")
    both = _probability(network, wet_grass="yes", rain="yes", sprinkler="on")
    assert wet == pytest.approx(0.6471, abs=5e-5)
    assert _probability(network, wet_grass="yes", sprinkler="on") / wet == pytest.approx(
        0.4298, abs=5e-5
    )
    assert rain / wet == pytest.approx(0.7079, abs=5e-5)
    assert both / rain == pytest.approx(0.1945, abs=5e-5)


def test_cancer_and_earthquake_are_as_computed_by_hand():
    cancer = 0.9 * (0.3 * 0.03 + 0.7 * 0.001) + 0.1 * (0.3 * 0.05 + 0.7 * 0.02)
    assert _probability(load_network("cancer"), cancer="yes") == pytest.approx(cancer)
    alarm = 0.01 * (0.02 * 0.95 + 0.98 * 0.94) + 0.99 * (0.02 * 0.29 + 0.98 * 0.001)
    network = load_network("earthquake")
    assert _probability(network, alarm="yes") == pytest.approx(alarm)
    assert _probability(network, john_calls="yes") == pytest.approx(
        0.9 * alarm + 0.05 * (1 - alarm)
    )


@pytest.mark.parametrize(
    ("name", "n_arcs", "married"),
    [
        ("asia", 8, {("tub", "lung"), ("bronc", "either")}),
        ("cancer", 4, {("pollution", "smoker")}),
        ("earthquake", 4, {("burglary", "earthquake")}),
        ("sprinkler", 4, {("sprinkler", "rain")}),
    ],
)
def test_bundled_graphs_are_their_arcs_and_marriages(name, n_arcs, married):
    network = load_network(name)
    assert network.name == name
    assert len(network.arcs) == n_arcs
    edges = {frozenset((edge.source, edge.target)) for edge in network.graph.edges}
    assert edges == {frozenset(pair) for pair in {*network.arcs, *married}}


def test_each_bundled_file_names_its_source():
    sources = ("Lauritzen and Spiegelhalter", "Korb and Nicholson", "Russell and Norvig")
    for name in NETWORKS:
        text = (penguins_path().parent / f"{name}.bn.txt").read_text()
        assert any(source in text for source in sources)


def test_columns_are_categoricals_with_all_levels():
    frame = load_network("earthquake").sample(3, random_state=0)
    assert list(frame["alarm"].cat.categories) == ["yes", "no"]
    assert not frame["alarm"].cat.ordered
    assert set(as_table(parse_network(GRASS).sample(50, random_state=0)).kinds) == {"nominal"}


def test_the_same_seed_gives_the_same_table():
    network = parse_network(GRASS)
    assert network.sample(50, random_state=3).equals(network.sample(50, random_state=3))
    assert not network.sample(50, random_state=3).equals(network.sample(50, random_state=4))
    again = pickle.loads(pickle.dumps(network))
    assert again.sample(50, random_state=3).equals(network.sample(50, random_state=3))


def test_nodes_and_rows_may_come_in_any_order():
    shuffled = parse_network(
        "wet: yes no | rain hose\n no no: 0 1\n yes yes: 1 0\n no yes: .5 .5\n yes no: .75 .25\n"
        "hose: yes no | rain\n no: .5 .5\n yes: 0 1\n"
        "rain: yes no\n .25 .75\n"
    )
    assert shuffled.names == ("wet", "hose", "rain")
    assert shuffled.order[0] == 2
    assert _probability(shuffled, wet="yes") == 0.25 * 0.75 + 0.75 * 0.5 * 0.5
    counts = _counts(shuffled, shuffled.sample(50_000, random_state=0))
    assert _chi_square(counts, shuffled.joint) > 1e-4


def test_levels_without_probability_are_never_drawn_even_where_sums_round():
    row = [0.1] * 10 + [0.0]  # their running sum ends below 1
    network = BayesianNetwork(["x"], [[f"l{k}" for k in range(11)]], [[]], [row])

    class Edge(np.random.Generator):
        def random(self, size=None):
            return np.full(size, np.nextafter(1, 0))

    frame = network._draw(3, Edge(np.random.PCG64(0)))
    assert set(frame["x"]) == {"l9"}


names = st.text("abcxyz_0189.-äλ", min_size=1, max_size=6)


@given(st.data(), st.integers(0, 2**32), st.sampled_from([0.2, 1.0, 10.0]))
@settings(max_examples=60, deadline=None)
def test_writing_and_reading_gives_the_same_network(data, seed, concentration):
    drawn = random_network(
        data.draw(st.integers(1, 7)), (2, 4), 3, concentration, random_state=seed
    )
    own = data.draw(
        st.lists(names, min_size=drawn.n_variables, max_size=drawn.n_variables, unique=True)
    )
    levels = tuple(
        tuple(data.draw(st.lists(names, min_size=n_levels, max_size=n_levels, unique=True)))
        for n_levels in map(len, drawn.levels)
    )
    network = BayesianNetwork(own, levels, drawn.parents, drawn.tables)
    text = format_network(network)
    assert _same(parse_network(text), network)
    assert format_network(parse_network(text)) == text


@pytest.mark.parametrize("name", NETWORKS)
def test_bundled_networks_survive_a_round_trip_through_a_file(name, tmp_path):
    path = tmp_path / "again.bn.txt"
    path.write_text(format_network(load_network(name)))
    assert _same(read_network(path), load_network(name))
    assert read_network(str(path)).name == "again"


def test_rows_of_printed_numbers_are_made_to_sum_to_one_once():
    network = parse_network("x: a b c\n 0.333333 0.333333 0.333333\n")
    assert network.tables[0].sum() == pytest.approx(1, abs=1e-15)
    assert _same(parse_network(format_network(network)), network)


def test_files_may_have_a_byte_order_mark_and_any_line_ends(tmp_path):
    for ends in ("\n", "\r\n", "\r"):
        path = tmp_path / "grass.bn.txt"
        path.write_bytes(b"\xef\xbb\xbf" + GRASS.replace("\n", ends).encode())
        assert _same(read_network(path), parse_network(GRASS))


def test_text_can_be_read_directly():
    assert _same(read_network(GRASS), parse_network(GRASS))
    assert parse_network(GRASS, name="grass").name == "grass"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("| rain\n", "| rian\n", "line 4: unknown parent 'rian'; did you mean 'rain'?"),
        ("rain: yes no\n", "rain: yes no | grass\n", "line 2: the arcs form a cycle, "),
        ("rain: yes no\n", "rain: yes no | rain\n", "line 2: the arcs form a cycle, rain -> rain;"),
        (
            "    no on:   0.9  0.1\n",
            "",
            "line 7: node 'grass' has no row of probabilities for 'no on'; add it, indented",
        ),
        ("    0.2 0.8\n", "", "line 2: node 'rain' has no row of probabilities; add it"),
        ("0.2 0.8", "0.2 0.9", "line 3: the row sums to 1.1; make its probabilities sum to 1"),
        ("0.01 0.99\n    no", "0.01 0.98999\n    no", "line 5: the row sums to 0.99999;"),
        ("0.2 0.8", "-0.2 1.2", "line 3: the row holds the negative probability -0.2;"),
        ("0.2 0.8", "nan 0.8", "line 3: the row holds nan, which is no probability"),
        ("0.2 0.8", "0,2 0,8", "line 3: '0,2' is not a number; write probabilities such as 0.25"),
        (
            "0.2 0.8",
            "0.2 0.7 0.1",
            "line 3: node 'rain' has 2 levels (yes, no) but this row has 3 probabilities",
        ),
        ("0.2 0.8", "yes: 0.2 0.8", "line 3: node 'rain' has no parents, so its row is numbers"),
        ("    yes: 0.01", "    yse: 0.01", "line 5: unknown level of 'rain' 'yse'; did you mean"),
        (
            "    yes on:",
            "    yes:",
            "line 8: a row of node 'grass' begins with a level of each of its parents (rain, sprin",
        ),
        ("    no off:", "    no on:", "line 11: the row 'no on' of node 'grass' is there twice"),
        ("0.2 0.8\n", "0.2 0.8\n 0.2 0.8\n", "line 4: the row of node 'rain' is there twice"),
        ("grass: wet", "rain: wet", "line 7: node 'rain' is there already, in line 2; remove one"),
        ("on off", "on on", "line 4: node 'sprinkler' has the level 'on' twice; remove one"),
        ("rain sprinkler", "rain rain", "line 7: node 'grass' has the parent 'rain' twice"),
        ("yes no\n", "yes\n", "line 2: node 'rain' has 1 level; write at least two"),
        ("yes no\n", "\n", "line 2: node 'rain' has no levels; write at least two"),
        ("off | rain", "off |", "line 4: node 'sprinkler' has no parents after '|'; name them"),
        ("off | rain", "off | rain | hose", "line 4: '|' is no name: words hold neither"),
        ("rain: yes", "rain yes", "line 2: 'rain yes no' is no node; write 'name: level level'"),
        ("rain: yes", "the rain: yes", "line 2: 'the rain: yes no' is no node"),
        ("rain: yes", "  rain: yes", "line 2: 'rain: yes no' is indented but follows no node"),
    ],
)
def test_every_mistake_in_a_text_names_its_line_and_the_remedy(old, new, message):
    assert old in GRASS
    with pytest.raises(InputError) as caught:
        parse_network(GRASS.replace(old, new, 1))
    assert str(caught.value).startswith(message)


def test_a_row_that_is_not_indented_is_explained():
    with pytest.raises(InputError, match=r"line 1: node 'rain' has no row.*indented, below"):
        parse_network("rain: yes no\nyes: 0.2 0.8\n")


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_text_is_no_network(text):
    with pytest.raises(InputError, match=r"the text describes no network: write 'name: level"):
        parse_network(text)


def test_mistakes_in_a_file_name_the_file(tmp_path):
    path = tmp_path / "grass.bn.txt"
    path.write_text(GRASS.replace("0.2 0.8", "0.2 0.9"))
    with pytest.raises(InputError) as caught:
        read_network(path)
    assert str(caught.value).startswith(f"{str(path)!r}, line 3: the row sums to 1.1")
    path.write_text("")
    with pytest.raises(InputError, match=r"grass.bn.txt' describes no network"):
        read_network(path)
    path.write_bytes(b"rain: yes no\n # caf\xe9\n")
    with pytest.raises(InputError, match=r"is not UTF-8 text: byte 0xe9 in line 2; save it as"):
        read_network(path)
    with pytest.raises(InputError, match=r"no such file; did you mean .*grass.bn.txt'\?"):
        read_network(tmp_path / "gras.bn.txt")
    with pytest.raises(InputError, match="no such file; check the path"):
        read_network(tmp_path / "folder" / "zzz")
    with pytest.raises(InputError, match=r"cannot read .*; check the path"):
        read_network(tmp_path)
    with pytest.raises(InputError, match=r"cannot read .*null.*; check the path"):
        read_network("a\0b")


@pytest.mark.parametrize("word", ["a b", "a:b", "a|b", "#a", ""])
def test_words_that_the_format_cannot_hold_are_not_written(word):
    network = BayesianNetwork(["x"], [[word, "other"]], [[]], [[0.5, 0.5]])
    with pytest.raises(InputError, match="cannot be written to a network file"):
        format_network(network)


def test_an_unknown_network_is_answered_with_the_closest_one():
    with pytest.raises(InputError, match="unknown network 'aisa'; did you mean 'asia'"):
        load_network("aisa")


GOOD = {
    "names": ["a", "b"],
    "levels": [["0", "1"], ["0", "1"]],
    "parents": [[], [0]],
    "tables": [[0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": []}, "needs at least one variable"),
        ({"names": ["a", "a"]}, "names holds 'a' twice"),
        ({"levels": [["0", "1"]]}, "levels must have an item for each of the 2 names, got 1"),
        ({"tables": []}, "tables must have an item for each of the 2 names, got 0"),
        ({"levels": [["0", "1"], ["0"]]}, "variable 'b' needs at least two different levels"),
        ({"levels": [["0", "1"], ["0", "0"]]}, "variable 'b' needs at least two different levels"),
        ({"levels": [["0", "1"], "01"]}, "variable 'b' needs at least two different levels"),
        ({"parents": [[1], [0]]}, "the arcs form a cycle, "),
        ({"parents": [[], [2]]}, "node 1 has the parent 2"),
        ({"parents": [[], ["a"]]}, r"parents of 'b' must be positions of variables, got \['a'\]"),
        ({"parents": [[], [0, 0]]}, "variable 'b' has a parent twice"),
        ({"tables": [[0.5, 0.5], [0.9, 0.1]]}, r"table of 'b' must have the shape \(2, 2\)"),
        ({"tables": [[0.5, 0.5], [[1], [0.1, 0.9]]]}, "table of 'b' must be an array of numbers"),
        ({"tables": [[0.5, 0.6], GOOD["tables"][1]]}, "a row of the table of 'a' sums to 1.1"),
        ({"tables": [[-0.5, 1.5], GOOD["tables"][1]]}, "of 'a' holds the negative probability"),
    ],
)
def test_a_network_in_disorder_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        BayesianNetwork(**(GOOD | change))


def test_the_joint_of_a_large_network_is_refused():
    network = random_network(21, 2, 2, random_state=0)
    with pytest.raises(InputError, match="2,097,152 cells, more than 1,048,576; use sample"):
        _ = network.joint


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(2, 4), st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_random_networks_keep_to_their_bounds(seed, n_variables, most, max_parents):
    network = random_network(n_variables, (2, most), max_parents, random_state=seed)
    assert network.n_variables == n_variables
    assert all(2 <= len(levels) <= most for levels in network.levels)
    for v, own in enumerate(network.parents):
        assert len(own) <= max_parents
        assert all(parent < v for parent in own)
    again = random_network(n_variables, (2, most), max_parents, random_state=seed)
    assert _same(network, again)


def test_random_networks_use_all_numbers_of_levels_and_parents():
    network = random_network(40, (2, 6), 3, random_state=0)
    assert {len(levels) for levels in network.levels} == {2, 3, 4, 5, 6}
    assert {len(own) for own in network.parents} == {0, 1, 2, 3}
    assert network.sample(20, random_state=0).shape == (20, 40)
    assert {len(levels) for levels in random_network(9, 3, random_state=0).levels} == {3}


def test_random_networks_are_stronger_than_plain_dirichlet_tables():
    weakest = {"ours": [], "plain": []}
    for seed in range(12):
        ours = random_network(6, 3, 2, random_state=seed)
        rng = np.random.default_rng(seed)
        tables = tuple(rng.dirichlet(np.ones(3), table.shape[:-1]) for table in ours.tables)
        plain = BayesianNetwork(ours.names, ours.levels, ours.parents, tables)
        edges = np.argwhere(np.triu(ours.adjacency)).tolist()
        for which, network in (("ours", ours), ("plain", plain)):
            weakest[which].append(min(_cmi(network.joint, i, j) for i, j in edges))
    assert np.median(weakest["ours"]) > 1.5 * np.median(weakest["plain"])


def test_the_weakest_dependence_is_that_of_the_definition():
    joints = np.random.default_rng(0).dirichlet(np.ones(24), 5).reshape(5, 2, 3, 4)
    joints[1, 0, 1] = 0
    joints[1] /= joints[1].sum()
    expected = [
        min(_cmi(joint, i, j) for i, j in itertools.combinations(range(3), 2)) for joint in joints
    ]
    np.testing.assert_allclose(_weakest_dependence(joints), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_variables": 0}, "n_variables must be an integer of at least 1"),
        ({"n_levels": 1}, "n_levels must be an integer of at least 2"),
        ({"n_levels": (4, 2)}, r"n_levels must .* got \(4, 2\)"),
        ({"n_levels": (2, 3, 4)}, "n_levels must"),
        ({"n_levels": 2.5}, "n_levels must"),
        ({"max_parents": -1}, "max_parents must be an integer"),
        ({"concentration": 0.0}, "concentration must be a number above 0, got 0.0"),
        ({"concentration": float("nan")}, "concentration must be a number above 0"),
        ({"n_levels": 6, "max_parents": 8}, "65,536 cells; lower max_parents or n_levels"),
        ({"random_state": "seven"}, "random_state must be"),
    ],
)
def test_random_networks_refuse_what_makes_no_sense(options, message):
    with pytest.raises(InputError, match=message):
        random_network(**({"n_variables": 10} | options))


@pytest.mark.parametrize("n_samples", [0, -1, 2.5, True])
def test_the_number_of_samples_is_a_positive_integer(n_samples):
    with pytest.raises(InputError, match="n_samples"):
        load_network("asia").sample(n_samples)


def test_many_parents_without_rows_are_refused_at_once():
    parents = [f"p{i}" for i in range(40)]
    text = "".join(f"{name}: a b\n    0.5 0.5\n" for name in parents)
    text += "child: a b | " + " ".join(parents) + "\n"
    with pytest.raises(InputError, match="node 'child' has no row of probabilities"):
        parse_network(text)
