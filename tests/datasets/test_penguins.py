"""The tables that come with the package are what their description says."""

import hashlib

from mrflearn import GSMPLE, as_table
from mrflearn.datasets import load_penguins, penguins_path


def test_the_penguins_are_the_published_file():
    digest = hashlib.sha256(penguins_path().read_bytes()).hexdigest()
    assert digest == "f204db2c753b0937caac3cb35258562c14f073e4bbc76be24b4c51ce22767a93"


def test_the_penguins_are_as_the_readme_counts_them():
    penguins = load_penguins()
    assert penguins.shape == (344, 8)
    assert len(penguins.dropna()) == 333
    readme = (penguins_path().parent / "README.md").read_text()
    assert "344 adult penguins" in readme
    assert "333 rows are complete" in readme
    for column, n_missing in penguins.isna().sum().items():
        (line,) = (line for line in readme.splitlines() if line.startswith(f"| `{column}` |"))
        assert line.endswith(f"| {n_missing} |")


def test_the_readme_names_source_and_licence():
    readme = (penguins_path().parent / "README.md").read_text()
    for words in ("Gorman", "e90081", "Horst", "CC0"):
        assert words in readme


def test_each_load_is_a_new_frame():
    first = load_penguins()
    first.loc[0, "species"] = "Emperor"
    assert load_penguins().loc[0, "species"] == "Adelie"


def test_kinds_of_the_penguins_need_no_help():
    table = as_table(load_penguins(), missing="drop")
    assert dict(zip(table.names, table.kinds, strict=True)) == {
        "species": "nominal",
        "island": "nominal",
        "bill_length_mm": "continuous",
        "bill_depth_mm": "continuous",
        "flipper_length_mm": "continuous",
        "body_mass_g": "continuous",
        "sex": "nominal",
        "year": "ordinal",
    }


def test_penguins_of_one_species_live_on_few_islands():
    graph = GSMPLE(missing="drop").fit(load_penguins()).graph_
    assert graph.has_edge("species", "island")
    assert graph.has_edge("body_mass_g", "sex")
