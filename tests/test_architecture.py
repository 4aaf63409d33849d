"""Imports point one way, and heavy libraries wait until they are needed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import mrflearn

ROOT = Path(mrflearn.__file__).parent

LEAVES = {
    "errors",
    "_blas",
    "_compile",
    "_edges",
    "_files",
    "_json",
    "_memory",
    "_places",
    "_progress",
    "_words",
}
"""Helpers that anyone may import."""

MAY_IMPORT = {
    "errors": set(),
    "_blas": set(),
    "_compile": set(),
    "_edges": {"errors"},
    "_places": set(),
    "_files": {"errors"},
    "_json": {"errors"},
    "_memory": {"errors"},
    "_progress": set(),
    "_words": set(),
    "_shown": {"_progress"},
    "_columns": LEAVES,
    "evidence": {"_words"},
    "graph": LEAVES | {"evidence"},
    "_as_graph": LEAVES | {"graph"},
    "_scaling": set(),
    "_kinds": LEAVES | {"_columns"},
    "table": LEAVES | {"_columns", "_kinds", "_scaling"},
    "_alike": LEAVES | {"_columns", "table"},
    "work": LEAVES | {"work", "checkpoint"},
    "checkpoint": LEAVES,
    "dependence": LEAVES | {"_columns", "table", "dependence", "work"},
    "search": LEAVES | {"dependence", "graph", "search"},
    "parametric": LEAVES | {"table", "graph", "parametric"},
    "estimators": LEAVES
    | {
        "_alike",
        "_columns",
        "checkpoint",
        "table",
        "evidence",
        "graph",
        "dependence",
        "search",
        "parametric",
        "selection",
        "estimators",
        "work",
    },
    "selection": LEAVES | {"checkpoint", "table", "dependence", "graph", "selection", "work"},
    "independence": LEAVES | {"table", "dependence", "selection"},
    "selector": LEAVES | {"_columns", "estimators"},
    "stability": LEAVES
    | {
        "_columns",
        "_shown",
        "checkpoint",
        "estimators",
        "graph",
        "selection",
        "table",
        "work",
    },
    "result": LEAVES | {"__init__", "graph", "selection", "stability", "table"},
    "account": LEAVES | {"estimators", "graph", "result", "stability", "table"},
    "learn": LEAVES
    | {
        "account",
        "_columns",
        "_shown",
        "dependence",
        "estimators",
        "graph",
        "result",
        "selection",
        "stability",
        "table",
    },
    "datasets": LEAVES | {"graph", "datasets"},
    "io": LEAVES | {"_as_graph", "graph", "io"},
    "metrics": LEAVES | {"graph"},
    "plot": LEAVES | {"_as_graph", "graph", "metrics", "plot"},
    "report": LEAVES | {"graph", "plot", "report"},
    "experiments": LEAVES
    | {
        "datasets",
        "dependence",
        "estimators",
        "metrics",
        "plot",
        "experiments",
        "work",
        "__init__",
    },
    "__main__": {"cli"},
    "cli": None,  # sees all
    "__init__": None,
}
"""Rooms of the house and the rooms each may import; docs/architecture.md draws them."""

FILES = sorted(ROOT.rglob("*.py"))


def _room(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def _imported_rooms(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "mrflearn":
                yield parts[1] if len(parts) > 1 else "__init__"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path):
    room = _room(path)
    assert room in MAY_IMPORT, f"{room} is a new room: say what it may import"
    allowed = MAY_IMPORT[room]
    if allowed is not None:
        assert set(_imported_rooms(path)) <= allowed


KERNELS = [
    "_arrange",
    "_distances",
    "_elimination",
    "_expected",
    "_few",
    "_kernels",
    "_lanes",
    "_lists",
    "_pairs",
    "_spread",
    "_tables",
]


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_import_nothing_of_ours_but_kernels(name):
    tree = ast.parse((ROOT / "dependence" / f"{name}.py").read_text())
    ours = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module.startswith("mrflearn")
    }
    known = {f"mrflearn.dependence.{kernel}" for kernel in KERNELS}
    assert ours <= known | {"mrflearn._compile"}


def test_nothing_calls_the_naive_twins():
    for path in FILES:
        if path.name != "naive.py":
            assert "naive import" not in path.read_text(), path
            assert "import naive" not in path.read_text(), path


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import mrflearn", {"numpy", "pandas", "sklearn", "numba", "scipy", "matplotlib"}),
        ("import mrflearn.cli", {"numpy", "pandas", "sklearn", "numba", "scipy", "matplotlib"}),
        ("import mrflearn.dependence", {"numba", "sklearn", "matplotlib"}),
        ("from mrflearn import GSMPLE", {"numba", "matplotlib.pyplot"}),
    ],
)
def test_heavy_libraries_are_imported_late(statement, absent):
    program = f"{statement}; import sys; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert loaded.returncode == 0, loaded.stderr
    assert absent.isdisjoint(loaded.stdout.split())


def test_every_public_name_is_there():
    assert {"GSMPLE", "mutual_information", "as_table"} <= set(mrflearn.__all__)
    for name in mrflearn.__all__:
        assert getattr(mrflearn, name) is not None
    with pytest.raises(AttributeError):
        mrflearn.no_such_name  # noqa: B018
