"""Print the oldest supported version of each dependency, as constraints for pip.

python packaging/oldest.py > constraints.txt
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = ("polars", "arrow", "dask")


def oldest() -> list[str]:
    """Return lines such as `numpy==1.26.*`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"]]
    for extra in EXTRAS:
        asked += project["optional-dependencies"][extra]
    return [re.sub(r">=([\d.]+)$", r"==\1.*", requirement) for requirement in asked]


if __name__ == "__main__":
    print("\n".join(oldest()))
