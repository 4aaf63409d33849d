"""Would a test notice? Change one operator or number of a file at a time, and run tests.

python tests/mutants.py src/mrflearn/metrics.py tests/test_metrics.py [--most 40] [--jobs 2]

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
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

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


class Place:
    """A copy of the package in which one file is changed, again and again."""

    def __init__(self, folder: Path, file: Path, tests: list[str]) -> None:
        copied = folder / "src"
        shutil.copytree(ROOT / "src", copied)
        self.file = copied / file.relative_to("src")
        self.environ = os.environ | {"PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
        self.command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests]

    def passes(self, text: str) -> bool:
        """Return whether all tests pass with this text in the file."""
        self.file.write_text(text)
        try:
            ran = subprocess.run(
                self.command, cwd=ROOT, env=self.environ, capture_output=True, timeout=600
            )
        except subprocess.TimeoutExpired:
            return False
        return ran.returncode == 0


def main() -> None:
    """Print the changes that no test notices."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--most", type=int, default=40, help="changes to try, drawn at random")
    parser.add_argument("--jobs", type=int, default=1, help="changes to try side by side")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no change after so long")
    asked = parser.parse_args()
    last = time.monotonic() + asked.seconds
    source = (ROOT / asked.file).read_text()
    found = list(mutants(source))
    drawn = random.Random(0).sample(found, min(asked.most, len(found)))
    with tempfile.TemporaryDirectory() as folder:
        places: Queue[Place] = Queue()
        for job in range(asked.jobs):
            places.put(Place(Path(folder) / str(job), asked.file, asked.tests))
        first = places.get()
        if not first.passes(source):
            sys.exit(f"{' '.join(asked.tests)}: fails as things are, so no change can be tried")
        places.put(first)

        def unnoticed(change: tuple[int, str, str]) -> bool | None:
            line, words, text = change
            place = places.get()
            try:
                if time.monotonic() > last:
                    return None
                passed = place.passes(text)
            finally:
                places.put(place)
            if passed:
                print(f"{asked.file}:{line}: {words}", flush=True)
            return passed

        with ThreadPoolExecutor(asked.jobs) as pool:
            tried = [one for one in pool.map(unnoticed, drawn) if one is not None]
    print(f"{sum(tried)} of {len(tried)} changes (of {len(found)} possible) went unnoticed")


if __name__ == "__main__":
    main()
