"""Every example in the documentation runs."""

import doctest
import importlib
import itertools
import pkgutil
import re
import types
from pathlib import Path

import numpy as np
import pytest
from worlds import random_dependence

import mrflearn
from mrflearn.table import as_table

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(mrflearn.__path__, "mrflearn.")
    if "_kernels" not in module.name
)


def _blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.M | re.S)


@pytest.mark.parametrize("page", [page for page in PAGES if _blocks(page)], ids=lambda p: p.name)
def test_the_code_on_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": f"page_{page.stem}"}
    for block in _blocks(page):
        exec(compile(block, str(page), "exec"), scope)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_right(name):
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def _contributed(at):
    """Return the module that a block of CONTRIBUTING.md makes."""
    module = types.ModuleType("contributed")
    exec(_blocks(ROOT / "CONTRIBUTING.md")[at], module.__dict__)
    return module


def test_the_contributed_dependence_is_one():
    dependence = (
        _contributed(0).Binned().bind(as_table(np.random.default_rng(0).normal(size=(60, 4))))
    )
    for i, j in itertools.permutations(range(4), 2):
        rest = [v for v in range(4) if v not in (i, j)]
        assert dependence.cmi(i, j, rest) == dependence.cmi(j, i, rest[::-1]) >= 0


def test_the_contributed_search_is_one():
    search = _contributed(1)
    for seed in range(7):
        dependence = random_dependence(seed)
        strong = [
            (i, j)
            for i, j in itertools.combinations(range(dependence.n_variables), 2)
            if dependence.cmi(i, j) > 0.1
        ]
        assert list(search.run(dependence, 0.1).edges) == strong


LISTED = ("datasets", "datasets.shapes", "metrics", "plot", "report", "selection")
"""Rooms of whose names the API has all that can be called."""


@pytest.mark.parametrize("room", LISTED)
def test_the_api_lists_every_public_name(room):
    module = importlib.import_module(f"mrflearn.{room}")
    section = (ROOT / "docs/api.md").read_text().split(f".. currentmodule:: {module.__name__}\n")
    listed = set(re.findall(r"^   (\w+)$", section[1].split("```")[0], flags=re.M))
    names = {name for name in module.__all__ if callable(getattr(module, name))}
    assert names == listed & set(module.__all__)
