"""What must work in an environment that has the package and nothing else of ours: `make package`.

Run by the interpreter of that environment, outside the repository.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import mrflearn
from mrflearn.datasets import load_penguins, penguins_path


def main() -> None:
    """Learn from the bundled table in Python and by the command, and look at what was written."""
    package = files("mrflearn")
    assert (package / "py.typed").is_file(), "type information is missing"
    assert (package / "__init__.pyi").is_file(), "the list of public names is missing"
    assert mrflearn.__version__ == version("mrflearn")
    found = mrflearn.learn(load_penguins(), missing="drop", test=False, quiet=True)
    assert found.graph.neighbors("island") == ("species",), found.graph
    command = Path(sys.executable).with_name("mrflearn")
    with tempfile.TemporaryDirectory() as folder:
        written = [Path(folder) / name for name in ("g.graphml", "g.png", "g.html", "g.json")]
        flags = ("-o", "--figure", "--report", "--result")
        options = [str(part) for pair in zip(flags, written, strict=True) for part in pair]
        table = [str(penguins_path()), "--missing", "drop", "--no-test", "--quiet"]
        subprocess.run(
            [str(command), "learn", *table, *options], check=True, stdout=subprocess.DEVNULL
        )
        for path in written:
            assert path.stat().st_size > 1_000, f"{path.name} is too small"
    print(f"mrflearn {mrflearn.__version__} learns, draws and reports from {package}")


if __name__ == "__main__":
    main()
