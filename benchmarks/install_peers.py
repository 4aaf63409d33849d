"""Install the peers that benchmarks compare with: the extra `peers`, into this environment.

Nothing already installed changes its version, so we are measured, and tested, with the libraries
we would have without them: every installed distribution is a constraint. A peer that cannot be
installed under it is named with pip's reason and left out; benchmarks then list it as missing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import distributions
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def read_pins() -> list[str]:
    """Return the requirements of the extra."""
    return tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]["peers"]


def normalize(name: str) -> str:
    """Return a distribution's name as all its spellings have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def freeze(pins: list[str]) -> list[str]:
    """Return what is installed, as constraints; the peers and ourselves may change."""
    free = {normalize(pin.split("==")[0]) for pin in pins} | {"mrflearn"}
    installed = {normalize(found.metadata["Name"]): found.version for found in distributions()}
    return [f"{name}=={version}" for name, version in installed.items() if name not in free]


def install(requirements: list[str], constraints: Path) -> str:
    """Install requirements together; return why that failed, or nothing."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    command += ["--constraint", str(constraints), *requirements]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.returncode:
        return ""
    lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["pip said nothing"]
    return errors[-1]


def main() -> None:
    pins = read_pins()
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text("\n".join(freeze(pins)) + "\n")
        if install(pins, constraints):
            reasons = {pin: install([pin], constraints) for pin in pins}
            missing = {pin: reason for pin, reason in reasons.items() if reason}
    print(f"peers: {len(pins) - len(missing)} of {len(pins)} installed")
    for pin, reason in missing.items():
        print(f"  {pin} not installed: {reason}")


if __name__ == "__main__":
    main()
