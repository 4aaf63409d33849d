"""Every command has an example in its help, and it runs."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mrflearn.cli import main

CHEAPER = {
    "mrflearn reproduce --quick": "mrflearn reproduce --runs 1",
    "mrflearn learn penguins.csv": "mrflearn learn penguins.csv --no-test --dependence gaussian",
}
"""What is run instead, where an example takes long."""


def examples(run, *command):
    shown = run(*command, "--help").stdout
    lines = shown.split("Example:\n")[1].split("\n\n")[0].splitlines()
    assert lines
    return [line.strip() for line in lines]


def follow(run, line):
    """Do what a line of an example says."""
    for long, short in CHEAPER.items():
        line = line.replace(long, short)
    words, _, target = line.partition(" > ")
    program, *arguments = shlex.split(words)
    if program == "mrflearn":
        shown = run(*arguments).stdout
    else:
        assert program == "python"
        command = [sys.executable, *arguments]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if target:
        Path(target).write_text(shown)


@pytest.mark.parametrize("name", [None, *main.commands])
def test_the_example_runs(run, folder, name):
    lines = examples(run, *([name] if name else []))
    for line in lines:
        follow(run, line)
    promised = [
        word
        for line in lines
        for word in shlex.split(line)
        if word.endswith((".csv", ".png", ".json", ".graphml"))
    ]
    assert all(Path(word).exists() for word in promised)
    assert any(word in line for line in lines for word in (f"mrflearn {name}", "mrflearn learn"))


def test_every_option_has_help():
    for command in main.commands.values():
        for parameter in command.params:
            assert parameter.param_type_name == "argument" or parameter.help, parameter.name


def test_the_list_of_commands_says_what_each_does(run):
    shown = run("--help").stdout
    for name, command in main.commands.items():
        assert f"  {name} " in shown
        assert command.get_short_help_str()


def test_a_mistyped_command_is_refused_with_the_closest(refusal):
    assert "learn" in refusal("lern", "x.csv")
