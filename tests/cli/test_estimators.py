"""estimators lists methods and dependences; --version names the release."""

import mrflearn
from mrflearn.dependence import DEPENDENCES
from mrflearn.estimators import ESTIMATORS

from .in_process import run


def test_the_version_is_shown():
    assert run("--version", prog_name="mrflearn").stdout == f"mrflearn {mrflearn.__version__}\n"


def test_estimators_lists_methods_and_dependences():
    result = run("estimators")
    assert result.exit_code == 0
    first_words = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
    assert first_words == [*ESTIMATORS, *DEPENDENCES]
    assert "Chow-Liu tree, or forest, of largest total mutual information." in result.stdout
    assert "Gaussian(copula=True)" in result.stdout
