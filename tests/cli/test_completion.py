"""Shells complete commands, options, methods, dependences, worlds and files."""

import shutil
import subprocess

import pytest
from click.shell_completion import ShellComplete

from mrflearn.cli import main
from mrflearn.cli._completion import METHODS
from mrflearn.datasets import WORLDS
from mrflearn.dependence import DEPENDENCES
from mrflearn.estimators import ESTIMATORS


def offered(*words):
    *before, incomplete = words
    complete = ShellComplete(main, {}, "mrflearn", "_MRFLEARN_COMPLETE")
    return [item.value for item in complete.get_completions(list(before), incomplete)]


def test_names_known_without_slow_imports_are_those_of_the_library():
    assert {name: cls.__name__ for name, cls in ESTIMATORS.items()} == METHODS


def test_names_are_completed():
    assert offered("le") == ["learn"]
    assert offered("learn", "t.csv", "--method", "n") == ["nodewise-lasso", "nodewise-logistic"]
    assert offered("compare", "t.csv", "--methods", "glasso,ia") == ["glasso,iamb"]
    assert offered("learn", "t.csv", "--dependence", "") == list(DEPENDENCES)
    assert offered("simulate", "mixed") == [name for name in WORLDS if name.startswith("mixed")]
    assert "--stability" in offered("learn", "t.csv", "--stab")
    assert offered("completion", "") == ["bash", "zsh", "fish"]


@pytest.mark.parametrize("command", ["learn", "describe", "blanket", "compare", "view"])
def test_files_are_left_to_the_shell(command):
    complete = ShellComplete(main, {}, "mrflearn", "_MRFLEARN_COMPLETE")
    (item,) = complete.get_completions([command], "t")
    assert item.type == "file"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_printed_and_says_how_to_install_it(run, shell):
    script = run("completion", shell).stdout
    assert script.startswith("# Install it")
    assert f"mrflearn completion {shell} > " in script
    assert "_MRFLEARN_COMPLETE" in script
    program = shutil.which(shell)
    if program:
        subprocess.run([program, "-n"], input=script, text=True, check=True)


def test_an_unknown_shell_is_refused(refusal):
    assert "did you mean 'zsh'?" in refusal("completion", "zhs")
