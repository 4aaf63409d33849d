"""Would a test notice? Change one operator or number of a file at a time, and run tests.

python tests/mutants.py src/mrflearn/metrics.py tests/test_metrics.py [--most 40]

A change that no test notices is printed: it is a line that can be wrong, or one that says the same
in another way. Works on a copy; nothing here is changed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
OTHERS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or,
    ast.Or: ast.And,
}  # fmt: skip


def changes(node: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield which attribute of a node to change, and to what."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHERS:
        yield "ops", [OTHERS[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in OTHERS:
        yield "op", OTHERS[type(node.op)]()
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "value", not node.value
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield "value", node.value + 1


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line that is changed, what it says then, and the whole text with that change."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        for name, value in changes(node):
            changed = copy.deepcopy(tree)
            its = next(other for at, other in enumerate(ast.walk(changed)) if at == number)
            setattr(its, name, value)
            yield node.lineno, ast.unparse(its), ast.unparse(changed)  # type: ignore[attr-defined]


def main() -> None:
    """Print the changes that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--most", type=int, default=40, help="changes to try, drawn at random")
    asked = parser.parse_args()
    found = list(mutants((ROOT / asked.file).read_text()))
    tried = sorted(random.Random(0).sample(found, min(asked.most, len(found))))
    n_unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "src"
        shutil.copytree(ROOT / "src", copied)
        place = copied / asked.file.relative_to("src")
        environ = os.environ | {"PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *asked.tests]
        for line, words, text in tried:
            place.write_text(text)
            try:
                ran = subprocess.run(
                    command, cwd=ROOT, env=environ, capture_output=True, timeout=600
                )
            except subprocess.TimeoutExpired:
                continue
            if ran.returncode == 0:
                n_unnoticed += 1
                print(f"{asked.file}:{line}: {words}", flush=True)
    print(f"{n_unnoticed} of {len(tried)} changes (of {len(found)} possible) went unnoticed")


if __name__ == "__main__":
    main()
