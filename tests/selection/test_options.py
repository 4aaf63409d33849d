"""Ways of choosing lambda by name, their options, and what is refused."""

import pytest

from mrflearn.errors import InputError
from mrflearn.selection import EBIC, FalseDiscoveryRate, Heldout, Stars
from mrflearn.selection.options import SELECTIONS, check_alpha, check_seed, resolve


def test_a_name_is_its_way_with_usual_options():
    for name, way in SELECTIONS.items():
        assert resolve(name, tuple(SELECTIONS), "GSMPLE") == way()
        assert way.name == name


def test_auto_is_the_first_that_suits():
    assert resolve("auto", ("ebic", "stars"), "GLasso") == EBIC()
    assert resolve(Stars(0.1), ("ebic", "stars"), "GLasso") == Stars(0.1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FalseDiscoveryRate(2), "n_shuffles must be a whole number of at least 3, got 2"),
        (lambda: Stars(0.5), "beta must be between 0 and 0.5, both excluded; got 0.5"),
        (lambda: Stars(n_subsamples=1), "n_subsamples must be a whole number of at least 2"),
        (lambda: Heldout(1), "n_folds must be a whole number of at least 2, got 1"),
        (lambda: Heldout(True), "n_folds must be a whole number"),
        (lambda: EBIC(-0.1), "gamma must be a number that is not negative, got -0.1"),
        (lambda: EBIC(float("nan")), "gamma must be a number"),
        (lambda: resolve("ebix", ("ebic",), "GLasso"), "unknown selection 'ebix'; did you mean"),
        (lambda: resolve(3, ("ebic",), "GLasso"), "unknown selection 3"),
        (lambda: resolve("stars", ("ebic",), "X"), "'stars' does not apply to X: choose 'ebic'"),
        (lambda: check_alpha("small"), "alpha must be between 0 and 1"),
        (lambda: check_alpha(float("nan")), "alpha must be between 0 and 1"),
        (lambda: check_seed(1.5), "random_state must be a whole number"),
        (lambda: check_seed(True), "random_state must be a whole number"),
    ],
)
def test_mistakes_are_one_sentence(make, words):
    with pytest.raises(InputError, match=words):
        make()
