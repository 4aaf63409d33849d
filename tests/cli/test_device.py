"""`--device`: where neighbours are counted."""

from mrflearn.dependence import card


def test_without_a_card_one_line_says_what_is_missing(refusal, chain, monkeypatch):
    monkeypatch.setattr(card, "_why_not", lambda: "no NVIDIA driver with a card was found")
    line = refusal("learn", "chain.csv", "--device", "cuda", "--dependence", "knn")
    assert line == (
        "Error: --device cuda finds no usable GPU: no NVIDIA driver with a card was found. It "
        "takes an NVIDIA card with its driver and pip install 'mrflearn[gpu]'; --device cpu gives "
        "the same result without"
    )


def test_what_counts_no_neighbours_refuses_a_card(refusal, chain):
    for dependence in ("auto", "gaussian"):
        line = refusal("learn", "chain.csv", "--device", "cuda", "--dependence", dependence)
        assert line.endswith("which counts no neighbours: use --device cpu")
    line = refusal("learn", "chain.csv", "--device", "cuda", "--method", "glasso")
    assert line.startswith("Error: --device does not apply to --method glasso")
    assert "'gpu' is not one of" in refusal(
        "blanket", "chain.csv", "--target", "a", "--device", "gpu"
    )


def test_auto_learns_where_there_is_no_card(run, chain, monkeypatch):
    monkeypatch.setattr(card, "has_card", lambda: False)
    options = ("chain.csv", "--dependence", "knn", "--lam", "0.1", "--no-test", "--json")
    found = run("learn", *options, "--device", "auto")
    assert '"a"' in found.stdout
    assert "cuda" not in found.stdout
